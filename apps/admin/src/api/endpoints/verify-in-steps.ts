import type { AuditVerdict } from '@quartermaster/db'
import { data } from '../../data.ts'
import { runtime } from '../../runtime.ts'

/** Verifies the workspace's chain: a JSON line for each stretch, `{ checked, of }`, and the verdict as the last one. */
export async function* verifyInSteps(workspaceId: string, signal: AbortSignal): AsyncGenerator<string> {
  let soFar = { checked: 0, of: 0 }
  let wake = () => {}
  let verdict: AuditVerdict | null = null
  let failure: unknown
  const onProgress = (checked: number, of: number) => {
    soFar = { checked, of }
    wake()
  }
  const working = data.verifyAudit(runtime().db, workspaceId, { onProgress, signal }).then(
    (found) => {
      verdict = found
      wake()
    },
    (error) => {
      failure = error
      wake()
    },
  )
  let told = -1
  while (!verdict && failure === undefined) {
    if (soFar.checked !== told) {
      told = soFar.checked
      yield `${JSON.stringify(soFar)}\n`
      continue
    }
    await new Promise<void>((done) => {
      wake = done
    })
  }
  await working
  if (verdict) yield `${JSON.stringify(verdict)}\n`
  else if (!signal.aborted) console.error('console: the audit log could not be verified:', failure)
}
