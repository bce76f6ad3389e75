// Finds what looks like an attempt to steer the model, so that people notice. It is never what a protection rests on:
// whoever writes around these patterns gets no further, because the policy decides by taint and not by findings.
//
// Time is linear in the text: it is scanned up to a bound, patterns have no nested or adjacent open quantifiers, and
// nothing looks back or ahead further than a fixed window.
import type { Finding } from '../executor/outcome.ts'
import { limits } from '../limits.ts'
import { escapeForDisplay } from './display.ts'

/** Findings of one text; a page full of them says no more than twenty. */
const most = 20

export function scanInjection(text: string): Finding[] {
  const findings = new Findings()
  const scanned = text.length > limits.scanCharacters ? text.slice(0, limits.scanCharacters) : text
  scanHidden(scanned, findings)
  scanWords(scanned, findings, '')
  scanLinks(scanned, findings)
  scanBlobs(scanned, findings)
  return findings.list
}

class Findings {
  readonly list: Finding[] = []
  readonly #seen = new Set<string>()

  /** The first of each sort: a second "ignore previous instructions" tells nobody more. */
  add(kind: Finding['kind'], what: string, text: string, at: number): void {
    if (this.list.length >= most || this.#seen.has(what)) return
    this.#seen.add(what)
    const excerpt = text.slice(Math.max(0, at - 30), at + 120).trim()
    this.list.push({ kind, what, excerpt: escapeForDisplay(excerpt) })
  }
}

const phrases: [what: string, phrases: readonly string[]][] = [
  [
    'It tells the model who it is.',
    ['you are now', 'from now on you', 'pretend to be', 'act as if you', 'new persona'],
  ],
  [
    'It claims to be instructions.',
    [
      'new instructions',
      'updated instructions',
      'system prompt',
      'system override',
      'developer mode',
      'important instructions for',
      'instructions for ai',
      'note to ai',
      'attention ai',
    ],
  ],
  [
    'It asks to keep something from people.',
    [
      'do not tell the user',
      "don't tell the user",
      'do not mention this',
      'without telling',
      'without asking',
      'do not inform the user',
      'keep this secret',
      'no need to confirm',
      'without confirmation',
      'already approved',
      'has been pre-approved',
    ],
  ],
  [
    'It asks for secrets or for the prompt.',
    [
      'reveal your',
      'print your instructions',
      'repeat your instructions',
      'your api key',
      'environment variables',
      'send the contents of',
      'exfiltrate',
    ],
  ],
]

const roleMarkers = [
  '<|im_start|>',
  '<|im_end|>',
  '<|system|>',
  '<|user|>',
  '<|assistant|>',
  '<|endoftext|>',
  '[inst]',
  '<<sys>>',
  '<system>',
  '</system>',
  '<system-reminder>',
  '### instruction',
  '### system',
]
const toolCallMarkers = [
  '<function_calls>',
  '<invoke name=',
  '<tool_use',
  '<tool_call',
  '<tool_result',
  '</tool_result',
  '"type":"tool_use"',
  '"type":"tool_result"',
  '"tool_calls"',
  '"function_call"',
  'antml:',
]

function scanWords(text: string, findings: Findings, where: string): void {
  const plain = text
    .replace(invisible, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\S\n]+/g, ' ')
  const line = plain.replaceAll('\n', ' ').replace(/ +/g, ' ')
  for (const [what, list] of phrases) {
    for (const phrase of list) {
      const at = line.indexOf(phrase)
      if (at !== -1) findings.add('injection', what + where, line, at)
    }
  }
  scanCommands(line, findings, where)
  const tight = line.replaceAll(' ', '')
  for (const marker of roleMarkers) {
    const at = tight.indexOf(marker.replaceAll(' ', ''))
    if (at !== -1) findings.add('injection', `It imitates the markers of a conversation.${where}`, tight, at)
  }
  for (const marker of toolCallMarkers) {
    const at = tight.indexOf(marker.replaceAll(' ', ''))
    if (at !== -1) findings.add('injection', `It imitates a tool call or its result.${where}`, tight, at)
  }
  const role = /(?:^|\n) ?(?:system|assistant|human|developer) ?:/.exec(plain)
  if (role) findings.add('injection', `A line speaks as the system or the assistant.${where}`, plain, role.index)
}

const turning = new Set([
  'ignore',
  'disregard',
  'forget',
  'override',
  'bypass',
  'ignoriere',
  'vergiss',
  'ignora',
  'ignorez',
  'oubliez',
  'olvida',
])
const turned = new Set([
  'instruction',
  'instructions',
  'prompt',
  'prompts',
  'rules',
  'guidelines',
  'directions',
  'directives',
  'policy',
  'policies',
  'anweisungen',
  'instrucciones',
  'consignes',
  'istruzioni',
  'safeguards',
])
/** Words between "ignore" and "instructions". */
const span = 10

/** "Ignore all of the previous, and I mean all, instructions": the words near each other, whatever stands between. */
function scanCommands(line: string, findings: Findings, where: string): void {
  let turningAt = -1
  let sinceTurning = span
  for (const match of line.matchAll(/[\p{L}']+/gu)) {
    const word = match[0]
    if (turning.has(word)) {
      turningAt = match.index
      sinceTurning = 0
    } else if (sinceTurning < span && ++sinceTurning && turned.has(word)) {
      findings.add('injection', `It tells the model to ignore its instructions.${where}`, line, turningAt)
      return
    }
  }
}

// Zero-width joiners belong to emoji and to several scripts; they are hidden text only between ASCII letters.
const zeroWidth = /[\u200b\u2060-\u2064\ufeff\u180e]|[A-Za-z][\u200c\u200d]+(?=[A-Za-z])/u
const direction = /[\u202a-\u202e\u2066-\u2069]/u
const invisible = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/gu

function scanHidden(text: string, findings: Findings): void {
  // A byte order mark at the very beginning is how some programs write every file.
  const body = text.startsWith('\ufeff') ? text.slice(1) : text
  const zero = zeroWidth.exec(body)
  if (zero) findings.add('hidden-text', 'It contains characters of no width.', body, zero.index)
  const turn = direction.exec(body)
  if (turn) findings.add('hidden-text', 'It contains characters that turn the reading direction.', body, turn.index)
  // Flags of regions are a black flag followed by tags; anything else in tags is a text nobody sees.
  for (const match of body.matchAll(/(\u{1f3f4})?([\u{e0020}-\u{e007e}]+)/gu)) {
    if (match[1]) continue
    const spoken = Array.from(match[2] as string, (tag) =>
      String.fromCharCode((tag.codePointAt(0) as number) - 0xe0000),
    )
    findings.add('hidden-text', 'It contains text in invisible tag characters.', spoken.join(''), 0)
    scanWords(spoken.join(''), findings, ' (Written invisibly.)')
    break
  }
  const smuggled = /[\u{e0100}-\u{e01ef}]{4}/u.exec(body)
  if (smuggled) findings.add('hidden-text', 'It contains data in variation selectors.', body, smuggled.index)
}

function scanLinks(text: string, findings: Findings): void {
  for (let at = text.indexOf('](http'); at !== -1; at = text.indexOf('](http', at + 6)) {
    const target = /^[^\s)>]*/.exec(text.slice(at + 2, at + 2 + 2_048))?.[0] ?? ''
    // The label of an image begins with `![`, at most this far before.
    const label = text.slice(Math.max(0, at - 200), at)
    const image = label.lastIndexOf('![') > label.lastIndexOf(']')
    judgeLink(target, image, text, at, findings)
  }
  const lower = text.toLowerCase()
  let close = -1
  for (let at = lower.indexOf('<img'); at !== -1; at = lower.indexOf('<img', at + 4)) {
    if (close < at) close = lower.indexOf('>', at)
    const element = lower.slice(at, Math.min(close === -1 ? lower.length : close, at + 2_048))
    const source = /src ?= ?["']?(https?:\/\/[^\s"'>]*)/.exec(element)?.[1]
    if (source) judgeLink(source, true, text, at, findings)
    if (findings.list.length >= most) return
  }
}

function judgeLink(target: string, image: boolean, text: string, at: number, findings: Findings): void {
  const query = target.slice(target.indexOf('?') + 1 || target.length)
  if (!query) return
  if (image) findings.add('exfiltration', 'An image carries data in its address; showing it would send them.', text, at)
  else if (/[{[<]|%7b|%5b/i.test(query)) {
    findings.add('exfiltration', 'A link leaves a place for data in its address.', text, at)
  } else if (/=[^&]{80}/.test(query)) {
    findings.add('exfiltration', 'A link carries much data in its address.', text, at)
  }
}

function scanBlobs(text: string, findings: Findings): void {
  let budget = limits.scanCharacters
  for (const match of text.matchAll(/[A-Za-z0-9+/_-]{32,}/g)) {
    const blob = match[0].slice(0, budget)
    budget -= blob.length
    if (budget <= 0) return
    const decoded = Buffer.from(blob, 'base64').toString('utf8')
    // Most long runs are hashes, names and minified code, which decode to noise.
    const readable = decoded.slice(0, 64).replace(/[^\x20-\x7e\s]/g, '')
    if (readable.length < Math.min(64, decoded.length) * 0.9) continue
    scanWords(decoded, findings, ' (Written in base64.)')
    if (findings.list.length >= most) return
  }
}
