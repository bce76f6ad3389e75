// Server actions as a browser calls them, by their id in the build and without any button.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@quartermaster/db'
import type { APIRequestContext, APIResponse } from 'playwright-core'
import { type ConsoleUnderTest, requireBuild } from './console.ts'

export interface ActionOutcome {
  ok: boolean
  message: string
  fields?: Record<string, string>
}

export interface ActionCaller {
  /** The name of every action of the build. */
  names(): string[]
  /** With a form, from our own origin or from another one; `origin` null: from none. */
  call(
    request: APIRequestContext,
    name: string,
    form: Record<string, string>,
    origin?: string | null,
  ): Promise<APIResponse>
  /** With whatever body. */
  callWith(request: APIRequestContext, name: string, body: string): Promise<APIResponse>
}

export const built = <T>(file: string) =>
  JSON.parse(readFileSync(join(projectRoot, 'apps/admin', requireBuild(), 'server', file), 'utf8')) as T

/** Each action's id, and an address whose page it is on. */
function readActions(): Record<string, { id: string; page: string }> {
  type Manifest = { node: Record<string, { exportedName: string; workers: Record<string, unknown> }> }
  const { node } = built<Manifest>('server-reference-manifest.json')
  return Object.fromEntries(
    Object.entries(node).map(([id, { exportedName, workers }]) => [exportedName, { id, page: addressOf(workers) }]),
  )
}

function addressOf(workers: Record<string, unknown>): string {
  const pages = Object.keys(workers).filter((worker) => worker.startsWith('app/(console)/'))
  const page = pages.find((worker) => !worker.includes('[')) ?? pages[0] ?? ''
  return page
    .replace('app/(console)', '')
    .replace(/\/page$/, '')
    .replace(/\[\w+\]/g, 'any')
}

export function useActions(it: ConsoleUnderTest): ActionCaller {
  let read: ReturnType<typeof readActions> | null = null
  const actions = () => {
    read ??= readActions()
    return read
  }
  const find = (name: string) => {
    const found = actions()[name]
    if (!found) throw new Error(`the build has no action ${name}`)
    return found
  }
  return {
    names: () => Object.keys(actions()),
    call(request, name, form, origin = it.url) {
      const { id, page } = find(name)
      const multipart = new FormData()
      for (const [key, value] of Object.entries(form)) multipart.append(`_1_${key}`, value)
      multipart.append('0', '[null,"$K1"]') // The arguments come after what they refer to.
      const headers = { ...(origin === null ? {} : { origin }), 'next-action': id, accept: 'text/x-component' }
      return request.post(page, { headers, multipart, maxRedirects: 0 })
    },
    callWith(request, name, body) {
      const { id, page } = find(name)
      return request.post(page, {
        headers: { origin: it.url, 'next-action': id, 'content-type': 'text/plain;charset=UTF-8' },
        data: body,
        maxRedirects: 0,
      })
    },
  }
}

/** What the action returned, out of the stream that carries it; null where it led to another page instead. */
export async function outcomeOf(answer: APIResponse): Promise<ActionOutcome | null> {
  if (answer.headers()['x-action-redirect'] !== undefined) return null
  const line = (await answer.text()).split('\n').find((text) => /^\d+:\{"ok":/.test(text))
  if (!line) throw new Error(`no result in ${answer.status()} ${await answer.text()}`)
  return JSON.parse(line.slice(line.indexOf(':') + 1))
}

/** The same where it must have returned something. */
export async function resultOf(answer: APIResponse): Promise<ActionOutcome> {
  const outcome = await outcomeOf(answer)
  if (!outcome) throw new Error(`no result but the way to ${answer.headers()['x-action-redirect']}`)
  return outcome
}
