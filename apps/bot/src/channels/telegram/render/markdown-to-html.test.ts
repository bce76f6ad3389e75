import { expect, test } from 'vitest'
import { htmlPieces } from './html-pieces.ts'
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
  expect(markdownToHtml(everything, 'rich')).toBe(
    [
      '<h1>A <i>title</i></h1>',
      '<p>Some <b>bold</b>, <i>slanted</i>, <s>gone</s> and <code>a &lt; b</code>, ',
      '<a href="https://example.com/?a=1&amp;b=&quot;2&quot;">a link</a>.</p>',
      '<ul><li>one</li><li>two<ul><li>inner</li></ul></li><li><input type="checkbox" checked>done</li></ul>',
      '<ol start="3"><li>three</li><li>four</li></ol>',
      '<blockquote><p>quoted</p><blockquote><p>deeper</p></blockquote></blockquote>',
      '<pre><code class="language-ts">const a = 1 &lt; 2</code></pre>',
      '<table bordered><tr><th>a</th><th align="right">b</th></tr><tr><td>1</td><td align="right"><b>2</b></td></tr></table>',
      '<hr/>',
    ].join(''),
  )
})

test('an ordinary message draws them', () => {
  const html = markdownToHtml(everything, 'plain')
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
  if (!('html' in message)) throw new Error('expected HTML')
  expect(message.html).not.toMatch(/<(tg-|img|!--)|href="tg:/)
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
