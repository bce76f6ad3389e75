import { expect, test } from 'vitest'
import { countTests, describeMissing } from './test-report.ts'

const report = (results: [fullName: string, status: string][]) => ({
  numPassedTests: results.filter(([, status]) => status === 'passed').length,
  numFailedTests: results.filter(([, status]) => status === 'failed').length,
  numTotalTests: results.length,
  testResults: [{ assertionResults: results.map(([fullName, status]) => ({ fullName, status })) }],
})

test('a test that lacks something of the machine did not run, and its line says what would bring it', () => {
  const counts = countTests(
    report([
      ['the sandbox [needs bubblewrap] runs a program', 'skipped'],
      ['as root [needs bubblewrap, root] works', 'pending'],
      ['adds', 'passed'],
    ]),
  )
  expect(counts).toMatchObject({ passed: 1, failed: 0, skipped: 0 })
  expect(describeMissing(counts.missing)).toEqual([
    'did not run: 1 tests, which need bubblewrap (install it with: apt install bubblewrap)',
    'did not run: 1 tests, which need bubblewrap, root (install it with: apt install bubblewrap; run npm test as root as well)',
  ])
})

test('a test that was skipped for no such reason still counts', () => {
  expect(countTests(report([['adds', 'skipped']]))).toMatchObject({ skipped: 1 })
})

test('a test that ran and failed is not excused by its name', () => {
  const counts = countTests(report([['the sandbox [needs bubblewrap] runs', 'failed']]))
  expect(counts).toMatchObject({ failed: 1, skipped: 0, missing: new Map() })
})
