// For tests that need something of the machine. Where it is missing they are skipped under a name that scripts/test.ts
// reads: it says at its end which tests did not run and what would bring them.
import { describe } from 'vitest'
import { createSandbox } from '../create-sandbox.ts'
import { detectSandbox } from '../detect-sandbox.ts'
import type { Sandbox } from '../sandbox.ts'

export const foundSandbox = await detectSandbox()

/** The machine's own. Where there is none, the tests that call this do not run. */
export const machineSandbox = (): Sandbox => createSandbox(foundSandbox)

const isThere = {
  bubblewrap: () => foundSandbox.kind === 'bubblewrap',
  root: () => process.getuid?.() === 0,
}

/** `describe`, where the machine has all of it. */
export function describeNeeding(needs: readonly (keyof typeof isThere)[], name: string, tests: () => void): void {
  const missing = needs.filter((need) => !isThere[need]())
  if (missing.length === 0) describe(name, tests)
  else describe.skip(`${name} [needs ${missing.join(', ')}]`, tests)
}
