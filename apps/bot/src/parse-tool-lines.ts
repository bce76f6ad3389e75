// `!file.read {"path": "a"}`: a tool by hand. One a line, or one whose arguments go over several lines.

export interface ToolLine {
  name: string
  /** Null where what follows the name is no JSON object. */
  input: Record<string, unknown> | null
}

/** Null for a text that is not made of such lines. */
export function parseToolLines(text: string): ToolLine[] | null {
  if (!text.trimStart().startsWith('!')) return null
  const whole = parseLine(text)
  if (whole?.input) return [whole]
  const lines = text.split('\n').filter((line) => line.trim())
  const parsed = lines.map(parseLine)
  return parsed.every((line) => line !== null) ? parsed : null
}

/** A name alone, or a name and something that begins like JSON: "!wow, that is good" is neither. */
function parseLine(line: string): ToolLine | null {
  const [, name, json] = /^\s*!\s*([A-Za-z][\w.:-]*)\s*([[{][\s\S]*)?$/.exec(line) ?? []
  return name === undefined ? null : { name, input: parseObject(json?.trim() || '{}') }
}

function parseObject(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null // Told to the person as what it is.
  }
}
