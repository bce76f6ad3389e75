import { type AnyTool, failed } from '../contract.ts'
import { type BuiltinPorts, createBuiltinTools } from './index.ts'

/**
 * The builtin tools for whoever only looks at them: their schemas, summaries and versions are those of the real ones.
 * They run nothing, and need nothing from outside.
 */
export function describeBuiltinTools(): AnyTool[] {
  return createBuiltinTools(refusing).map((tool) => ({
    ...tool,
    ...(tool.complete ? { complete: (args: object) => acceptCompleted(tool, args) } : {}),
    execute: async () => failed(`'${tool.name}' is only described here.`),
  }))
}

/**
 * A call that is looked at was completed where it was asked for. What was filled in and is not there any more only the
 * machine that runs it could fill in again.
 */
async function acceptCompleted({ completes = [] }: AnyTool, args: object) {
  const missing = completes.filter((name) => !(name in args))
  return missing.length === 0
    ? { ok: true as const, arguments: args }
    : {
        ok: false as const,
        problem: `Say what it is to have for ${missing.join(' and ')}; only the bot can fill it in.`,
      }
}

/** A factory keeps its ports for later. One that uses them at once, or a tool that gets through to them, fails. */
const refusing = {
  ...Object.fromEntries(
    [
      'files',
      'folders',
      'notes',
      'chatFiles',
      'memories',
      'senses',
      'sessions',
      'sandbox',
      'processes',
      'outbound',
      'browser',
    ].map((name) => [
      name,
      new Proxy(
        {},
        {
          get() {
            throw new Error(`${name} cannot be used where tools are only described`)
          },
        },
      ),
    ]),
  ),
  search: null,
} as unknown as BuiltinPorts
