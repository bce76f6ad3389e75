import type { Core } from '../core.ts'
import { optionsOf, textOf } from '../elements.ts'
import type { Json } from '../model.ts'
import { escapeHtml } from './escape-html.ts'
import { renderMarkdown, renderRichText, renderText } from './render-text.ts'

/** A button shows about this much of its text. */
const shownOnButton = 30
const icons: Record<string, string> = { pending: '○', in_progress: '◌', complete: '✓', error: '✕' }

export function renderBlock(core: Core, block: Json): string {
  const draw = drawings[String(block.type)]
  return draw
    ? `<div class="block ${block.type}">${draw(core, block)}</div>`
    : `<div class="block">[${escapeHtml(String(block.type))}]</div>`
}

export function renderElement(core: Core, element: Json): string {
  const type = String(element.type)
  if (type === 'button' || type === 'icon_button') return renderButton(element, String(element.style ?? ''))
  if (type === 'feedback_buttons')
    return ['positive_button', 'negative_button'].map((half) => renderButton(element[half] as Json, 'quiet')).join('')
  if (type === 'image') return `<span class="image">${escapeHtml(String(element.alt_text))}</span>`
  if (type === 'checkboxes' || type === 'radio_buttons') {
    const input = type === 'checkboxes' ? 'checkbox' : 'radio'
    return optionsOf(element)
      .map(
        ({ text, description }) =>
          `<label class="choice"><input type="${input}"> ${renderText(core, text)} <small>${renderText(core, description)}</small></label>`,
      )
      .join('')
  }
  if (type.endsWith('select') || type === 'overflow') {
    const first = `<option>${escapeHtml(textOf(element.placeholder) || '…')}`
    return `<select>${first}${optionsOf(element)
      .map(({ text }) => `<option>${renderText(core, text)}`)
      .join('')}</select>`
  }
  if (type.endsWith('input')) {
    const value = escapeHtml(String(element.initial_value ?? ''))
    return element.multiline ? `<textarea rows="4">${value}</textarea>` : `<input type="text" value="${value}">`
  }
  return `<span class="image">${escapeHtml(type)}</span>`
}

function renderButton(element: Json, style: string): string {
  const text = textOf(element.text)
  const shown = text.length > shownOnButton ? `${text.slice(0, shownOnButton)}…` : text
  return `<button class="${style}" title="${escapeHtml(text)}">${escapeHtml(shown)}</button>`
}

type Draw = (core: Core, block: Json) => string
const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : [])
const elements: Draw = (core, block) =>
  list(block.elements)
    .map((element) => renderElement(core, element))
    .join('')

const table: Draw = (core, block) => {
  const cell = (value: Json) => (value.type === 'rich_text' ? renderRichText(core, value) : escapeHtml(textOf(value)))
  const rows = (block.rows as Json[][]).map((row, index) => {
    const tag = index ? 'td' : 'th'
    return `<tr>${row.map((value) => `<${tag}>${cell(value)}</${tag}>`).join('')}</tr>`
  })
  return `<table>${rows.join('')}</table>`
}

const task: Draw = (core, block) => {
  const more = [block.details, block.output].map((value) => renderRichText(core, value)).filter(Boolean)
  const status = String(block.status)
  return `<div class="task ${status}"><b class="icon">${icons[status]}</b> ${escapeHtml(String(block.title))}${more.map((html) => `<div class="more">${html}</div>`).join('')}</div>`
}

const drawings: Record<string, Draw> = {
  section(core, block) {
    const fields = list(block.fields).map((field) => `<div>${renderText(core, field)}</div>`)
    const accessory = block.accessory
      ? `<div class="accessory">${renderElement(core, block.accessory as Json)}</div>`
      : ''
    return `<div class="text">${renderText(core, block.text)}${fields.length ? `<div class="fields">${fields.join('')}</div>` : ''}</div>${accessory}`
  },
  header: (core, block) => `<h2>${renderText(core, block.text)}</h2>`,
  divider: () => '<hr>',
  markdown: (_, block) => renderMarkdown(String(block.text)),
  rich_text: (core, block) => renderRichText(core, block),
  context: (core, block) =>
    list(block.elements)
      .map((element) => (element.type === 'image' ? renderElement(core, element) : renderText(core, element)))
      .join(' '),
  actions: elements,
  context_actions: elements,
  image: (_, block) => `<span class="image big">${escapeHtml(String(block.alt_text))}</span>`,
  input: (core, block) =>
    `<label><b>${renderText(core, block.label)}</b>${renderElement(core, block.element as Json)}</label><small>${renderText(core, block.hint)}</small>`,
  alert: (core, block) =>
    `<div class="${escapeHtml(String(block.level ?? 'default'))}">${renderText(core, block.text)}</div>`,
  card(core, block) {
    const actions = list(block.actions).map((element) => renderElement(core, element))
    return `<b>${renderText(core, block.title)}</b><div class="quiet">${renderText(core, block.subtitle)}</div><div>${renderText(core, block.body)}</div><div>${actions.join('')}</div>`
  },
  carousel: (core, block) =>
    list(block.elements)
      .map((card) => renderBlock(core, card))
      .join(''),
  container: (core, block) =>
    `<b>${renderText(core, block.title)}</b> <span class="quiet">${renderText(core, block.subtitle)}</span>${list(
      block.child_blocks,
    )
      .map((child) => renderBlock(core, child))
      .join('')}`,
  table,
  data_table: (core, block) => `<b>${escapeHtml(String(block.caption))}</b>${table(core, block)}`,
  task_card: task,
  plan: (core, block) =>
    `<b>${escapeHtml(String(block.title))}</b>${list(block.tasks)
      .map((each) => task(core, each))
      .join('')}`,
}
