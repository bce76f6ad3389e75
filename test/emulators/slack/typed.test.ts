import { expect, test } from 'vitest'
import { typed } from './typed.ts'

test.each([
  ['a < b && c > d', 'a &lt; b &amp;&amp; c &gt; d'],
  ['a &lt; b', 'a &lt; b'],
  ['<@U1> see https://a.example/?x=1&y=2 now', '<@U1> see <https://a.example/?x=1&amp;y=2> now'],
  ['<script>', '&lt;script&gt;'],
])('what is typed as %j is stored as %j', (words, text) => {
  expect(typed(words).text).toBe(text)
})

test('the same comes as rich text, with mentions and links of their own', () => {
  expect(typed('<@U1> a &lt; b in <#C1> https://a.example').blocks[0]?.elements).toEqual([
    {
      type: 'rich_text_section',
      elements: [
        { type: 'user', user_id: 'U1' },
        { type: 'text', text: ' a < b in ' },
        { type: 'channel', channel_id: 'C1' },
        { type: 'text', text: ' ' },
        { type: 'link', url: 'https://a.example' },
      ],
    },
  ])
})
