// What the builtin tools of this process reach the world with. What has to end with the process is put on `parts`, in
// the order in which it depends on each other: what was made last ends first.
import {
  type ChannelKind,
  createChatSessions,
  createConversationNotes,
  createMemories,
  createVirtualFiles,
  type Database,
} from '@quartermaster/db'
import {
  BackgroundProcesses,
  type BuiltinPorts,
  createBrowserManager,
  createOutbound,
  createSandbox,
  detectSandbox,
} from '@quartermaster/tools'
import type { ChannelLimits } from '../channels/channel.ts'
import type { BotEnv } from '../env.ts'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'
import type { Model } from '../model/index.ts'
import { createSenses } from '../senses/create-senses.ts'
import type { StopStack } from '../stop-stack.ts'
import { createChatFiles } from './chat-files.ts'
import { createWorkFolders } from './work-folders.ts'

export interface PortParts {
  env: Pick<BotEnv, 'workspaceRoot' | 'model' | 'listening' | 'search' | 'privateHosts' | 'browser'>
  db: Database
  log: Log
  model: Model
  limitsOf(kind: ChannelKind): ChannelLimits
  parts: StopStack
}

export async function composePorts({ env, db, log, model, limitsOf, parts }: PortParts): Promise<BuiltinPorts> {
  const found = await detectSandbox()
  if (found.kind === 'none') log.warn({ detail: found.detail, fix: found.fix }, 'no sandbox: commands are not run')
  const sandbox = createSandbox(found)

  const outbound = createOutbound({ allowPrivate: env.privateHosts })
  parts.add('outbound connections', () => outbound.close(), limits.farewellMs)

  const processes = new BackgroundProcesses()
  parts.add('background processes', () => processes.stop(), limits.processDrainMs)

  const browser = createBrowserManager({
    allowPrivate: env.privateHosts,
    ...(env.browser === null ? {} : { setting: env.browser }),
  })
  parts.add('browser', () => browser.stop(), limits.browserStopMs)

  return {
    files: createVirtualFiles(db),
    folders: createWorkFolders(env.workspaceRoot),
    notes: createConversationNotes(db),
    chatFiles: createChatFiles(db, (kind) => limitsOf(kind).fileBytes),
    memories: createMemories(db),
    // The offline model answers from phrases: it sees nothing.
    senses: createSenses({ model: env.model ? model : null, listening: env.listening }),
    sessions: createChatSessions(db),
    sandbox,
    processes,
    outbound,
    browser,
    search: env.search,
  }
}
