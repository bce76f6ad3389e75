// Rich text is the one kind of block in which text is only text: nothing in it is read as markup, so what a card says
// is what will happen, and it can be copied as it is.
import { escapeForDisplay, escapeLinesForDisplay } from '@quartermaster/tools'
import type { RichTextBlock, RichTextBlockElement } from '@slack/types'
import { clip } from './clip.ts'

type Piece = { type: 'text'; text: string; style?: { bold?: boolean; strike?: boolean } }

export const bold = (text: string): Piece => ({ type: 'text', text, style: { bold: true } })
export const words = (text: string): Piece => ({ type: 'text', text })

/** One line of foreign text, as it is; what cannot be seen is shown as its code. */
export const oneLine = (text: string, length: number): string =>
  clip(escapeForDisplay(text.replace(/\s*\n\s*/g, ' ')), length)

export const line = (...pieces: Piece[]): RichTextBlockElement => ({ type: 'rich_text_section', elements: pieces })

/** Lines below each other, as one block. */
export const lines = (rows: readonly Piece[][]): RichTextBlock => ({
  type: 'rich_text',
  elements: [
    {
      type: 'rich_text_section',
      elements: rows.flatMap((row, index) => (index ? [words('\n'), ...row] : row)),
    },
  ],
})

/** Code, with its line breaks. */
export const code = (text: string, length: number): RichTextBlock => ({
  type: 'rich_text',
  elements: [
    {
      type: 'rich_text_preformatted',
      elements: [{ type: 'text', text: clip(escapeLinesForDisplay(text.replace(/\r\n?/g, '\n')), length) || ' ' }],
    },
  ],
})
