// The history of tool calls: the list with its filters, live, page by page, as a file, and each call by its link.
import { decideToolCall, finishToolCall, newId, requestToolCall, startToolCall } from '@quartermaster/db'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { requestCall, startRun } from '../../packages/db/src/testing-workspace.ts'
import { useConsole } from './console.ts'
import { otherTenant } from './other-tenant.ts'
import { addPerson } from './people.ts'

const it = useConsole()

/** A run of somebody in the demo's workspace, on which calls can be made. */
async function run() {
  const { rows } = await it.db.pool.query(
    `SELECT a.id AS agent, c.id AS channel FROM agents a JOIN channels c ON c.workspace_id = a.workspace_id
     WHERE a.workspace_id = $1 AND c.kind = 'web' AND a.archived_at IS NULL ORDER BY a.id LIMIT 1`,
    [it.workspaceId],
  )
  const { agent: agentId, channel: channelId } = rows[0]
  const members = Object.fromEntries(Object.entries(it.people).map(([role, { memberId }]) => [role, memberId]))
  return startRun(it.db, { workspaceId: it.workspaceId, agentId, channelId, members } as never)
}

const rowOf = (page: Page, tool: string) => page.getByRole('row').filter({ hasText: tool })
const rows = (page: Page) => page.getByRole('group', { name: 'Tool calls' }).locator('tbody tr')
const live = (page: Page) => page.getByRole('main').getByText('Live', { exact: true }).waitFor()

describe('the list', () => {
  test('shows the newest calls first, with who asked which agent for what, and how it ended', async () => {
    const going = await run()
    const tool = `list.${newId('t')}`
    await requestCall(it.db, going, { toolName: tool, arguments: { path: 'notes/of-today.md' } })
    const page = await it.page({ as: it.people.viewer })
    await page.goto('/executions')
    const first = rows(page).first()
    expect(await first.textContent()).toContain(tool)
    for (const text of ['just now', 'Mika Member', 'requested', '{"path": "notes/of-today.md"}'])
      await first.getByText(text, { exact: true }).waitFor()
    expect(await rows(page).count()).toBe(50)
  })

  test('goes on to older ones, each shown once, and back to the newest', async () => {
    const page = await it.page({ as: it.people.viewer })
    await page.goto('/executions')
    const links = () =>
      rows(page)
        .getByRole('link')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    const first = await links()
    await page.getByRole('link', { name: 'Older ones' }).click()
    await page.waitForURL('**/executions?after=*')
    await page.getByRole('link', { name: 'Newest' }).waitFor()
    const second = await links()
    expect(second).toHaveLength(50)
    expect(second.filter((href) => first.includes(href))).toEqual([])
    await page.getByRole('link', { name: 'Newest' }).click()
    await live(page)
  })

  test('has its filters in the address, where they survive a reload and go back with the browser', async () => {
    const going = await run()
    const tool = `filters.${newId('t')}`
    for (const word of ['alpha', 'beta']) await requestCall(it.db, going, { toolName: tool, arguments: { word } })
    const page = await it.page({ as: it.people.viewer })
    await page.goto('/executions')
    await page.getByLabel('Tool', { exact: true }).selectOption(tool)
    await page.waitForURL(`**/executions?tool=${tool}`)
    await expect.poll(() => rows(page).count()).toBe(2)
    await page.getByRole('searchbox').fill('BETA')
    await page.waitForURL('**&q=BETA')
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.getByText('{"word": "beta"}').waitFor()
    await page.reload()
    expect(await rows(page).count()).toBe(1)
    expect(await page.getByRole('searchbox').inputValue()).toBe('BETA')
    await page.getByLabel('Status').selectOption('failed')
    await page.getByText('No call matches').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => rows(page).count()).toBe(50)
  })

  test('keeps a span of time in the next page, in the export and in the stream, and clears it', async () => {
    const page = await it.page({ as: it.people.viewer })
    const from = new Date(Date.now() - 20 * 86_400_000).toISOString()
    await page.goto(`/executions?from=${from}`)
    const older = await page.getByRole('link', { name: 'Older ones' }).getAttribute('href')
    expect(new URLSearchParams(older?.split('?')[1]).get('from')).toBe(from)
    await page.getByRole('button', { name: 'Export' }).click()
    const file = await page.getByRole('menuitem', { name: 'CSV' }).getAttribute('href')
    expect(new URLSearchParams(file?.split('?')[1]).get('from')).toBe(from)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL((url) => url.search === '')
  })

  test('shows what it understands of an address that somebody made up', async () => {
    const page = await it.page({ as: it.people.viewer })
    const answer = await page.goto('/executions?status=constructor&slower=toString&after=x~y&since=&tool=a&tool=b')
    expect(answer?.status()).toBe(200)
    await expect.poll(() => rows(page).count()).toBe(50)
  })
})

describe('while somebody looks', () => {
  test('a call comes by itself, goes on in its row to its end, and nothing is read anew for it', async () => {
    const going = await run()
    const page = await it.page({ as: it.people.viewer })
    await page.goto('/executions')
    await live(page)
    const loads: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/executions') loads.push(request.url())
    })
    const tool = `live.${newId('t')}`
    const call = await requestToolCall(it.db, going, {
      step: 1,
      toolUseId: newId('use'),
      toolName: tool,
      toolVersion: 'v1',
      effect: 'read',
      idempotent: true,
      arguments: {},
      argumentsDigest: 'd',
    })
    const toolCallId = call?.id as string
    await rowOf(page, tool).getByText('requested', { exact: true }).waitFor()
    await decideToolCall(it.db, going, { toolCallId, decision: 'allow', trail: [] })
    await startToolCall(it.db, going, { toolCallId, argumentsDigest: 'd' })
    await rowOf(page, tool).getByText('running', { exact: true }).waitFor()
    await finishToolCall(it.db, going, { toolCallId, status: 'succeeded', output: 'done' })
    await rowOf(page, tool).getByText('succeeded', { exact: true }).waitFor()
    expect(await rowOf(page, tool).count()).toBe(1)
    expect(loads).toEqual([])
  })

  test('only what the filters let in comes; what they let in no more stays in its row', async () => {
    const going = await run()
    const [wanted, other] = [`wanted.${newId('t')}`, `other.${newId('t')}`]
    const page = await it.page({ as: it.people.viewer })
    await page.goto(`/executions?q=${wanted}&status=requested`)
    await live(page)
    await requestCall(it.db, going, { toolName: other })
    const toolCallId = await requestCall(it.db, going, { toolName: wanted })
    await rowOf(page, wanted).waitFor()
    await decideToolCall(it.db, going, { toolCallId, decision: 'deny', trail: [], error: 'No.' })
    await rowOf(page, wanted).getByText('refused', { exact: true }).waitFor()
    expect(await rowOf(page, other).count()).toBe(0)
  })

  test('a pause holds the list still, and going on shows what came meanwhile', async () => {
    const going = await run()
    const page = await it.page({ as: it.people.viewer })
    await page.goto('/executions')
    await live(page)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused').waitFor()
    const tool = `paused.${newId('t')}`
    await requestCall(it.db, going, { toolName: tool })
    // Another page sees it, so it would be here by now.
    const other = await it.page({ as: it.people.viewer })
    await other.goto('/executions')
    await rowOf(other, tool).waitFor()
    expect(await rowOf(page, tool).count()).toBe(0)
    await page.getByRole('button', { name: 'Go on' }).click()
    await rowOf(page, tool).waitFor()
  })

  test('the page says so when the stream breaks, and has everything once it is back', async () => {
    const going = await run()
    const page = await it.page({ as: it.people.viewer })
    await page.goto('/executions')
    await live(page)
    const tool = `offline.${newId('t')}`
    // A stream that is open stays open; one that is begun anew finds no way.
    await page.route('**/api/executions/tail*', (route) => route.abort())
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('Reconnecting…').waitFor()
    await requestCall(it.db, going, { toolName: tool })
    await page.unroute('**/api/executions/tail*')
    await rowOf(page, tool).waitFor()
    await live(page)
  })

  test('the stream carries nothing of another workspace, and ends when its reader may not read any more', async () => {
    const other = await otherTenant(it.db)
    const reader = await addPerson(it.db, {
      name: `Tail Reader ${newId('x')}`,
      role: 'viewer',
      workspaceIds: [it.workspaceId],
    })
    const context = await it.context({ as: reader })
    const page = await context.newPage()
    await page.goto('/executions')
    const { id: theirs } = await it.db.prisma.agent.findFirstOrThrow({ where: { workspaceId: other.workspaceId } })
    // Two streams, read up to their first event; they stay open.
    const [ofTheirs, ofOurs] = await page.evaluate(
      (agent) =>
        Promise.all(
          [`agent=${agent}`, ''].map(async (filter) => {
            const answer = await fetch(`/api/executions/tail?${filter}`)
            const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
            Object.assign(window, { reader })
            const decoder = new TextDecoder()
            let text = ''
            while (!/event: executions\n.*\n/.test(text)) text += decoder.decode((await reader.read()).value)
            return text
          }),
        ),
      theirs,
    )
    expect(ofTheirs).toContain('"executions":[]')
    expect(ofOurs).toContain(it.people.member.memberId)
    expect(ofOurs).not.toContain(theirs)
    await it.db.pool.query('UPDATE members SET disabled_at = now() WHERE id = $1', [reader.memberId])
    await page.evaluate(async () => {
      const { reader } = window as unknown as { reader: ReadableStreamDefaultReader }
      while (!(await reader.read()).done);
    })
    expect((await page.request.get('/api/executions/tail')).status()).not.toBe(200)
  })
})

describe('the export', () => {
  test('holds every call that the filters let in, many pages of them, as CSV and as JSONL', async () => {
    const going = await run()
    const tool = `export.${newId('t')}`
    await it.db.pool.query(
      `INSERT INTO tool_calls (id, workspace_id, run_id, conversation_id, agent_id, step, tool_use_id, tool_name, tool_version,
         effect, arguments, arguments_digest, status, decision, finished_at)
       SELECT $2 || n, workspace_id, id, conversation_id, agent_id, 1, $2 || n, $3, 'v1', 'read',
         jsonb_build_object('text', '=1+' || n || ', "x"'), 'd', 'failed', 'allow', now()
       FROM runs, generate_series(1, 1234) AS n WHERE id = $1`,
      [going.runId, newId('call'), tool],
    )
    const large = 'y'.repeat(400_000)
    await requestCall(it.db, going, {
      toolName: tool,
      arguments: { large, numbers: Array.from({ length: 60_000 }, (_, n) => n) },
    })
    const page = await it.page({ as: it.people.viewer })
    await page.goto(`/executions?tool=${tool}`)
    await page.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Everything here as JSONL' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^executions-\d{4}-\d\d-\d\d\.jsonl$/)
    const jsonl = await (await page.request.get(`/api/executions/export?format=jsonl&tool=${tool}`)).text()
    const lines = jsonl
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toHaveLength(1_235)
    expect(new Set(lines.map(({ id }) => id)).size).toBe(1_235)
    expect(lines[0].arguments.large).toBe(large)
    expect(Object.keys(lines[1])).toContain('requested_at')
    const csv = await (await page.request.get(`/api/executions/export?tool=${tool}&status=failed`)).text()
    expect(csv.trimEnd().split('\r\n')).toHaveLength(1_235)
    expect(csv).toContain('"{""text"":""=1+7, \\""x\\""""}"')
  })

  test('stops reading when nobody takes it any more', async () => {
    const page = await it.page({ as: it.people.viewer })
    await page.goto('/executions')
    const read = await page.evaluate(async () => {
      const ending = new AbortController()
      const answer = await fetch('/api/executions/export?format=jsonl', { signal: ending.signal })
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
      const { value } = await reader.read()
      ending.abort()
      return value?.length ?? 0
    })
    expect(read).toBeGreaterThan(0)
    const reading = async () =>
      (
        await it.db.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'console' AND state = 'active'`,
        )
      ).rowCount
    await expect.poll(reading).toBe(0)
    expect(it.log()).not.toContain('export')
  })

  test('is refused to strangers, and for filters that nothing understands', async () => {
    const nobody = await it.page()
    for (const path of ['export', 'tail'])
      expect((await nobody.request.get(`/api/executions/${path}`)).status()).toBe(401)
    const viewer = await it.page({ as: it.people.viewer })
    for (const address of ['export?format=xml', 'export?status=all', 'tail?slower=1', 'export?to=soon']) {
      const answer = await viewer.request.get(`/api/executions/${address}`)
      expect([address, answer.status()]).toEqual([address, 400])
      expect((await answer.json()).error.code).toBe('VALIDATION_ERROR')
    }
  })

  test('has nothing of another workspace', async () => {
    const other = await otherTenant(it.db)
    const { id: runId } = await it.db.prisma.run.findFirstOrThrow({ where: { workspaceId: other.workspaceId } })
    const viewer = await it.page({ as: it.people.viewer })
    const text = await (await viewer.request.get('/api/executions/export?format=jsonl')).text()
    expect(text.length).toBeGreaterThan(10_000)
    expect(text).not.toContain(runId)
    expect(text).not.toContain(other.workspaceId)
  })
})

describe('one call', () => {
  test('is found from the list, with its arguments, what was decided and why, and the way to its run', async () => {
    const going = await run()
    const tool = `detail.${newId('t')}`
    const toolCallId = await requestCall(it.db, going, { toolName: tool, arguments: { path: 'secret-plans.md' } })
    await decideToolCall(it.db, going, {
      toolCallId,
      decision: 'deny',
      trail: [{ layer: 'rule', verdict: 'deny', reason: 'plans stay in the house' }],
      error: 'Refused: plans stay in the house.',
    })
    const page = await it.page({ as: it.people.viewer })
    await page.goto(`/executions?tool=${tool}`)
    await page.getByRole('link', { name: tool }).click()
    await page.waitForURL(`**/executions/${toolCallId}`)
    await page.getByText('secret-plans.md').waitFor()
    await page.getByText('Refused: plans stay in the house.').waitFor()
    await page.getByText('Why it was denied').waitFor()
    const toRun = page.getByRole('main').locator(`a[href="/runs/${going.runId}?item=${toolCallId}"]`)
    expect(await toRun.count()).toBe(1)
  })

  test('goes on while somebody looks', async () => {
    const going = await run()
    const toolCallId = await requestCall(it.db, going, { toolName: `going.${newId('t')}` })
    const page = await it.page({ as: it.people.viewer })
    await page.goto(`/executions/${toolCallId}`)
    await live(page)
    await decideToolCall(it.db, going, { toolCallId, decision: 'deny', trail: [], error: 'It is too late for that.' })
    await page.getByText('It is too late for that.').waitFor()
  })

  test('of another workspace is not found, and neither is one that never was', async () => {
    const other = await otherTenant(it.db)
    const { id } = await it.db.prisma.run.findFirstOrThrow({
      where: { workspaceId: other.workspaceId, status: 'running' },
    })
    const { claimNumber } = await it.db.prisma.run.findUniqueOrThrow({ where: { id } })
    const call = await requestCall(it.db, { runId: id, claimNumber } as never, { toolName: other.canary })
    const page = await it.page({ as: it.people.owner })
    for (const callId of [call, 'call_nothing', '%00', 'x'.repeat(300)]) {
      const answer = await page.request.get(`/executions/${callId}`)
      expect([callId, answer.status()]).toEqual([callId, 404])
      expect(await answer.text()).not.toContain(other.canary)
    }
    const own = await page.request.get(`/executions?q=${other.canary}`)
    expect(await own.text()).not.toContain(`/executions/${call}`)
  })
})
