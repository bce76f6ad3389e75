import { escapeHtml, renderBlock, renderEntities } from './render-text.ts'
import type { SeenButton, SeenChat, SeenMessage } from './seen-chat.ts'

const style = `
  * { box-sizing: border-box } body { margin: 0; min-height: 100vh; background: #8ebd8e linear-gradient(160deg, #9cc59a, #d4ddb1 45%, #7fb3a1); font: 15px/1.4 system-ui, sans-serif; color: #111 }
  header { position: sticky; top: 0; background: #fff; padding: 10px 20px; box-shadow: 0 1px 2px #0003 } header small { display: block; color: #3390ec }
  main { max-width: 720px; margin: 0 auto; padding: 16px; display: flex; flex-direction: column; gap: 6px }
  article { max-width: 82%; align-self: flex-start } article.own { align-self: flex-end }
  .bubble { background: #fff; border-radius: 14px 14px 14px 4px; padding: 6px 10px; box-shadow: 0 1px 1px #0002; overflow-wrap: anywhere; display: flow-root }
  .own .bubble { background: #eeffde; border-radius: 14px 14px 4px 14px } .draft .bubble { opacity: .7; border: 1px dashed #3390ec }
  .name { color: #3390ec; font-weight: 600; font-size: 13px } .reply { border-left: 3px solid #3390ec; padding-left: 8px; color: #555; font-size: 13px }
  .meta { float: right; margin: 6px 0 0 10px; color: #8a9aa5; font-size: 11px } .service { align-self: center; background: #0005; color: #fff; border-radius: 12px; padding: 2px 10px; font-size: 13px }
  .reaction { display: inline-block; background: #3390ec22; border-radius: 10px; padding: 1px 7px; margin-top: 3px }
  .file { display: flex; gap: 8px; align-items: center } .file b { background: #3390ec; color: #fff; border-radius: 50%; width: 36px; height: 36px; display: grid; place-items: center }
  .row { display: flex; gap: 4px; margin-top: 4px } .button { flex: 1; text-align: center; padding: 7px; border-radius: 8px; background: #4a7a5a99; color: #fff; font-size: 14px }
  .primary { background: #3390ec } .danger { background: #e0453a } .success { background: #35a852 } .disabled { opacity: .45 }
  pre { background: #f3f4f6; padding: 8px; border-radius: 6px; overflow: auto; white-space: pre-wrap } code { color: #b0365b } a { color: #3390ec }
  blockquote { border-left: 3px solid #3390ec; margin: 4px 0; padding-left: 8px } p, h1, h2, h3, h4, h5, h6 { margin: 4px 0 } table { border-collapse: collapse } td, th { border: 1px solid #ddd; padding: 3px 8px }
  ul { list-style: none; margin: 4px 0; padding: 0 } li { display: flex; gap: 4px } li p { margin: 0 }`

/** A chat as a page that looks like Telegram and needs nothing else: no script, no font, no picture from elsewhere. */
export function renderChat(chat: SeenChat): string {
  const status = chat.actions.includes('typing') ? 'typing…' : chat.isGroup ? 'group' : 'bot'
  const byId = new Map(chat.messages.map((message) => [message.id, message]))
  return [
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(chat.title)}</title>`,
    `<style>${style}</style><header><b>${escapeHtml(chat.title)}</b><small>${status}</small></header><main>`,
    ...chat.messages.map((message) => renderMessage(message, chat.isGroup, byId)),
    ...chat.drafts.map(
      ({ text, canStop }) =>
        `<article class="draft"><div class="bubble">${escapeHtml(text || 'Thinking…')}</div>${canStop ? renderRow([{ label: '■ Stop', isDisabled: false }]) : ''}</article>`,
    ),
    '</main></html>',
  ].join('\n')
}

function renderMessage(message: SeenMessage, isGroup: boolean, byId: Map<number, SeenMessage>): string {
  if (message.kind === 'service') return `<div class="service">${escapeHtml(`${message.from} ${message.text}`)}</div>`
  const replied = message.replyTo === undefined ? undefined : byId.get(message.replyTo)
  const time = new Date(message.date * 1000).toISOString().slice(11, 16)
  return [
    `<article class="${message.isBot ? 'bot' : 'own'}"><div class="bubble">`,
    isGroup ? `<div class="name">${escapeHtml(message.from)}</div>` : '',
    replied ? `<div class="reply">${escapeHtml(replied.text.slice(0, 80))}</div>` : '',
    message.fileId
      ? `<div class="file"><b>${message.kind === 'photo' ? '▣' : '↓'}</b>${escapeHtml(message.fileName ?? message.kind)}</div>`
      : '',
    renderBody(message),
    message.reaction ? `<div class="reaction">${escapeHtml(message.reaction)}</div>` : '',
    `<span class="meta">${message.isEdited ? 'edited ' : ''}${time}</span></div>`,
    ...message.keyboard.map(renderRow),
    '</article>',
  ].join('')
}

function renderBody({ message, text }: SeenMessage): string {
  if (message.rich_message) return message.rich_message.blocks.map(renderBlock).join('')
  return renderEntities(text, message.entities ?? message.caption_entities)
}

function renderRow(row: readonly SeenButton[]): string {
  const buttons = row.map(
    ({ label, style: color = '', isDisabled }) =>
      `<span class="button ${color} ${isDisabled ? 'disabled' : ''}">${escapeHtml(label)}</span>`,
  )
  return `<div class="row">${buttons.join('')}</div>`
}
