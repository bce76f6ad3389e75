import { markdownToHtml } from './markdown-to-html.ts'

/**
 * A model's answer as a rich message. Telegram's Markdown may hold any HTML, buttons and pictures included, and a model
 * may have been talked into writing some: a button that approves, a picture whose address carries a secret away. Where
 * there is anything that could be read as such, even in code, Telegram does not get to read it: we render it.
 */
export function richMessage(markdown: string): { markdown: string } | { html: string } {
  return mayHoldMarkup.test(markdown) ? { html: markdownToHtml(markdown, 'rich') } : { markdown }
}

/** Looser than any parser on purpose: what it takes for markup by mistake is rendered as well as ever. */
const mayHoldMarkup = /<\s*[a-z/!?]|!\[|tg:/i
