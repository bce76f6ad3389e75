// Whether a value is JSON, and not too much of it: the first look at everything that comes from a model or a tool, so
// that whatever follows can walk it without a bound of its own.
import { limits } from '../limits.ts'

/** What is wrong with it, as the end of a sentence that begins with what it is; null where nothing is. */
export function problemOfJson(value: unknown, maxBytes: number): string | null {
  const budget = { left: maxBytes }
  const problem = walk(value, budget, 0)
  if (problem) return problem
  return budget.left < 0 ? `larger than ${maxBytes.toLocaleString('en')} bytes` : null
}

function walk(value: unknown, budget: { left: number }, depth: number): string | null {
  switch (typeof value) {
    case 'string':
      return spend(value, budget)
    case 'number':
      budget.left -= 8
      return Number.isFinite(value) ? null : `not JSON: it contains ${value}`
    case 'boolean':
    case 'undefined':
      budget.left -= 4
      return null
    case 'object':
      break
    default:
      return `not JSON: it contains a ${typeof value}`
  }
  budget.left -= 2
  if (value === null) return null
  // A cycle is infinitely deep, so it ends here as well.
  if (depth === limits.jsonDepth) return `nested more than ${limits.jsonDepth} levels deep`
  if (Array.isArray(value)) return walkArray(value, budget, depth)
  return walkObject(value as Record<string, unknown>, budget, depth)
}

function walkArray(values: readonly unknown[], budget: { left: number }, depth: number): string | null {
  // A sparse array of a billion would be walked for a long time; an entry costs at least its comma.
  if (values.length > budget.left) budget.left = -1
  for (let index = 0; index < values.length && budget.left >= 0; index++) {
    const problem = walk(values[index], budget, depth + 1)
    if (problem) return problem
  }
  return null
}

function walkObject(value: Record<string, unknown>, budget: { left: number }, depth: number): string | null {
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    // An object of another realm (a vm, a worker) has another Object.prototype, and is as plain.
    if (Object.getPrototypeOf(prototype) !== null) return 'not JSON: it contains an object of a class'
  }
  for (const key in value) {
    if (budget.left < 0) return null
    // As an own key it is harmless here, and changes a prototype in whoever copies it by assignment.
    if (key === '__proto__') return 'not accepted: it has a key named __proto__'
    const problem = spend(key, budget) ?? walk(value[key], budget, depth + 1)
    if (problem) return problem
  }
  return null
}

function spend(text: string, budget: { left: number }): null {
  // Up to three bytes a character: counted exactly only where it could matter.
  const most = text.length * 3
  budget.left -= most + 3 < budget.left ? text.length + 3 : Buffer.byteLength(text) + 3
  return null
}
