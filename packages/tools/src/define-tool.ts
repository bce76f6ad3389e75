import type { ArgumentsOf } from './arguments-of.ts'
import type { JSONSchema, Tool } from './contract.ts'

/**
 * A tool whose argument types follow from its schema:
 *
 *   defineTool({ name: 'echo', …, inputSchema: { type: 'object', properties: { text: { type: 'string' } },
 *     required: ['text'], additionalProperties: false }, execute: async ({ text }) => succeeded(text) })
 */
export function defineTool<const Schema extends JSONSchema>(
  tool: Omit<Tool<ArgumentsOf<Schema>>, 'inputSchema'> & { inputSchema: Schema },
): Tool<ArgumentsOf<Schema>> {
  return tool
}
