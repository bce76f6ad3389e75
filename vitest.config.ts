import { defineConfig } from 'vitest/config'
import SlowFirst from './test/setup/slow-first.ts'

export default defineConfig({
  test: {
    globalSetup: 'test/setup/postgres.ts',
    include: ['{apps,packages}/*/src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/generated/**'],
    maxWorkers: 2,
    sequence: { sequencer: SlowFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
