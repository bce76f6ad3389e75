// Scripts in a page, with an end: a script that never returns is stopped by the browser itself. What reads a page runs
// in a world of its own, where the page's own definitions (of `slice`, say) do not reach.
import type { CDPSession, Page } from 'playwright-core'

export class PageScriptProblem extends Error {}

export interface ScriptOptions {
  timeoutMs: number
  /** `page` sees the page's own variables, and what the page made of the language. */
  world: 'page' | 'own'
}

export async function runPageScript(page: Page, expression: string, options: ScriptOptions): Promise<unknown> {
  // A page that loops does not even answer the preparations.
  return within(run(page, expression, options), options.timeoutMs + 500)
}

async function run(page: Page, expression: string, { world, timeoutMs }: ScriptOptions): Promise<unknown> {
  const session = await page.context().newCDPSession(page)
  try {
    const where = world === 'own' ? { contextId: await ownWorld(session) } : { replMode: true }
    return await evaluate(session, expression, where, timeoutMs)
  } finally {
    // The page may be gone already.
    await session.detach().catch(() => {})
  }
}

async function evaluate(session: CDPSession, expression: string, where: object, timeout: number): Promise<unknown> {
  const stopped = (error: Error) => {
    // What cannot be copied out of the page, or what the browser stopped.
    throw new PageScriptProblem(explain(error.message, timeout))
  }
  const first = await session.send('Runtime.evaluate', { expression, timeout, ...where }).catch(stopped)
  const { objectId, subtype } = first.result
  if (first.exceptionDetails || objectId === undefined) return resultOf(first)
  // A promise stands for its value; any other object is copied.
  if (subtype === 'promise')
    return resultOf(
      await session.send('Runtime.awaitPromise', { promiseObjectId: objectId, returnByValue: true }).catch(stopped),
    )
  const functionDeclaration = 'function () { return this }'
  return resultOf(
    await session.send('Runtime.callFunctionOn', { objectId, functionDeclaration, returnByValue: true }).catch(stopped),
  )
}

interface Evaluated {
  result: { type: string; value?: unknown; unserializableValue?: string; description?: string }
  exceptionDetails?: { text: string; exception?: { description?: string; value?: unknown } }
}

function resultOf({ result, exceptionDetails }: Evaluated): unknown {
  if (exceptionDetails) {
    const { exception, text } = exceptionDetails
    throw new PageScriptProblem((exception?.description ?? String(exception?.value ?? text)).slice(0, 2_000))
  }
  if (result.type === 'undefined') return undefined
  return 'value' in result ? result.value : (result.unserializableValue ?? result.description ?? null)
}

const explain = (message: string, timeout: number): string =>
  /terminated|timed? ?out|Internal error/i.test(message)
    ? `The script did not end within ${timeout} ms.`
    : message.replace(/^.*?Runtime\.evaluate\)?:?\s*/, '').slice(0, 500)

async function ownWorld(session: CDPSession): Promise<number> {
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'quartermaster',
  })
  return executionContextId
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new PageScriptProblem(`The page did not answer within ${ms} ms.`)), ms)
  })
  work.catch(() => {})
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
