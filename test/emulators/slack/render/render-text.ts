import { Marked } from 'marked'
import type { Core } from '../core.ts'
import type { Json } from '../model.ts'
import { mentions } from '../seen.ts'
import { escapeHtml } from './escape-html.ts'

/** Markdown of a `markdown` block; HTML in it is shown as text, as Slack does. */
const marked = new Marked({ gfm: true, breaks: true, renderer: { html: ({ text }) => escapeHtml(text) } })

export function renderMarkdown(text: string): string {
  return `<div class="md">${marked.parse(text, { async: false })}</div>`
}

/** Stands where something that is finished will be put back; no text has it. */
const mark = '\uE000'

/** Slack's own markup, in as far as one needs it to look at a card. */
export function renderMrkdwn(core: Core, text: string): string {
  const done: string[] = []
  const keep = (html: string) => `${mark}${done.push(html) - 1}${mark}`
  const linked = text
    .replace(/<[@#][^>]*>/g, (mention) => keep(`<span class="mention">${escapeHtml(mentions(core, mention))}</span>`))
    .replace(/<(https?:[^|>]+)(?:\|([^>]+))?>/g, (_, url: string, words = url) =>
      keep(`<a href="${escapeHtml(url)}">${escapeHtml(words)}</a>`),
    )
  return escapeHtml(mentions(core, linked))
    .replace(/```\n?([\s\S]*?)```/g, (_, inner: string) => keep(`<pre>${inner}</pre>`))
    .replace(/`([^`\n]+)`/g, (_, inner: string) => keep(`<code>${inner}</code>`))
    .replace(/(^|[\s(])\*([^*\n]+)\*/gm, '$1<b>$2</b>')
    .replace(/(^|[\s(])_([^_\n]+)_/gm, '$1<i>$2</i>')
    .replace(/(^|[\s(])~([^~\n]+)~/gm, '$1<s>$2</s>')
    .replace(/^&gt; ?(.*)$/gm, '<blockquote>$1</blockquote>')
    .replace(/\n/g, '<br>')
    .replace(/\uE000(\d+)\uE000/g, (_, index: string) => done[Number(index)] as string)
}

/** A text object, or a string. */
export function renderText(core: Core, value: unknown): string {
  if (typeof value === 'string') return escapeHtml(value)
  const { type, text } = (value ?? {}) as Json
  if (typeof text !== 'string') return ''
  return type === 'mrkdwn' ? renderMrkdwn(core, text) : escapeHtml(text).replace(/\n/g, '<br>')
}

export function renderRichText(core: Core, value: unknown): string {
  const element = (value ?? {}) as Json
  const inner = () =>
    ((element.elements as unknown[] | undefined) ?? []).map((each) => renderRichText(core, each)).join('')
  switch (element.type) {
    case 'rich_text_list':
      return `<ul>${((element.elements as unknown[]) ?? []).map((each) => `<li>${renderRichText(core, each)}</li>`).join('')}</ul>`
    case 'rich_text_preformatted':
      return `<pre>${inner()}</pre>`
    case 'rich_text_quote':
      return `<blockquote>${inner()}</blockquote>`
    case 'user':
      return `<span class="mention">@${escapeHtml(core.world.users.get(String(element.user_id))?.name ?? '')}</span>`
    case 'link':
      return `<a href="${escapeHtml(String(element.url))}">${escapeHtml(String(element.text ?? element.url))}</a>`
    case 'text':
      return renderStyled(core, element)
    default:
      return inner()
  }
}

function renderStyled(core: Core, { text, style }: Json): string {
  const { bold, italic, strike, code } = (style ?? {}) as Record<string, boolean>
  let html = escapeHtml(mentions(core, String(text))).replace(/\n/g, '<br>')
  if (code) html = `<code>${html}</code>`
  if (bold) html = `<b>${html}</b>`
  if (italic) html = `<i>${html}</i>`
  return strike ? `<s>${html}</s>` : html
}
