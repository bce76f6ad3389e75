// npm run doctor [-- --json]: what Quartermaster stands on, line by line, each with the fix. Ends with 1 when there
// is a problem. It only looks: it makes no key and no folder, and starts no database.
import { projectRoot } from '@quartermaster/db'
import { examine } from './doctor/examine.ts'
import { renderReport } from './doctor/render-report.ts'
import { runProgram } from './program.ts'

await runProgram(async () => {
  const checks = await examine(projectRoot, process.env)
  const isOk = checks.every((check) => check.state !== 'problem')
  console.log(
    process.argv.includes('--json')
      ? JSON.stringify({ ok: isOk, checks }, null, 2)
      : renderReport(checks, { colour: Boolean(process.stdout.isTTY), width: process.stdout.columns ?? 110 }),
  )
  return isOk ? 0 : 1
})
