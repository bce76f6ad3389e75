import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Core } from './core.ts'
import type { OAuth } from './methods/oauth.ts'
import { escapeHtml } from './render/escape-html.ts'

/** The page that asks a person which team is to have the app, and where its buttons lead. */
export function serveAuthorize(core: Core, oauth: OAuth, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', core.baseUrl)
  const page = (status: number, body: string) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
    response.end(`<!DOCTYPE html><title>Install the app</title>${body}`)
  }
  const problem = oauth.check(url)
  if (problem) return void page(400, `<h1>Something went wrong</h1><p>${escapeHtml(problem)}</p>`)
  const team = core.world.teams.get(url.searchParams.get('emulated_team') ?? '')
  const user = core.world.users.get(url.searchParams.get('emulated_user') ?? '')
  if (team && user) {
    const allowed = url.searchParams.get('emulated_answer') !== 'deny'
    return void response.writeHead(302, { location: oauth.decide(url, team, user, allowed) }).end()
  }
  const links = [...core.world.users.values()]
    .filter(({ isBot }) => !isBot)
    .map((person) => {
      const target = new URL(url)
      target.searchParams.set('emulated_team', person.teamId)
      target.searchParams.set('emulated_user', person.id)
      const words = `Allow as ${person.name} of ${core.world.teams.get(person.teamId)?.name}`
      return `<li><a href="${escapeHtml(target.pathname + target.search)}">${escapeHtml(words)}</a>`
    })
  page(
    200,
    `<h1>Allow the app to use these permissions?</h1><p>${escapeHtml(url.searchParams.get('scope') ?? '')}</p><ul>${links.join('')}</ul>`,
  )
}
