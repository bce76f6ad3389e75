import { expect, test } from 'vitest'
import { htmlPieces } from './html-pieces.ts'
import { markdownToBlocks } from './markdown-to-blocks.ts'
import { markdownToHtml } from './markdown-to-html.ts'
import { richMessage } from './rich-message.ts'

const everything = [
  '# A *title*',
  'Some **bold**, _slanted_, ~~gone~~ and `a < b`, [a link](https://example.com/?a=1&b="2").',
  '- one\n- two\n  - inner\n- [x] done',
  '3. three\n4. four',
  '> quoted\n> > deeper',
  '```ts\nconst a = 1 < 2\n```',
  '| a | b |\n|---|--:|\n| 1 | **2** |',
  '---',
].join('\n\n')

test('a rich message has headings, lists and tables', () => {
  expect(markdownToBlocks(everything)).toEqual([
    { type: 'heading', size: 1, text: ['A ', { type: 'italic', text: 'title' }] },
    {
      type: 'paragraph',
      text: [
        'Some ',
        { type: 'bold', text: 'bold' },
        ', ',
        { type: 'italic', text: 'slanted' },
        ', ',
        { type: 'strikethrough', text: 'gone' },
        ' and ',
        { type: 'code', text: 'a < b' },
        ', ',
        { type: 'url', text: 'a link', url: 'https://example.com/?a=1&b="2"' },
        '.',
      ],
    },
    {
      type: 'list',
      items: [
        { blocks: [{ type: 'paragraph', text: 'one' }] },
        {
          blocks: [
            { type: 'paragraph', text: 'two' },
            { type: 'list', items: [{ blocks: [{ type: 'paragraph', text: 'inner' }] }] },
          ],
        },
        { blocks: [{ type: 'paragraph', text: 'done' }], has_checkbox: true, is_checked: true },
      ],
    },
    {
      type: 'list',
      items: [
        { blocks: [{ type: 'paragraph', text: 'three' }], type: '1', value: 3 },
        { blocks: [{ type: 'paragraph', text: 'four' }], type: '1', value: 4 },
      ],
    },
    {
      type: 'blockquote',
      blocks: [
        { type: 'paragraph', text: 'quoted' },
        { type: 'blockquote', blocks: [{ type: 'paragraph', text: 'deeper' }] },
      ],
    },
    { type: 'pre', text: 'const a = 1 < 2', language: 'ts' },
    {
      type: 'table',
      is_bordered: true,
      cells: [
        [
          { text: 'a', align: 'left', valign: 'top', is_header: true },
          { text: 'b', align: 'right', valign: 'top', is_header: true },
        ],
        [
          { text: '1', align: 'left', valign: 'top' },
          { text: { type: 'bold', text: '2' }, align: 'right', valign: 'top' },
        ],
      ],
    },
    { type: 'divider' },
  ])
})

test('an ordinary message draws them', () => {
  const html = markdownToHtml(everything)
  expect(html).toContain('<b>A <i>title</i></b>')
  expect(html).toContain('• one\n• two\n   • inner\n☑ done')
  expect(html).toContain('3. three\n4. four')
  expect(html).toContain('<pre>a | b\n--|--\n1 | 2</pre>')
  expect(html.match(/<blockquote>/g)).toHaveLength(1)
})

test.each([
  '<tg-button type="callback_data" data="q:1:approve">Look</tg-button>',
  'a <tg-button type="callback_data" data="x">b</tg-button>',
  '<img src="https://evil.example/?secret">',
  '![picture](https://evil.example/?secret)',
  '> - `x` <tg-button\n> type="url">',
  '```\nunclosed <tg-button>',
  '[x](tg://user?id=1)',
  '<!-- hidden -->',
])('what could be markup of Telegram is never left to Telegram to read: %s', (markdown) => {
  const message = richMessage(markdown)
  if (!('blocks' in message)) throw new Error('expected blocks')
  expect(JSON.stringify(message.blocks)).not.toMatch(/"type":"(button|buttons|photo|mention|text_mention)"|"url":"tg:/)
  for (const piece of htmlPieces(markdown)) expect(piece).not.toMatch(/<(tg-|img|!--)|href="tg:/)
})

test('Markdown without any is left to Telegram', () => {
  expect(richMessage('**a** 1 < 2 `b`')).toEqual({ markdown: '**a** 1 < 2 `b`' })
})

test('pieces of a long text fit, keep every word, and close their tags', () => {
  const words = Array.from({ length: 4_000 }, (_, index) => `word${index}`)
  const pieces = htmlPieces(`**${words.slice(0, 200).join(' ')}**\n\n${words.slice(200).join(' ')}`)
  expect(pieces.length).toBeGreaterThan(5)
  for (const piece of pieces) expect(piece.length).toBeLessThan(4_096)
  const text = pieces.join(' ').replace(/<[^>]*>/g, '')
  for (const word of ['word0', 'word199', 'word200', 'word3999']) expect(text).toContain(word)
})

test('a table that is wider drawn than written is cut, not refused', () => {
  const row = `| ${Array.from({ length: 20 }, () => 'x').join(' | ')} |`
  const wide = `| ${Array.from({ length: 20 }, () => 'y'.repeat(24)).join(' | ')} |`
  const table = [row, row.replaceAll('x', '---'), wide, ...Array.from({ length: 25 }, () => row)].join('\n')
  for (const piece of htmlPieces(table)) expect(piece.replace(/<[^>]*>/g, '').length).toBeLessThanOrEqual(4_096)
})
