import { availableParallelism, totalmem } from 'node:os'
import { succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'

/**
 * What everybody in the chat may know: the time, and what kind of machine it is. No host or user name, address, path,
 * environment or version that somebody could look up a hole for.
 */
export const systemInfoTool = defineTool({
  name: 'system.info',
  title: 'System information',
  description: 'Returns the current date and time, the time zone, and what kind of machine this runs on.',
  category: 'system',
  groups: ['system'],
  effect: 'read',
  hook: 'silent',
  idempotent: true,
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  execute: async () => {
    const now = new Date()
    const data = {
      time: now.toISOString(),
      weekday: now.toLocaleDateString('en-GB', { weekday: 'long', timeZone: 'UTC' }),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      platform: process.platform,
      architecture: process.arch,
      processors: availableParallelism(),
      memoryGiB: Math.round(totalmem() / 1024 ** 3),
    }
    const output = [
      `Time: ${data.weekday}, ${data.time} (the server's time zone is ${data.timeZone})`,
      `Machine: ${data.platform} on ${data.architecture}, ${data.processors} processors, ${data.memoryGiB} GiB of memory`,
    ].join('\n')
    return succeeded(output, { data })
  },
})
