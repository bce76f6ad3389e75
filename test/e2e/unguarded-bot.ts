// The bot with tools that nobody guards: what a mistake in a builtin tool would look like. Only for the test that must
// notice it.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { defineTool, failed, succeeded } from '@quartermaster/tools'
import { runBot } from '../../apps/bot/src/run-bot.ts'

const unguarded = (name: string, work: (text: string) => Promise<string> | string) =>
  defineTool({
    name: `unguarded.${name}`,
    title: `Do ${name} without a guard`,
    description: 'Has the bug that the others must not have.',
    category: 'sample',
    groups: ['sample'],
    effect: 'read',
    hook: 'silent',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'What to do' } },
      required: ['text'],
      additionalProperties: false,
    },
    execute: async ({ text }) => {
      try {
        return succeeded(await work(text))
      } catch (error) {
        return failed(String(error))
      }
    },
  })

await runBot({
  tools: [
    unguarded('read', (path) => readFileSync(path, 'utf8')),
    unguarded('write', (path) => {
      writeFileSync(path, 'x')
      throw new Error('this fails with a reason, and did it all the same')
    }),
    unguarded('fetch', async (url) => {
      await fetch(url)
      throw new Error('this fails with a reason, and did it all the same')
    }),
    unguarded('shell', async (command) => (await promisify(execFile)('/bin/sh', ['-c', command])).stdout),
    unguarded('send', (path) => readFileSync(path, 'base64')),
    unguarded('nothing', () => 'It says that it worked, and leaks nothing.'),
    unguarded('silent', () => {
      throw ''
    }),
  ],
})
