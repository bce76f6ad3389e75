import type { Core } from '../core.ts'
import type { Block, Channel, Message, Session } from '../model.ts'
import { escapeHtml } from './escape-html.ts'
import { renderBlock } from './render-block.ts'
import { renderMrkdwn } from './render-text.ts'
import { style } from './style.ts'

const colours = ['#4a154b', '#1264a3', '#007a5a', '#b8600b', '#8b1a4b', '#3b5bdb']
const statusWords = {
  active: '',
  processing: 'is working… [Stop]',
  suspended: 'waits for an answer',
  closed: 'session closed',
}

/** A thread as one page without anything from elsewhere, so that people can look at what the app made of it. */
export function renderThread(
  core: Core,
  channel: Channel,
  messages: readonly Message[],
  session: Session | null,
): string {
  const words = session ? session.words || statusWords[session.status] : ''
  const name = channel.kind === 'im' ? 'Direct message' : `#${channel.name}`
  return page(
    `Thread in ${name}`,
    `<header>Thread <small>${escapeHtml(name)}${session?.title ? ` · ${escapeHtml(session.title)}` : ''}</small></header>
${messages.map((message) => renderMessage(core, message)).join('\n')}
${words ? `<div class="status">Quartermaster ${escapeHtml(words)}</div>` : ''}`,
  )
}

/** A view as a page: a modal with its buttons, or the Home tab. */
export function renderView(core: Core, view: Record<string, unknown> & { blocks: Block[] }): string {
  const title = String((view.title as { text?: string } | undefined)?.text ?? 'Home')
  const buttons = (['close', 'submit'] as const).flatMap((key) => {
    const text = (view[key] as { text?: string } | undefined)?.text
    return text ? [`<button class="${key === 'submit' ? 'primary' : ''}">${escapeHtml(text)}</button>`] : []
  })
  return page(
    title,
    `<header>${escapeHtml(title)}</header>${view.blocks.map((block) => renderBlock(core, block)).join('\n')}<div>${buttons.join('')}</div>`,
  )
}

function page(title: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style>
${body}
</html>
`
}

function renderMessage(core: Core, message: Message): string {
  const user = core.world.users.get(message.user)
  const name = message.username ?? user?.name ?? message.user
  const colour = colours[[...message.user].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % colours.length]
  const time = new Date(Number(message.ts) * 1000).toISOString().slice(11, 16)
  const content = message.blocks?.length
    ? message.blocks.map((block) => renderBlock(core, block)).join('\n')
    : `<div class="block">${renderMrkdwn(core, message.text)}</div>`
  const files = (message.files ?? []).map(
    (file) => `<span class="file">📄 ${escapeHtml(file.title)} <small>${file.content.length} bytes</small></span>`,
  )
  const reactions = (message.reactions ?? []).map(
    (reaction) => `<span class="reaction">:${escapeHtml(reaction.name)}: ${reaction.users.length}</span>`,
  )
  const stream = message.stream?.state === 'in_progress' ? '<div class="stream">▍ still writing</div>' : ''
  return `<article class="${message.ephemeralTo ? 'note' : ''}"><div class="face" style="background:${colour}">${escapeHtml(name.slice(0, 1))}</div><div class="body"><span class="name">${escapeHtml(name)}</span>${user?.isBot ? '<span class="app">APP</span>' : ''} <time>${time}</time>
${content}${stream}${files.join('')}${reactions.join('')}${message.edited ? '<small> (edited)</small>' : ''}</div></article>`
}
