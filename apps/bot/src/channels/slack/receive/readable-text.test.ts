import { expect, test } from 'vitest'
import { mentionedUsers, readableText } from './readable-text.ts'

const names: Record<string, string> = { U1: 'Ann Lee' }
const read = (text: string) => readableText(text, { botUserId: 'UBOT', nameOf: (id) => names[id] ?? null })

test('the mention of the bot is gone, wherever it stands, and others are names', () => {
  expect(read('<@UBOT> please')).toBe('please')
  expect(read('please, <@UBOT>')).toBe('please,')
  expect(read('ask <@UBOT> about it')).toBe('ask about it')
  expect(read('<@UBOT|qm> <@U1> and <@U2|bob> and <@U3>')).toBe('@Ann Lee and @bob and @U3')
})

test('channels, groups, dates and links are readable', () => {
  expect(read('<#C1|general> <#C2> <!here> <!subteam^S1|@ops> <!date^1^{date}|Monday>')).toBe(
    '#general #C2 @here @ops Monday',
  )
  expect(read('<https://x.example/a?b=1&amp;c=2|the page>')).toBe('[the page](https://x.example/a?b=1&c=2)')
  expect(read('<https://x.example> <mailto:a@x.example|a@x.example>')).toBe('https://x.example a@x.example')
})

test('what people type stays as they typed it: escapes are undone once, and code is not touched', () => {
  expect(read('a &lt; b &amp;&amp; c &gt; d &amp;lt;')).toBe('a < b && c > d &lt;')
  expect(read('```if (a &lt; b) {}```')).toBe('```if (a < b) {}```')
  expect(read('&lt;@U1&gt;')).toBe('<@U1>')
  expect(read('  lines\n  stay ')).toBe('lines\n  stay')
})

test('each mentioned user is named once', () => {
  expect(mentionedUsers('<@U1> <@U2|b> <@U1> &lt;@U3&gt;')).toEqual(['U1', 'U2'])
})
