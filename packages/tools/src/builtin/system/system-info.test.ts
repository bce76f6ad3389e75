import { homedir, hostname, userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { sampleContext } from '../../testing/sample-tools.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { systemInfoTool } from './system-info.ts'

describeToolContract(systemInfoTool, { validArguments: {}, invalidArguments: [{ path: '/etc' }] })

test('tells the time and the kind of machine, and nothing that names the host, its user or its folders', async () => {
  const result = await systemInfoTool.execute({}, sampleContext())
  const told = JSON.stringify(result)
  expect(told).toContain(new Date().toISOString().slice(0, 10))
  expect(told).toContain(process.platform)
  for (const secret of [hostname(), homedir(), process.cwd(), process.version, `"${userInfo().username}"`])
    expect(told).not.toContain(secret)
})
