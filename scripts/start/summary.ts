import type { FirstOwner } from './owner.ts'

type HealthLine = { state: string; detail: string; next: string | null }
const labels: Record<string, string> = { slack: 'Slack', telegram: 'Telegram', model: 'Model', sandbox: 'Sandbox' }
const marks: Record<string, string> = { ok: '✓', off: '○', warning: '!', problem: '✗' }

/** What a person sees when everything is up: where, who, and the one next thing to do for each connection. */
export function renderSummary(summary: {
  consoleUrl: string
  owner: FirstOwner | null
  health: Record<string, HealthLine>
  seconds: number
}): string {
  const lines = [
    '',
    `  Quartermaster is ready (${summary.seconds.toFixed(1)} s)`,
    '',
    `  Console   ${summary.consoleUrl}`,
  ]
  if (summary.owner) {
    lines.push(`  Sign in   ${summary.owner.email}`)
    lines.push(
      summary.owner.password
        ? `  Password  ${summary.owner.password}   (shown this once; change it under Settings)`
        : '  Password  the one in QM_OWNER_PASSWORD',
    )
  }
  lines.push('')
  for (const [name, label] of Object.entries(labels)) {
    const line = summary.health[name]
    if (!line) continue
    lines.push(`  ${marks[line.state] ?? '?'} ${label.padEnd(9)} ${line.detail}`)
    if (line.next) lines.push(`${' '.repeat(14)}→ ${line.next}`)
  }
  lines.push('', '  Ctrl-C stops everything.', '')
  return lines.join('\n')
}
