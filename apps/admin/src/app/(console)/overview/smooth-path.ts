interface Point {
  x: number
  y: number
}

/**
 * A curve through all points that never goes beyond them (Fritsch and Carlson): between two values there is none that
 * nobody measured.
 */
export function smoothPath(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (!first) return ''
  const start = `M ${show(first.x)} ${show(first.y)}`
  // One alone is a dot: a line as long as nothing, with round ends.
  if (!rest.length) return `${start} h 0.01`
  const slopes = rest.map((point, index) => {
    const before = points[index] as Point
    return (point.y - before.y) / (point.x - before.x)
  })
  const tangents = points.map((_, index) => {
    const [left, right] = [slopes[index - 1], slopes[index]]
    if (left === undefined || right === undefined) return (left ?? right) as number
    return left * right <= 0 ? 0 : (2 * left * right) / (left + right)
  })
  const curves = rest.map((point, index) => {
    const before = points[index] as Point
    const third = (point.x - before.x) / 3
    const [leave, arrive] = [tangents[index] as number, tangents[index + 1] as number]
    return `C ${show(before.x + third)} ${show(before.y + third * leave)} ${show(point.x - third)} ${show(point.y - third * arrive)} ${show(point.x)} ${show(point.y)}`
  })
  return [start, ...curves].join(' ')
}

const show = (value: number) => Number(value.toFixed(3))
