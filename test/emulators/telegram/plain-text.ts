import type { RichBlock, RichText } from 'grammy/types'

/** What is left of rich text when it is read aloud. */
export function plainText(text: RichText | undefined): string {
  if (text === undefined) return ''
  if (typeof text === 'string') return text
  if (Array.isArray(text)) return text.map(plainText).join('')
  if (text.type === 'button') return `[${plainText(text.button.text)}]`
  const loose = text as { text?: RichText; expression?: string }
  return loose.text === undefined ? (loose.expression ?? '') : plainText(loose.text)
}

export function plainBlock(block: RichBlock): string {
  switch (block.type) {
    case 'list':
      return block.items
        .map((item) => {
          const box = item.has_checkbox ? (item.is_checked ? '☑ ' : '☐ ') : ''
          return `${item.label} ${box}${item.blocks.map(plainBlock).join('\n')}`
        })
        .join('\n')
    case 'table':
      return block.cells.map((row) => row.map(({ text }) => plainText(text)).join(' | ')).join('\n')
    case 'divider':
      return '———'
    case 'details':
      return [plainText(block.summary), ...block.blocks.map(plainBlock)].join('\n')
    default: {
      const loose = block as unknown as {
        text?: RichText
        blocks?: RichBlock[]
        expression?: string
        buttons?: { text: RichText }[]
      }
      if (loose.blocks) return loose.blocks.map(plainBlock).join('\n')
      if (loose.buttons) return loose.buttons.map(({ text }) => `[${plainText(text)}]`).join(' ')
      return loose.text === undefined ? (loose.expression ?? '') : plainText(loose.text)
    }
  }
}
