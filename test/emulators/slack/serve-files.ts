import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Core } from './core.ts'
import type { Uploads } from './methods/files.ts'

/** Takes the bytes of an upload that was announced. */
export async function serveUpload(
  uploads: Uploads,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): Promise<void> {
  const ticket = (request.url ?? '').split('/').at(-1)?.split('?')[0] ?? ''
  const content = await readContent(request.headers['content-type'] ?? '', body)
  const taken = content !== null && uploads.receive(ticket, content)
  response.writeHead(taken ? 200 : 400, { 'content-type': 'text/plain' })
  response.end(taken ? `OK - ${content.length}` : 'Bad Request')
}

/** The bytes as they came, or the first file of a form. */
async function readContent(type: string, body: Buffer): Promise<Buffer | null> {
  if (!type.startsWith('multipart/form-data')) return body
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  for (const [, value] of form) if (typeof value !== 'string') return Buffer.from(await value.arrayBuffer())
  return null
}

/**
 * Gives out a private file. Who comes without a token that may read it is sent to the page where people log in, which
 * answers 200 with HTML: an app that does not look is left with a page instead of the file.
 */
export function serveFile(core: Core, request: IncomingMessage, response: ServerResponse): void {
  const [, teamId, fileId] = /^\/files-pri\/(T\w+)-(F\w+)\//.exec(request.url ?? '') ?? []
  const token = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const file = core.world.files.get(fileId ?? '')
  const team = core.revokedTokens.has(token) ? null : core.teamOfToken(token)
  const mayRead =
    team?.bot?.scopes.includes('files:read') &&
    (team.id === teamId ||
      file?.shares.some(({ channel }) => core.world.channels.get(channel)?.sharedWith.has(team.id)))
  if (!mayRead)
    return void response
      .writeHead(302, { location: `${core.baseUrl}/?redir=${encodeURIComponent(request.url ?? '')}` })
      .end()
  if (!file || file.teamId !== teamId) return void response.writeHead(404).end()
  response.writeHead(200, { 'content-type': file.mimetype, 'content-length': file.content.length }).end(file.content)
}

export function serveLogin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end('<!DOCTYPE html><title>Log in</title><h1>Sign in to your workspace</h1>')
}
