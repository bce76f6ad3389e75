import { defineConfig } from 'vitest/config'
import SlowFirst from './test/setup/slow-first.ts'

export default defineConfig({
  test: {
    globalSetup: 'test/setup/postgres.ts',
    include: ['{apps,packages}/*/src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/generated/**'],
    // More than the two processors that there must be: many tests wait for a server, a lease or a retry.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    // CI's machine has other work at times. What fails there once and not again is printed as such, and lands; here it fails.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A state that is waited for comes when it comes; a busy machine is no fault.
    expect: { poll: { timeout: 15_000 } },
  },
})
