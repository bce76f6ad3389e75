import { describe, expect, test } from 'vitest'
import { processorMs } from '../../testing/processor-time.ts'
import { htmlToText } from './html-to-text.ts'

const textOf = (html: string) => htmlToText(html, 'https://example.com/dir/page').text

test('a page becomes headings, paragraphs, lists, links, code and tables', () => {
  const page = `<!doctype html><html><head><title>A &amp; B</title><style>p { color: red }</style></head><body>
    <nav><a href="/home">Home</a></nav>
    <h1>Ready  <em>reckoner</em></h1><p>First line,<br>second&nbsp;line. See <a href="../other?a=1&amp;b=2">the other</a>.</p>
    <ul><li>one</li><li>two <b>bold</b></ul><pre>  let x =
    1 &lt; 2</pre><table><tr><th>Name<th>Age</tr><tr><td>Ada</td><td>36</td></tr></table>
    <img src=x alt="a cat"><script>alert("<p>no</p>")</script></body></html>`
  expect(htmlToText(page, 'https://example.com/dir/page')).toEqual({
    title: 'A & B',
    text: [
      '# Ready reckoner',
      '',
      'First line,\nsecond line. See [the other](https://example.com/other?a=1&b=2).',
      '',
      '- one\n- two bold',
      '',
      '```\n  let x =\n    1 < 2\n```',
      '',
      'Name | Age\nAda | 36',
      '',
      '![a cat]',
    ].join('\n'),
  })
})

describe('what people do not see is left out', () => {
  test.each([
    '<div hidden>x</div>',
    '<div style="display:none">x</div>',
    '<div style="color:red; Display : None">x</div>',
    '<span style="font-size:0">x</span>',
    '<span aria-hidden="true">x</span>',
    '<div hidden><div>x</div>x</div>',
    '<!-- x -->',
    '<script>x</script>',
    '<template>x</template>',
    '<noscript>x</noscript>',
  ])('%s', (html) => expect(textOf(`<p>before</p>${html}<p>after</p>`)).toBe('before\n\nafter'))
  test('and what they see is not', () =>
    expect(textOf('<p style="font-size:0.9em; opacity:0.5">seen</p>')).toBe('seen'))
})

describe('whatever a page is made of', () => {
  test.each([
    ['<', '<'],
    ['a < b', 'a < b'],
    ['<p>open', 'open'],
    ['text <a href="unclosed', 'text'],
    ['<script>never closed', ''],
    ['<!-- never closed', ''],
    ['</p></p></li></a></pre>x', 'x'],
    ['<a href="javascript:alert(1)">x</a>', 'x'],
    ['<a href="http://[bad">x</a>', 'x'],
    ['<a href=/b>x</a>', '[x](https://example.com/b)'],
    ['<a href="/b"></a>x', 'x'],
    ['<p title="a > b">x</p>', 'x'],
    ['&#0;&#xD800;&#x110000;&unknown;&constructor;&#65;&eacute', '\ufffd\ufffd\ufffd&unknown;&constructor;Aé'],
    ['', ''],
  ])('%j reads %j', (html, text) => expect(textOf(html)).toBe(text))

  test.each([
    '<',
    '<a ',
    '<a href="',
    '<div hidden>',
    '<script>',
    '<!--',
    '&',
    '&#',
    '</',
    '<a><b>',
    '<p x=',
    "<p '",
    '<pre>',
    '<li>',
    '<title>',
  ])('a megabyte of %j is read in time', (piece) => {
    expect(processorMs(() => void textOf(piece.repeat(1_000_000 / piece.length)))).toBeLessThan(3_000)
  })
})
