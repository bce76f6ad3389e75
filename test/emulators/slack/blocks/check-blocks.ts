import type { Json } from '../model.ts'
import { checkElement } from './check-element.ts'
import { anyText, checkText } from './check-parts.ts'
import type { Problems } from './problems.ts'

export type Surface = 'message' | 'modal' | 'home'

/** The most blocks there may be on a surface. */
export const mostBlocks = { message: 50, modal: 100, home: 100 } as const
export const mostMarkdown = 12_000

/** Blocks that Slack shows in messages only. */
const onlyInMessages = new Set(['markdown', 'context_actions', 'table', 'data_table', 'task_card', 'plan', 'carousel'])

/** Checks a list of blocks the way Slack's own schema does. */
export function checkBlocks(problems: Problems, at: string, value: unknown, surface: Surface): void {
  const blocks = problems.list(at, value, { max: mostBlocks[surface] })
  const ids = new Set<string>()
  const tables = blocks.filter((block) => (block as Json | null)?.type === 'table')
  if (tables.length > 1) problems.add(at, 'only_one_table_allowed')
  blocks.forEach((each, index) => {
    const place = `${at}/${index}`
    const block = problems.object(place, each, true)
    if (!block) return
    const id = problems.string(`${place}/block_id`, block.block_id, { min: 1, max: 255 })
    if (id && ids.has(id)) problems.add(`${place}/block_id`, `block_id "${id}" already exists`)
    ids.add(id)
    checkBlock(problems, place, block, surface)
  })
}

function checkBlock(problems: Problems, at: string, block: Json, surface: Surface): void {
  const type = String(block.type)
  const check = checks[type]
  if (!check || (surface !== 'message' && onlyInMessages.has(type)))
    return void problems.add(`${at}/type`, `unsupported type: ${type}`)
  check(problems, at, block, surface)
}

type Check = (problems: Problems, at: string, block: Json, surface: Surface) => void

function checkElements(place: 'actions' | 'context' | 'context_actions', max: number): Check {
  return (problems, at, block) => {
    const seen = new Set<string>()
    problems.list(`${at}/elements`, block.elements, { min: 1, max }).forEach((element, index) => {
      const id = checkElement(problems, `${at}/elements/${index}`, element, place)
      if (id === null) return
      if (seen.has(id)) problems.add(`${at}/elements/${index}/action_id`, `action_id "${id}" already exists`)
      seen.add(id)
    })
  }
}

const statuses = ['pending', 'in_progress', 'complete', 'error']

const checkTask: Check = (problems, at, block) => {
  problems.string(`${at}/task_id`, block.task_id, { min: 1, max: 255, required: true })
  problems.string(`${at}/title`, block.title, { min: 1, required: true })
  problems.oneOf(`${at}/status`, block.status, statuses, true)
  problems.object(`${at}/details`, block.details)
  problems.object(`${at}/output`, block.output)
  checkSources(problems, `${at}/sources`, block.sources)
}

export function checkSources(problems: Problems, at: string, value: unknown): void {
  problems.list(at, value, { required: false }).forEach((each, index) => {
    const source = problems.object(`${at}/${index}`, each, true)
    if (!source) return
    problems.oneOf(`${at}/${index}/type`, source.type, ['url'], true)
    problems.string(`${at}/${index}/url`, source.url, { min: 1, required: true })
    problems.string(`${at}/${index}/text`, source.text, { min: 1, required: true })
  })
}

function checkRows(problems: Problems, at: string, block: Json): void {
  problems.list(`${at}/rows`, block.rows, { min: 1, max: 100 }).forEach((row, index) => {
    problems.list(`${at}/rows/${index}`, row, { max: 20 }).forEach((value, column) => {
      const place = `${at}/rows/${index}/${column}`
      const cell = problems.object(place, value, true)
      if (!cell) return
      problems.oneOf(`${place}/type`, cell.type, ['raw_text', 'raw_number', 'rich_text'], true)
      if (cell.type !== 'rich_text') problems.string(`${place}/text`, cell.text, { min: 1, required: true })
    })
  })
}

const checkCard: Check = (problems, at, block) => {
  if (!['hero_image', 'title', 'actions', 'body'].some((key) => block[key] !== undefined))
    problems.add(at, 'must define one of `hero_image`, `title`, `actions` or `body`')
  checkText(problems, `${at}/title`, block.title, { max: 150, types: anyText })
  checkText(problems, `${at}/subtitle`, block.subtitle, { max: 150, types: anyText })
  checkText(problems, `${at}/body`, block.body, { max: 200, types: anyText })
  problems.list(`${at}/actions`, block.actions, { required: false }).forEach((button, index) => {
    checkElement(problems, `${at}/actions/${index}`, button, 'card')
  })
}

const checks: Record<string, Check> = {
  divider: () => {},
  section(problems, at, block) {
    if (block.text === undefined && block.fields === undefined)
      problems.add(at, 'must define either `text` or `fields`')
    checkText(problems, `${at}/text`, block.text, { types: anyText })
    problems.list(`${at}/fields`, block.fields, { min: 1, max: 10, required: false }).forEach((field, index) => {
      checkText(problems, `${at}/fields/${index}`, field, { max: 2000, types: anyText, required: true })
    })
    if (block.accessory !== undefined) checkElement(problems, `${at}/accessory`, block.accessory, 'section')
  },
  header: (problems, at, block) => checkText(problems, `${at}/text`, block.text, { max: 150, required: true }),
  actions: checkElements('actions', 25),
  context: checkElements('context', 10),
  context_actions: checkElements('context_actions', 5),
  input(problems, at, block) {
    checkText(problems, `${at}/label`, block.label, { max: 2000, required: true })
    checkText(problems, `${at}/hint`, block.hint, { max: 2000 })
    checkElement(problems, `${at}/element`, block.element, 'input')
  },
  image(problems, at, block) {
    problems.string(`${at}/alt_text`, block.alt_text, { min: 1, max: 2000, required: true })
    if ((block.image_url === undefined) === (block.slack_file === undefined))
      problems.add(at, 'must define either `image_url` or `slack_file`')
    checkText(problems, `${at}/title`, block.title, { max: 2000 })
  },
  markdown: (problems, at, block) =>
    void problems.string(`${at}/text`, block.text, { min: 1, max: mostMarkdown, required: true }),
  rich_text(problems, at, block) {
    const kinds = ['rich_text_section', 'rich_text_list', 'rich_text_quote', 'rich_text_preformatted']
    problems.list(`${at}/elements`, block.elements).forEach((value, index) => {
      const element = problems.object(`${at}/elements/${index}`, value, true)
      if (!element) return
      if (!kinds.includes(String(element.type)))
        problems.add(`${at}/elements/${index}/type`, `unsupported type: ${element.type}`)
      problems.list(`${at}/elements/${index}/elements`, element.elements)
    })
  },
  table(problems, at, block) {
    checkRows(problems, at, block)
    problems.list(`${at}/column_settings`, block.column_settings, { max: 20, required: false })
  },
  data_table(problems, at, block) {
    checkRows(problems, at, block)
    problems.string(`${at}/caption`, block.caption, { min: 1, required: true })
    problems.number(`${at}/page_size`, block.page_size, 1, 100)
  },
  alert(problems, at, block) {
    checkText(problems, `${at}/text`, block.text, { types: anyText, required: true })
    problems.oneOf(`${at}/level`, block.level, ['default', 'info', 'warning', 'error', 'success'])
  },
  card: checkCard,
  carousel(problems, at, block, surface) {
    problems.list(`${at}/elements`, block.elements, { min: 1, max: 10 }).forEach((value, index) => {
      const card = problems.object(`${at}/elements/${index}`, value, true)
      if (card) checkCard(problems, `${at}/elements/${index}`, card, surface)
    })
  },
  container(problems, at, block, surface) {
    checkText(problems, `${at}/title`, block.title, { max: 150 })
    checkText(problems, `${at}/subtitle`, block.subtitle, { max: 150, types: anyText })
    const allowed = [
      'actions',
      'context',
      'divider',
      'header',
      'image',
      'input',
      'rich_text',
      'section',
      'table',
      'video',
    ]
    problems.list(`${at}/child_blocks`, block.child_blocks, { min: 1, max: 10 }).forEach((value, index) => {
      const place = `${at}/child_blocks/${index}`
      const child = problems.object(place, value, true)
      if (!child) return
      if (allowed.includes(String(child.type))) checkBlock(problems, place, child, surface)
      else problems.add(`${place}/type`, `unsupported type: ${child.type}`)
    })
  },
  task_card: checkTask,
  plan(problems, at, block, surface) {
    problems.string(`${at}/title`, block.title, { min: 1, required: true })
    problems.list(`${at}/tasks`, block.tasks, { required: false }).forEach((value, index) => {
      const task = problems.object(`${at}/tasks/${index}`, value, true)
      if (task) checkTask(problems, `${at}/tasks/${index}`, task, surface)
    })
  },
  video(problems, at, block) {
    for (const key of ['video_url', 'thumbnail_url', 'alt_text'])
      problems.string(`${at}/${key}`, block[key], { min: 1, required: true })
    checkText(problems, `${at}/title`, block.title, { max: 199, required: true })
  },
}
