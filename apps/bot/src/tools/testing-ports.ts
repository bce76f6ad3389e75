// The builtin tools with the real parts behind them, on a folder of the test's own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '@quartermaster/db'
import { type AnyTool, createBuiltinTools } from '@quartermaster/tools'
import { onTestFinished } from 'vitest'
import { webLimits } from '../channels/web/limits.ts'
import { createLog } from '../log.ts'
import type { Model } from '../model/index.ts'
import { StopStack } from '../stop-stack.ts'
import { composePorts } from './compose-ports.ts'

const noModel: Model = {
  serverTools: false,
  async stream() {
    throw new Error('this test has no model')
  },
}

export async function createTestTools(db: Database): Promise<AnyTool[]> {
  const folder = mkdtempSync(join(tmpdir(), 'qm-tools-'))
  const log = createLog({ level: 'silent', secrets: [] })
  const parts = new StopStack(log)
  onTestFinished(async () => {
    await parts.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const env = { workspaceRoot: folder, model: null, listening: null, search: null, privateHosts: [], browser: null }
  return createBuiltinTools(await composePorts({ env, db, log, model: noModel, limitsOf: () => webLimits, parts }))
}
