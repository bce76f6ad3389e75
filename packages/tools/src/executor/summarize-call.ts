// What an approval card shows. A tool's own summary where it has one, else its title and its arguments. Either way every
// string is escaped here, at the source, because each platform that forgot to would be a way to trick an approver.
import type { AnyTool, Summary } from '../contract.ts'
import { escapeForDisplay, escapeLinesForDisplay, findMixedScripts } from '../guard/display.ts'
import { limits } from '../limits.ts'

export function summarizeCall(tool: AnyTool, args: unknown): Summary {
  const summary = trySummarize(tool, args) ?? defaultSummary(tool, args)
  const escaped = escapeSummary(summary)
  const mixed = findMixedScripts((JSON.stringify(args) ?? '').slice(0, limits.cardSearchCharacters))
  if (mixed.length === 0) return escaped
  const value = mixed.map(({ word, scripts }) => `${word} (${scripts.join(' and ')})`).join(', ')
  return { ...escaped, facts: [...(escaped.facts ?? []), { label: 'Look-alike letters', value }] }
}

/** For a tool without `summarize`: every argument, short ones whole. What was cut is counted, never silently gone. */
export function defaultSummary(tool: AnyTool, args: unknown): Summary {
  const all = Object.entries((args ?? {}) as Record<string, unknown>)
  const facts = all.slice(0, limits.cardFacts).map(([label, value]) => ({
    label,
    value: shorten(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')),
  }))
  if (all.length > facts.length) facts.push({ label: '…', value: `${all.length - facts.length} more arguments` })
  return facts.length === 0 ? { title: tool.title } : { title: tool.title, facts }
}

function trySummarize(tool: AnyTool, args: unknown): Summary | null {
  if (!tool.summarize) return null
  try {
    const summary = tool.summarize(args)
    return typeof summary?.title === 'string' && summary.title !== '' ? summary : null
  } catch {
    // A card with the plain arguments is better than none: the person still sees what would run.
    return null
  }
}

function escapeSummary({ title, facts, diff, recipients }: Summary): Summary {
  const escaped: Summary = { title: escapeForDisplay(String(title)) }
  if (facts) {
    escaped.facts = facts.map(({ label, value }) => ({
      label: escapeForDisplay(String(label)),
      value: escapeLinesForDisplay(String(value)),
    }))
  }
  if (diff) {
    escaped.diff = {
      path: escapeForDisplay(String(diff.path)),
      before: escapeLinesForDisplay(String(diff.before)),
      after: escapeLinesForDisplay(String(diff.after)),
    }
  }
  if (recipients) escaped.recipients = recipients.map((recipient) => escapeForDisplay(String(recipient)))
  return escaped
}

function shorten(text: string): string {
  if (text.length <= limits.cardValueCharacters) return text
  return `${text.slice(0, limits.cardValueCharacters)}… (${text.length.toLocaleString('en')} characters in all)`
}
