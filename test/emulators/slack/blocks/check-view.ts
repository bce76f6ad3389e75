import type { Block, Json } from '../model.ts'
import { invalidArguments, Refusal } from '../refusal.ts'
import { checkBlocks } from './check-blocks.ts'
import { checkText } from './check-parts.ts'
import { Problems } from './problems.ts'

export type View = Json & { type: 'modal' | 'home'; blocks: Block[] }

const mostViewBytes = 250_000

/** Takes a view as Slack would, or refuses it in Slack's words. */
export function parseView(value: unknown, type: 'modal' | 'home'): View {
  if (Buffer.byteLength(JSON.stringify(value) ?? '') > mostViewBytes) throw new Refusal('view_too_large')
  const problems = new Problems()
  const view = problems.object('/view', value, true)
  if (view) checkView(problems, view, type)
  if (problems.found.length)
    throw invalidArguments('failed to match all allowed schemas [json-pointer:/view]', ...problems.found)
  return view as View
}

function checkView(problems: Problems, view: Json, type: 'modal' | 'home'): void {
  if (view.type !== type) problems.add('/view/type', `unsupported type: ${view.type}`)
  problems.string('/view/private_metadata', view.private_metadata, { max: 3000 })
  problems.string('/view/callback_id', view.callback_id, { max: 255 })
  problems.string('/view/external_id', view.external_id, { max: 255 })
  checkBlocks(problems, '/view/blocks', view.blocks, type)
  if (type === 'home') return
  checkText(problems, '/view/title', view.title, { max: 24, required: true })
  checkText(problems, '/view/submit', view.submit, { max: 24 })
  checkText(problems, '/view/close', view.close, { max: 24 })
  const blocks = Array.isArray(view.blocks) ? view.blocks : []
  blocks.forEach((block, index) => {
    if ((block as Json | null)?.type === 'input' && view.submit === undefined)
      problems.add(`/view/blocks/${index}/input`, 'must define `submit` to use an `input` block in modals')
  })
}
