/** Text as it is meant, in Telegram's HTML: it has these four entities and no others that we need. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** So many characters of a text, the last one an ellipsis where some are missing; no character is cut in two. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, Math.max(0, length - 1)).replace(/[\ud800-\udbff]$/, '')}…`
}
