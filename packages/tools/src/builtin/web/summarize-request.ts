import type { Summary } from '../../contract.ts'
import { hostIn, shownUrl } from './call-outbound.ts'

/** Characters of the body on the card; all of it is in the arguments. */
const shownCharacters = 2_000

export interface RequestToShow {
  method: string
  url: string
  headers?: Readonly<Record<string, string>> | undefined
  body?: string | undefined
}

/** All that leaves the building is on the card: where to, the headers, the body. */
export function summarizeRequest({ method, url, headers, body }: RequestToShow): Summary {
  const facts = [{ label: 'Address', value: shownUrl(url) }]
  for (const [name, value] of Object.entries(headers ?? {})) facts.push({ label: `Header ${name}`, value })
  if (body !== undefined) facts.push({ label: 'Body', value: shown(body) })
  const carried = body === undefined ? '' : `${Buffer.byteLength(body)} bytes `
  const verb = method === 'GET' ? 'Read' : carried === '' ? `${method} at` : `${method} ${carried}to`
  return { title: `${verb} ${hostIn(url)}`, facts, recipients: [hostIn(url)] }
}

const shown = (body: string): string =>
  body.length <= shownCharacters
    ? body
    : `${body.slice(0, shownCharacters).toWellFormed()}… (${body.length - shownCharacters} more characters)`
