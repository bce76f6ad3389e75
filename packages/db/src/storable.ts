// Platforms, models and tools send text that PostgreSQL cannot hold: NUL characters and halves of surrogate pairs. A
// message must not be lost over one of them, so they become U+FFFD, the character that stands for an unreadable one.

export function storableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}

/** The value as JSON text for a jsonb column. A bigint becomes its digits as text, and what JSON has no word for null. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'string') return storableText(part)
    if (typeof part === 'bigint') return String(part)
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    const entries = Object.entries(part)
    if (entries.every(([key]) => storableText(key) === key)) return part
    return Object.fromEntries(entries.map(([key, inner]) => [storableText(key), inner]))
  })
  return text ?? 'null'
}
