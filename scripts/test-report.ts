// What vitest's JSON report says, in the numbers that npm test ends with.
import { existsSync, readFileSync } from 'node:fs'

interface Report {
  numPassedTests: number
  numTotalTests: number
  numFailedTests: number
  testResults?: { assertionResults?: { fullName: string; status: string }[] }[]
}

export interface TestCounts {
  passed: number
  failed: number
  /** Neither passed nor failed, and not for lack of something of the machine. */
  skipped: number
  /** How many tests did not run for lack of what (see packages/tools/src/sandbox/testing/needs.ts). */
  missing: Map<string, number>
}

/** None was written when the tests could not even begin. */
export function readTestReport(file: string): TestCounts {
  if (!existsSync(file)) return { passed: 0, failed: 0, skipped: 0, missing: new Map() }
  return countTests(JSON.parse(readFileSync(file, 'utf8')))
}

export function countTests(report: Report): TestCounts {
  const missing = new Map<string, number>()
  let excused = 0
  for (const { fullName, status } of (report.testResults ?? []).flatMap((file) => file.assertionResults ?? [])) {
    const needs = status === 'passed' || status === 'failed' ? null : /\[needs ([^\]]+)\]/.exec(fullName)?.[1]
    if (!needs) continue
    missing.set(needs, (missing.get(needs) ?? 0) + 1)
    excused++
  }
  const { numPassedTests: passed, numFailedTests: failed, numTotalTests } = report
  return { passed, failed, skipped: numTotalTests - passed - failed - excused, missing }
}

const fixes: Record<string, string> = {
  bubblewrap: 'install it with: apt install bubblewrap',
  root: 'run npm test as root as well',
}

/** A line for each thing that was missing. */
export function describeMissing(missing: ReadonlyMap<string, number>): string[] {
  return [...missing].map(([needs, count]) => {
    const how = needs.split(', ').flatMap((need) => fixes[need] ?? [])
    return `did not run: ${count} tests, which need ${needs}${how.length ? ` (${how.join('; ')})` : ''}`
  })
}
