import type { Check, CheckState } from './check.ts'

const colours: Record<CheckState, string> = { ok: '\x1b[32m', warning: '\x1b[33m', problem: '\x1b[31m' }
const reset = '\x1b[0m'
const stateWidth = 'warning'.length

/** One line a check, the fix beneath it, and the sum at the end. */
export function renderReport(checks: readonly Check[], screen: { colour: boolean; width: number }): string {
  const nameWidth = Math.max(...checks.map((check) => check.name.length))
  const indent = ' '.repeat(2 + stateWidth + 2 + nameWidth + 2)
  const room = Math.max(40, screen.width - indent.length)
  const lines = ['']
  for (const check of checks) {
    const state = check.state.padEnd(stateWidth)
    const shown = screen.colour ? `${colours[check.state]}${state}${reset}` : state
    const [first = '', ...rest] = wrap(check.detail, room)
    lines.push(`  ${shown}  ${check.name.padEnd(nameWidth)}  ${first}`)
    lines.push(...rest.map((line) => indent + line))
    if (!check.fix) continue
    const [firstFix = '', ...restFix] = wrap(check.fix, room - 2)
    lines.push(`${indent}→ ${firstFix}`, ...restFix.map((line) => `${indent}  ${line}`))
  }
  return [...lines, '', `  ${sumOf(checks)}`, ''].join('\n')
}

function sumOf(checks: readonly Check[]): string {
  const count = (state: CheckState) => checks.filter((check) => check.state === state).length
  const plural = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`
  return `${count('ok')} ok, ${plural(count('warning'), 'warning')}, ${plural(count('problem'), 'problem')}`
}

/** Breaks between words, and at the line breaks that are there; a word longer than the room stays whole. */
function wrap(text: string, room: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    for (const word of paragraph.split(' ')) {
      const last = lines.at(-1)
      if (last !== undefined && last.length + 1 + word.length <= room) lines[lines.length - 1] = `${last} ${word}`
      else lines.push(word)
    }
    return lines
  })
}
