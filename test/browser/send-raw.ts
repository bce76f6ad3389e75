import { request } from 'node:http'

export interface SendOptions {
  method?: string
  headers?: Record<string, string>
  body?: string
}

export interface RawAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** A request exactly as it is written: no browser mends its headers or its path. */
export function sendRaw(url: string, path: string, options: SendOptions = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((done, failed) => {
    const sent = request(
      { hostname, port, path, method: options.method ?? 'GET', headers: options.headers ?? {} },
      (response) => {
        let body = ''
        response.on('data', (chunk) => (body += chunk))
        response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, body }))
      },
    )
    sent.on('error', failed)
    sent.end(options.body)
  })
}
