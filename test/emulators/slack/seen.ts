import type { Core } from './core.ts'
import { findControls, optionsOf, textOf } from './elements.ts'
import type { Block, Json, Message } from './model.ts'

/** A button as a person sees it. */
export interface SeenButton {
  text: string
  actionId: string
  value?: string
  style?: string
  url?: string
  confirm?: Json
}

/** A message as a person sees it. */
export interface SeenMessage {
  channel: string
  ts: string
  /** Who wrote it, by id and by name. */
  user: string
  from: string
  /** All that can be read, in order, one line a block. */
  text: string
  /** What a notification would say. */
  fallback: string
  blocks: Block[]
  buttons: SeenButton[]
  /** Menus, radio buttons and checkboxes with what can be chosen. */
  menus: { actionId: string; type: string; options: string[] }[]
  tasks: { title: string; status: string }[]
  files: { id: string; name: string; mimetype: string; content: Buffer }[]
  streaming: 'in_progress' | 'completed' | 'errored' | null
  edited: boolean
  metadata: Message['metadata'] | null
  reactions: string[]
}

export function see(core: Core, message: Message): SeenMessage {
  const blocks = message.blocks ?? []
  const controls = findControls(blocks)
  const shown = blocks.length
    ? blocks
        .map((block) => blockText(core, block))
        .filter(Boolean)
        .join('\n')
    : mentions(core, message.text)
  return {
    channel: message.channel,
    ts: message.ts,
    user: message.user,
    from: message.username ?? core.world.users.get(message.user)?.name ?? message.user,
    text: shown,
    fallback: message.text,
    blocks,
    buttons: controls
      .filter(({ element }) => ['button', 'feedback_buttons', 'icon_button'].includes(String(element.type)))
      .map(({ element, label, half }) => {
        const { action_id, value, style, url, confirm } = {
          ...element,
          ...(half ? (element[half] as Json) : {}),
        } as Json
        return {
          text: label,
          actionId: String(action_id),
          ...(value === undefined ? {} : { value: String(value) }),
          ...(style ? { style: String(style) } : {}),
          ...(url ? { url: String(url) } : {}),
          ...(confirm ? { confirm: confirm as Json } : {}),
        }
      }),
    menus: controls
      .filter(({ element }) => /select$|^checkboxes$|^radio_buttons$|^overflow$/.test(String(element.type)))
      .map(({ element }) => ({
        actionId: String(element.action_id),
        type: String(element.type),
        options: optionsOf(element).map(({ text }) => textOf(text)),
      })),
    tasks: blocks
      .flatMap((block) => (block.type === 'plan' ? (block.tasks as Json[]) : block.type === 'task_card' ? [block] : []))
      .map((task) => ({ title: String(task.title), status: String(task.status) })),
    files: (message.files ?? []).map(({ id, name, mimetype, content }) => ({ id, name, mimetype, content })),
    streaming: message.stream?.state ?? null,
    edited: Boolean(message.edited),
    metadata: message.metadata ?? null,
    reactions: (message.reactions ?? []).map(({ name }) => name),
  }
}

/** Names instead of ids, as a client shows them; of a moment the fallback, which no time zone changes. */
export function mentions(core: Core, text: string): string {
  return text
    .replace(/<@(\w+)(?:\|[^>]*)?>/g, (_, id: string) => `@${core.world.users.get(id)?.name ?? id}`)
    .replace(/<#(\w+)(?:\|[^>]*)?>/g, (_, id: string) => `#${core.world.channels.get(id)?.name ?? id}`)
    .replace(/<!date\^[^|>]*\|([^>]*)>/g, '$1')
    .replace(/<(https?:[^|>]+)\|([^>]+)>/g, '$2 ($1)')
    .replace(/<(https?:[^>]+)>/g, '$1')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
}

/** What can be read of a block; what can only be clicked is not part of it. */
export function blockText(core: Core, block: Json): string {
  const text = (value: unknown) => {
    const raw = textOf(value)
    return (value as Json | undefined)?.type === 'mrkdwn' ? mentions(core, raw) : raw
  }
  const lines = (values: unknown[]) => values.filter(Boolean).join('\n')
  switch (block.type) {
    case 'section':
      return lines([text(block.text), ...((block.fields as Json[] | undefined) ?? []).map(text)])
    case 'header':
    case 'alert':
      return text(block.text)
    case 'markdown':
      return String(block.text)
    case 'context':
      return (block.elements as Json[])
        .map((element) => (element.type === 'image' ? String(element.alt_text) : text(element)))
        .join(' ')
    case 'image':
      return `[${block.alt_text}]`
    case 'card':
      return lines([text(block.title), text(block.subtitle), text(block.body)])
    case 'carousel':
      return lines((block.elements as Json[]).map((card) => blockText(core, card)))
    case 'container':
      return lines([
        text(block.title),
        text(block.subtitle),
        ...(block.child_blocks as Json[]).map((child) => blockText(core, child)),
      ])
    case 'task_card':
      return lines([`[${block.status}] ${block.title}`, richText(core, block.details), richText(core, block.output)])
    case 'plan':
      return lines([block.title, ...((block.tasks as Json[] | undefined) ?? []).map((task) => blockText(core, task))])
    case 'table':
    case 'data_table':
      return (block.rows as Json[][])
        .map((row) => row.map((cell) => (cell.type === 'rich_text' ? richText(core, cell) : textOf(cell))).join(' | '))
        .join('\n')
    case 'rich_text':
      return richText(core, block)
    case 'input':
      return text(block.label)
    case 'divider':
      return ''
    default:
      return ''
  }
}

function richText(core: Core, value: unknown): string {
  if (!value) return ''
  const { elements = [], text, type, url, user_id, channel_id } = value as { elements?: unknown[] } & Json
  if (type === 'user') return mentions(core, `<@${user_id}>`)
  if (type === 'channel') return mentions(core, `<#${channel_id}>`)
  if (text !== undefined || url !== undefined) return String(text ?? url)
  return elements
    .map((element) => richText(core, element))
    .join(type === 'rich_text' || type === 'rich_text_list' ? '\n' : '')
}
