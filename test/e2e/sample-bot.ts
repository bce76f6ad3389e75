// The bot with tools that a test can watch, and with points at which it kills itself as `kill -9` would.
//   QM_TEST_EFFECTS     a file; each effect of a tool is a line in it
//   QM_TEST_CRASH_AT    a point of a run, optionally with the number of the time it is passed: `tool-started:2`
import { runBot } from '../../apps/bot/src/run-bot.ts'
import { watchedTools } from './sample-tools.ts'

const [point, nth = '1'] = (process.env.QM_TEST_CRASH_AT ?? '').split(':')
let passed = 0

await runBot({
  tools: watchedTools,
  atPoint(reached) {
    if (reached === point && ++passed === Number(nth)) process.kill(process.pid, 'SIGKILL')
  },
})
