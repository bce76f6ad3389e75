import { type Block, markdownToBlocks } from './markdown-to-blocks.ts'

/**
 * A model's answer as a rich message. Telegram's Markdown may hold any HTML, buttons and pictures included, and a model
 * may have been talked into writing some: a button that approves, a picture whose address carries a secret away. Where
 * there is anything that could be read as such, even in code, Telegram does not get to read it: we send its blocks.
 */
export function richMessage(markdown: string): { markdown: string } | { blocks: Block[] } {
  return mayHoldMarkup.test(markdown) ? { blocks: markdownToBlocks(markdown) } : { markdown }
}

/** Looser than any parser on purpose: what it takes for markup by mistake comes out as well as ever. */
const mayHoldMarkup = /<\s*[a-z/!?]|!\[|tg:/i
