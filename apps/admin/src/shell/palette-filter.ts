/**
 * How well an entry of the palette fits what is typed, from 0 (not at all) to 1. Words count from their beginning, and
 * letters that are strewn over several words do not: with so many words to look among, they would fit anything.
 */
export function fitOf(name: string, typed: string, keywords: readonly string[] = []): number {
  const wanted = typed.trim().toLowerCase()
  if (!wanted) return 1
  const fit = (text: string) => {
    const given = text.trim().toLowerCase()
    if (given === wanted) return 1
    if (given.startsWith(wanted)) return 0.9
    if (given.split(/[\s-]+/).some((word) => word.startsWith(wanted))) return 0.8
    return given.includes(wanted) ? 0.3 : 0
  }
  // A name goes before the other words that somebody may look for it by.
  return Math.max(fit(name), ...keywords.map((keyword) => fit(keyword) * 0.9))
}
