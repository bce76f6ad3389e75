// Tools and sources for the tests of this folder.
import type { AnyTool } from '../contract.ts'
import type { ToolSource } from './policy.ts'

export const tool = (name: string, more: Partial<AnyTool> = {}): AnyTool => ({
  name,
  title: name,
  description: name,
  category: 'test',
  inputSchema: { type: 'object' },
  effect: 'read',
  execute: async () => ({ success: true, output: '' }),
  ...more,
})

export const source = (...tools: readonly (AnyTool | string)[]): ToolSource => {
  const list = tools.map((one) => (typeof one === 'string' ? tool(one) : one))
  return { version: 1, list: () => list }
}
