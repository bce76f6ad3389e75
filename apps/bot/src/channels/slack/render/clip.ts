/** At most `length` characters, with an ellipsis where something is missing. Half of a surrogate pair is no character. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, Math.max(0, length - 1)).replace(/[\ud800-\udbff]$/, '')}…`
}
