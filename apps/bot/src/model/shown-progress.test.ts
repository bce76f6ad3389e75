import { expect, test } from 'vitest'
import { ShownProgress } from './shown-progress.ts'

/** What a person sees, as a channel would show it. */
function record() {
  const seen = { text: '', tools: [] as string[], restarts: [] as number[] }
  const progress = new ShownProgress({
    onText: (text) => {
      seen.text += text
    },
    onToolStart: ({ id }) => seen.tools.push(id),
    onRestart: ({ keep }) => {
      seen.text = seen.text.slice(0, keep)
      seen.tools.length = 0
      seen.restarts.push(keep)
    },
  })
  const say = (...chunks: string[]) => {
    for (const chunk of chunks) progress.text(chunk)
  }
  const tool = (id: string) => progress.toolStart({ id, name: 'file_read', server: false })
  return { seen, progress, say, tool }
}

test('an answer that repeats itself after a break is read on, and nothing is taken back', () => {
  const { seen, progress, say } = record()
  progress.beginAttempt()
  say('Hello ', 'wor')
  progress.beginAttempt()
  say('Hel', 'lo world', ', again')
  progress.endTurn()
  expect(seen).toEqual({ text: 'Hello world, again', tools: [], restarts: [] })
})

test('an answer that departs from what was shown keeps what both have', () => {
  const { seen, progress, say } = record()
  progress.beginAttempt()
  say('The answer is 41')
  progress.beginAttempt()
  say('The ans', 'wer is 42.')
  progress.endTurn()
  expect(seen).toEqual({ text: 'The answer is 42.', tools: [], restarts: [15] })
})

test('a shorter answer takes back what is beyond its end', () => {
  const { seen, progress, say } = record()
  progress.beginAttempt()
  say('Yes, and more')
  progress.beginAttempt()
  say('Yes')
  progress.endTurn()
  expect(seen).toEqual({ text: 'Yes', tools: [], restarts: [3] })
})

test('tools of a broken attempt are taken back, and those of the next one told', () => {
  const { seen, progress, say, tool } = record()
  progress.beginAttempt()
  say('Let me look.')
  tool('old')
  progress.beginAttempt()
  say('Let me ', 'look.')
  tool('new')
  progress.endTurn()
  expect(seen).toEqual({ text: 'Let me look.', tools: ['new'], restarts: [12] })
})

test('a new attempt without the tool of the old one takes the tool back', () => {
  const { seen, progress, tool, say } = record()
  progress.beginAttempt()
  tool('old')
  progress.beginAttempt()
  progress.endTurn()
  expect(seen).toEqual({ text: '', tools: [], restarts: [0] })
  progress.beginAttempt()
  say('fine')
  progress.endTurn()
  expect(seen.text).toBe('fine')
})

test('a third attempt is held against all that is shown, not against the second alone', () => {
  const { seen, progress, say } = record()
  progress.beginAttempt()
  say('one two three')
  progress.beginAttempt()
  say('one')
  progress.beginAttempt()
  say('one two three four')
  progress.endTurn()
  expect(seen).toEqual({ text: 'one two three four', tools: [], restarts: [] })
})

test('a character is never cut in half', () => {
  const { seen, progress, say } = record()
  progress.beginAttempt()
  say('I am 😀')
  progress.beginAttempt()
  say('I am 😁')
  progress.endTurn()
  expect(seen).toEqual({ text: 'I am 😁', tools: [], restarts: [5] })
})

test('whatever the pieces are, a person ends up with exactly the last answer', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed % below
  }
  for (let round = 0; round < 500; round++) {
    const { seen, progress, say, tool } = record()
    let answer = ''
    let tools: string[] = []
    for (let attempt = 0; attempt <= random(4); attempt++) {
      progress.beginAttempt()
      answer = ''
      tools = []
      for (let piece = 0; piece < random(6); piece++) {
        if (random(5) === 0) {
          const id = `t${attempt}-${piece}`
          tools.push(id)
          tool(id)
        } else {
          const text = ['a', 'ab', 'abc', '😀', 'b'][random(5)] as string
          answer += text
          say(text)
        }
      }
    }
    progress.endTurn()
    expect(seen.text).toBe(answer)
    expect(seen.tools).toEqual(tools)
  }
})
