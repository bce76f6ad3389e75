import type { KnownPlace, PlatformKind } from './queries.ts'

/** Slack's direct messages begin with D, and `dm:` is one that the bot opened; a person's chat on Telegram is positive. */
export const isDirect = (kind: PlatformKind, place: string) =>
  kind === 'slack' ? /^(D|dm:)/.test(place) : !place.startsWith('-')

/** What somebody recognises a place by: platforms tell us ids, and who wrote what there. */
export function describePlace(kind: PlatformKind, { place, title, person }: KnownPlace): string {
  if (isDirect(kind, place)) return person ? `direct chat with ${person}` : 'direct chat'
  return title ? `“${title}”` : ''
}
