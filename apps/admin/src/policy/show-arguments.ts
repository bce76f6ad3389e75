import { toolKit } from '../tool-kit.ts'
import { telling } from '../trace/short-argument.ts'

const longest = 120

/** The arguments in a line: the one that tells most by itself, else all of them. */
export function showArguments(args: unknown): string {
  const record = args !== null && typeof args === 'object' ? (args as Record<string, unknown>) : {}
  const name = [...telling, 'code', 'message', 'expression'].find(
    (each) => typeof record[each] === 'string' && record[each] !== '',
  )
  const text = name ? (record[name] as string) : JSON.stringify(args)
  return toolKit.escapeForDisplay(text.length > longest ? `${text.slice(0, longest)}…` : text)
}
