// The build's scripts and styles, compressed once and as well as it goes when the console was built
// (scripts/start/compress-static.ts): a first visit brings a seventh less than with what Next compresses by itself.
import { createReadStream, existsSync, readdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'

const types: Record<string, string> = { js: 'application/javascript; charset=UTF-8', css: 'text/css; charset=UTF-8' }

/** `folder`: the build. What it returns answers a request for a compressed file, and says whether it did. */
export function compressedFilesOf(folder: string): (request: IncomingMessage, response: ServerResponse) => boolean {
  const root = join(folder, 'static')
  const names = existsSync(root) ? (readdirSync(root, { recursive: true }) as string[]) : []
  // Only what was there at the start has an address: nothing of a request becomes part of a path.
  const files = new Map(
    names
      .filter((name) => /\.(js|css)\.br$/.test(name))
      .map((name) => [`/_next/static/${name.replaceAll('\\', '/').slice(0, -'.br'.length)}`, join(root, name)]),
  )
  return (request, response) => {
    const [address = ''] = (request.url ?? '').split('?')
    const file = files.get(address)
    if (!file || !/^(GET|HEAD)$/.test(request.method ?? '') || !takesBrotli(request)) return false
    response.writeHead(200, {
      'Content-Type': types[address.slice(address.lastIndexOf('.') + 1)],
      'Content-Encoding': 'br',
      Vary: 'Accept-Encoding',
      // The name says what is in it.
      'Cache-Control': 'public, max-age=31536000, immutable',
    })
    if (request.method === 'HEAD') response.end()
    else
      createReadStream(file)
        .on('error', () => response.destroy())
        .pipe(response)
    return true
  }
}

const takesBrotli = (request: IncomingMessage) =>
  /(^|,)\s*br\s*(;\s*q=(1|0?\.[0-9]*[1-9]))?\s*(,|$)/.test(String(request.headers['accept-encoding'] ?? ''))
