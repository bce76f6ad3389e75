import {
  askQuestion,
  beat,
  durationBuckets,
  findPercentile,
  newId,
  type PartHealth,
  type ProcessHealth,
} from '@quartermaster/db'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { formatCost, formatCount, formatDuration } from '../../apps/admin/src/format.ts'
import { useConsole } from './console.ts'
import { otherTenant } from './other-tenant.ts'
import { addPerson } from './people.ts'

const it = useConsole()

beforeEach(async () => {
  await it.db.pool.query(`DELETE FROM processes WHERE kind = 'bot'`)
})

const periods = [
  { id: '24h', words: 'the last 24 hours', step: 'hour', back: '23 hours', zone: 'UTC' },
  { id: '7d', words: 'the last 7 days', step: 'day', back: '6 days', zone: 'Europe/Berlin' },
  { id: '30d', words: 'the last 30 days', step: 'day', back: '29 days', zone: 'Europe/Berlin' },
] as const

/** What the cards should say, from the runs themselves and not from the sums that the page reads. */
async function expectedNumbers({ step, back, zone }: (typeof periods)[number]) {
  const counts = Array.from(
    { length: durationBuckets.length + 1 },
    (_, index) => `count(*) FILTER (WHERE status <> 'stopped' AND bucket = ${index})::float8`,
  )
  const { rows } = await it.db.pool.query(
    `WITH ended AS (
       SELECT *, width_bucket(extract(epoch FROM finished_at - queued_at)::float8 * 1000, $5::float8[]) AS bucket FROM runs
       WHERE workspace_id = $1 AND finished_at >= date_trunc($2, now() - $3::interval, $4)
     )
     SELECT count(*)::int AS runs, count(*) FILTER (WHERE status = 'failed')::int AS failed,
       coalesce(sum(input_tokens + output_tokens), 0)::float8 AS tokens, coalesce(sum(cost_micros), 0)::float8 AS cost,
       ARRAY[${counts.join(', ')}] AS counts FROM ended`,
    [it.workspaceId, step, back, zone, durationBuckets],
  )
  const { runs, failed, tokens, cost, counts: durations } = rows[0]
  const open = await it.db.prisma.question.count({ where: { workspaceId: it.workspaceId, status: 'open' } })
  return {
    Runs: formatCount(runs),
    'Open questions': String(open),
    Failures: formatCount(failed),
    'Median time': formatDuration(findPercentile(durations, 0.5) as number),
    Tokens: formatCount(tokens),
    Cost: formatCost(cost),
  }
}

async function shownNumbers(page: Page, words: string) {
  const cards = page.getByRole('region', { name: `Numbers of ${words}` }).locator('section')
  await cards.first().waitFor()
  const pairs = await cards.evaluateAll((found) =>
    found.map((card) => [...card.querySelectorAll('p')].slice(0, 2).map((line) => line.textContent ?? '')),
  )
  return Object.fromEntries(pairs)
}

test('the figures are those of the runs, for each period', async () => {
  const page = await it.page({ as: it.people.viewer })
  await page.goto('/overview')
  for (const period of [periods[1], periods[0], periods[2]]) {
    if (period.id !== '7d')
      await page
        .getByRole('navigation', { name: 'Period' })
        .getByRole('link', { name: period.id === '24h' ? '24 h' : '30 days' })
        .click()
    expect([period.id, await shownNumbers(page, period.words)]).toEqual([period.id, await expectedNumbers(period)])
  }
  expect(new URL(page.url()).search).toBe('?period=30d')
  await page.reload()
  await page.getByRole('region', { name: 'Numbers of the last 30 days' }).waitFor()
  expect(await page.getByRole('link', { name: '30 days' }).getAttribute('aria-current')).toBe('true')
})

test('a period that does not exist is the usual one', async () => {
  const page = await it.page({ as: it.people.viewer })
  await page.goto('/overview?period=constructor&period=7d')
  await page.getByRole('region', { name: 'Numbers of the last 7 days' }).waitFor()
})

test('the charts are drawn, and say in words what they show', async () => {
  const page = await it.page({ as: it.people.viewer })
  await page.goto('/overview')
  await page.locator('[data-chart]').nth(3).waitFor()
  const { Runs, Failures, Cost } = await expectedNumbers(periods[1])
  // Each day of the last seven has a bar of its own, as wide as there is room for.
  const bars = page.locator('[data-chart=bars]').first().locator('span[style*="height"]')
  const widths = await bars.evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width))
  expect(widths).toHaveLength(21)
  expect(Math.min(...widths)).toBeGreaterThan(8)
  const captions = await page.locator('figcaption').allTextContents()
  expect(captions[0]).toMatch(`Runs in the last 7 days: ${Runs}, of which ${Failures} failed`)
  expect(captions[2]).toMatch(/^Tokens in the last 7 days: \S+ read, \S+ written\.$/)
  expect(captions[3]).toBe(`Cost in the last 7 days: ${Cost}.`)
})

test('the lists show the newest open questions, runs and failures', async () => {
  const page = await it.page({ as: it.people.viewer })
  await page.goto('/overview')
  const titles = async (sql: string) => (await it.db.pool.query(sql, [it.workspaceId])).rows.map((row) => row.title)
  const runTitle = `coalesce(nullif(r.title, ''), nullif(c.title, ''), 'Untitled') AS title
    FROM runs r JOIN conversations c ON c.id = r.conversation_id WHERE r.workspace_id = $1`
  const expected = {
    'Open questions': await titles(
      `SELECT prompt ->> 'title' AS title FROM questions WHERE workspace_id = $1 AND status = 'open'
       ORDER BY asked_at DESC, id DESC LIMIT 5`,
    ),
    'Recent failures': await titles(
      `SELECT ${runTitle} AND r.status = 'failed' ORDER BY r.queued_at DESC, r.id DESC LIMIT 5`,
    ),
  }
  for (const [name, wanted] of Object.entries(expected)) {
    const items = page.getByRole('region', { name, exact: true }).getByRole('listitem')
    expect(await items.locator('.truncate.font-medium').allTextContents()).toEqual(wanted)
  }
  const runs = await titles(`SELECT ${runTitle} ORDER BY r.queued_at DESC, r.id DESC LIMIT 8`)
  expect(await page.getByRole('table').getByRole('row').locator('td p .font-medium').allTextContents()).toEqual(runs)
})

describe('in a workspace of its own', () => {
  async function ownWorkspace(name: string) {
    const other = await otherTenant(it.db)
    const person = await addPerson(it.db, { name, role: 'viewer', workspaceIds: [other.workspaceId] })
    return { ...other, page: await it.page({ as: person }) }
  }

  test('a new question appears while somebody looks, without reloading', async () => {
    const { page, workspaceId } = await ownWorkspace('Live Looker')
    await page.clock.install()
    await page.goto('/overview')
    await page.getByRole('main').getByText('Live', { exact: true }).waitFor()
    const titles = page.getByRole('region', { name: 'Open questions' }).getByRole('listitem')
    expect(await titles.count()).toBe(1)
    await page.evaluate(() => Object.assign(window, { sameDocument: true }))
    const { id: runId, claimNumber } = await it.db.prisma.run.findFirstOrThrow({
      where: { workspaceId, status: 'running' },
    })
    const asked = { kind: 'confirmation', prompt: { title: 'May I restart the gateway?' } } as const
    expect(await askQuestion(it.db, { runId, claimNumber }, asked)).not.toBeNull()
    // It is read at most so often.
    await page.clock.fastForward(5_000)
    await page.getByText('May I restart the gateway?').waitFor()
    expect(await titles.count()).toBe(2)
    expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true)
  })

  test('a question whose time is over is not open any more, and one that has time is', async () => {
    const { page, workspaceId, shown } = await ownWorkspace('Late Looker')
    await page.goto('/overview')
    await page.getByText(shown[2] as string).waitFor()
    await it.db.pool.query(`UPDATE questions SET expires_at = now() - interval '1 minute' WHERE workspace_id = $1`, [
      workspaceId,
    ])
    await page.reload()
    await page.getByText('Nobody is waiting for an answer').waitFor()
    expect((await shownNumbers(page, 'the last 7 days'))['Open questions']).toBe('0')
  })

  test('what people and models write is shown as text and never becomes part of the page', async () => {
    const { page, workspaceId } = await ownWorkspace('Careful Reader')
    const hostile = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`
    await it.db.pool.query('UPDATE runs SET title = $2, error_message = $2 WHERE workspace_id = $1', [
      workspaceId,
      hostile,
    ])
    await it.db.pool.query(
      `UPDATE questions SET prompt = jsonb_build_object('title', $2::text) WHERE workspace_id = $1`,
      [workspaceId, hostile],
    )
    await page.goto('/overview')
    await page.getByRole('region', { name: 'Open questions' }).getByText(hostile).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.title()).toBe('Overview · Quartermaster')
  })
})

describe('an empty workspace', () => {
  test('teaches the next step, and ticks what is done', async () => {
    const context = await it.context({ as: it.first.email })
    await context.addCookies([{ name: 'qm.workspace', value: it.emptyWorkspaceId, url: it.url }])
    const page = await context.newPage()
    await page.goto('/overview')
    const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem')
    const done = async () =>
      Promise.all((await steps.all()).map((step) => step.getByRole('img', { name: 'done' }).count()))
    expect(await steps.locator('p.font-medium').allTextContents()).toEqual([
      'Start the bot',
      'Write to it',
      'Give it a model',
      'Connect Slack or Telegram',
    ])
    expect(await done()).toEqual([0, 0, 0, 0])
    await page.getByText('No bot process is alive: messages wait until one is.').waitFor()
    for (const text of ['Nobody is waiting for an answer', 'No run yet', 'No run has failed'])
      await page.getByText(text, { exact: true }).waitFor()

    await sayAlive({ telegram: 'ok' })
    await page.reload()
    await page.getByText('1 bot process alive.').waitFor()
    expect(await done()).toEqual([1, 0, 0, 1])
    await steps.getByRole('link', { name: 'In the Playground' }).click()
    await page.waitForURL('**/playground')
  })

  test('is no longer one after its first run', async () => {
    const { workspaceId } = await otherTenant(it.db)
    const person = await addPerson(it.db, { name: 'Run Starter', role: 'viewer', workspaceIds: [workspaceId] })
    const page = await it.page({ as: person })
    await page.goto('/overview')
    await page.getByRole('heading', { name: 'Recent runs' }).waitFor()
    expect(await page.getByRole('region', { name: 'First steps' }).count()).toBe(0)
  })
})

test('where the bots say different things, the health panel shows the one that needs a person', async () => {
  await sayAlive({ slack: 'ok' })
  await sayAlive({ slack: 'problem' })
  const page = await it.page({ as: it.people.viewer })
  await page.goto('/overview')
  const slack = page.getByRole('region', { name: 'Health' }).getByRole('listitem').filter({ hasText: 'Slack' })
  expect(await slack.textContent()).toContain('problem')
  expect(await slack.textContent()).toContain('Slack is problem.')
})

async function sayAlive(states: Partial<Record<keyof ProcessHealth, PartHealth['state']>>): Promise<void> {
  const part = (name: string, state: PartHealth['state'] = 'off') => ({
    state,
    detail: `${name} is ${state}.`,
    next: null,
  })
  await beat(it.db, {
    id: newId('prc'),
    kind: 'bot',
    version: '0.1.0',
    host: 'test',
    pid: 1,
    roles: [],
    health: {
      slack: part('Slack', states.slack),
      telegram: part('Telegram', states.telegram),
      model: part('Model', states.model),
      sandbox: part('Sandbox', states.sandbox),
    },
  })
}
