import type { RegisteredTool } from '@quartermaster/db'
import { data } from './data.ts'
import { runtime } from './runtime.ts'

/** Every tool of the registry as the workspace has it, page by page. */
export async function* eachTool(workspaceId: string): AsyncIterable<RegisteredTool> {
  let after: string | undefined
  do {
    const page = await data.listTools(runtime().db, { workspaceId, ...(after ? { after } : {}) })
    yield* page.tools
    after = page.next ?? undefined
  } while (after)
}
