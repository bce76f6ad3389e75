// What the registry's terms are called on its pages.
import type { ToolSource } from '@quartermaster/db'
import type { Tone } from '../../../components/tag.tsx'

export const sourceWords: Record<ToolSource, string> = { builtin: 'Built in', manifest: 'Manifest', mcp: 'MCP' }

export const effectWords = {
  read: { word: 'reads', tone: 'mute' },
  write: { word: 'writes', tone: 'accent' },
  execute: { word: 'executes', tone: 'warn' },
  send: { word: 'sends', tone: 'wait' },
} as const satisfies Record<string, { word: string; tone: Tone }>

export const hookWords = {
  confirm: 'Ask a person',
  log: 'Run, and mark it in the log',
  silent: 'Just run',
} as const

const categories: Record<string, string> = {
  code: 'Code',
  filesystem: 'Files',
  git: 'Git',
  media: 'Media',
  people: 'People',
  runtime: 'Programs',
  session: 'Sessions',
  system: 'System',
  web: 'Web',
}

export const categoryWord = (category: string) =>
  categories[category] ?? `${category.charAt(0).toUpperCase()}${category.slice(1)}`
