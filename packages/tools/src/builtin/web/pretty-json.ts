/** Levels; indented, a deeper one would be far larger than it is. */
const deepest = 64

/** Indented by two, or as it was where it is no JSON. */
export function prettyJson(text: string): string {
  if (depthOf(text) > deepest) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text // Half of a JSON, or none: what there is says more than an error.
  }
}

function depthOf(text: string): number {
  let depth = 0
  let most = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0x5c) index++
    else if (code === 0x22) quoted = !quoted
    else if (quoted) continue
    else if (code === 0x5b || code === 0x7b) most = Math.max(most, ++depth)
    else if (code === 0x5d || code === 0x7d) depth--
  }
  return most
}
