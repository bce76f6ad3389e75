// The built console over HTTP, as somebody who is signed in sees it, on two databases at a time: what a page takes there
// with a few rows and with very many, asked in turns so that a busy moment of the machine is in both.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  checkMasterKey,
  type Database,
  masterKeyOf,
  newId,
  openDatabase,
  projectRoot,
  requestToolCall,
  seedFirstData,
} from '@quartermaster/db'
import { startRun } from '../../packages/db/src/testing-workspace.ts'
import { launchBrowser } from '../../scripts/launch-browser.ts'
import { startConsole } from '../../scripts/start/console.ts'
import { buildConsoleIfStale } from '../../scripts/start/console-build.ts'
import { type Measurement, percentile } from './measure.ts'

const masterKey = '5e'.repeat(32)
const owner = { email: 'owner@bench.example', password: 'a password for the bench' }
const times = 40
const warmUp = 4
const events = 30

/** A workspace to be filled, and its owner, who looks at it. */
export async function prepareForConsole(db: Database): Promise<{ workspaceId: string }> {
  await checkMasterKey(db, { current: masterKeyOf(Buffer.from(masterKey, 'hex')), previous: null })
  await seedFirstData(db, { ownerEmail: owner.email, ownerPassword: owner.password, workspaceName: 'Bench' })
  const { id: workspaceId } = await db.prisma.workspace.findFirstOrThrow()
  return { workspaceId }
}

/** What stands in the addresses below, of one database. */
interface Ground {
  callId: string
  runId: string
  /** Keys in the middle of the past. */
  call: string
  run: string
}

const executions: Record<string, (ground: Ground) => string> = {
  'Executions: first page': () => '/executions',
  'by tool': () => '/executions?tool=bench.tool-05',
  'by rare tool': () => '/executions?tool=bench.tool-39',
  'by agent': () => '/executions?agent=agt_00000000000000000000000007',
  'by status': () => '/executions?status=failed',
  'by decision': () => '/executions?decision=deny',
  'by person': () => '/executions?member=mem_00000000000000000000000003',
  'by tool and status': () => '/executions?tool=bench.tool-39&status=failed',
  'next page': ({ call }) => `/executions?after=${call}`,
  'next page by tool': ({ call }) => `/executions?tool=bench.tool-05&after=${call}`,
  'search, found': () => '/executions?q=gateway-3',
  'search, nothing': () => '/executions?q=nowhere-to-be-found',
  'denied and slow': () => '/executions?decision=deny&slower=10s',
  'one call': ({ callId }) => `/executions/${callId}`,
}

const runs: Record<string, (ground: Ground) => string> = {
  'Runs: first page': () => '/runs',
  'runs by agent': () => '/runs?agent=agt_00000000000000000000000007',
  'runs by status': () => '/runs?status=failed',
  'runs by person': () => '/runs?member=mem_00000000000000000000000003',
  'runs next page': ({ run }) => `/runs?after=${run}`,
  'runs search, found': () => '/runs?q=customer',
  'runs search, nothing': () => '/runs?q=nowhere-to-be-found',
  'one run': ({ runId }) => `/runs/${runId}`,
}

/** Milliseconds on two databases that hold a workspace of fillWorkspace each. */
export async function measureConsole(urls: { small: string; large: string }): Promise<Measurement[]> {
  const dist = await buildConsoleIfStale(() => console.error('building the console'))
  const hasRuns = existsSync(join(projectRoot, 'apps/admin/src/app/(console)/runs/page.tsx'))
  const small = await openSide(dist, urls.small)
  const large = await openSide(dist, urls.large)
  try {
    const measurements: Measurement[] = []
    for (const [what, addressOf] of Object.entries({
      ...executions,
      ...(hasRuns ? runs : {}),
      Overview: () => '/overview',
    }))
      measurements.push({ what, figures: await compare(small, large, addressOf) })
    measurements.push({ what: 'event → row in the browser', figures: await measureTail(large) })
    return measurements
  } finally {
    await small.close()
    await large.close()
  }
}

interface Side {
  url: string
  db: Database
  ground: Ground
  cookie: string
  close(): Promise<void>
}

async function openSide(dist: string, databaseUrl: string): Promise<Side> {
  const dataDir = mkdtempSync(join(tmpdir(), 'qm-bench-console-'))
  const db = openDatabase(databaseUrl, { name: 'qm-bench', maxConnections: 4 })
  const started = await startConsole({ dist, databaseUrl, dataDir, settings: { QM_MASTER_KEY: masterKey } })
  return {
    url: started.url,
    db,
    ground: await findGround(db),
    cookie: await signIn(started.url),
    async close() {
      await started.stop()
      await db.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function findGround({ pool }: Database): Promise<Ground> {
  const middle = async (table: string, time: string) => {
    const { rows } = await pool.query(
      `SELECT id, ${time} AS at FROM ${table} WHERE ${time} < now() - interval '90 days' ORDER BY workspace_id, ${time} DESC, id DESC LIMIT 1`,
    )
    return rows[0] as { id: string; at: Date }
  }
  const [call, run] = [await middle('tool_calls', 'requested_at'), await middle('runs', 'queued_at')]
  const keyOf = ({ at, id }: { id: string; at: Date }) => `${at.toISOString()}~${id}`
  return { callId: call.id, runId: run.id, call: keyOf(call), run: keyOf(run) }
}

async function signIn(url: string): Promise<string> {
  const cookies = new Map<string, string>()
  const keep = (answer: Response) => {
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair)
    }
    return answer
  }
  const header = () => [...cookies.values()].join('; ')
  const { csrfToken } = (await keep(await fetch(`${url}/api/auth/csrf`)).json()) as { csrfToken: string }
  const answer = keep(
    await fetch(`${url}/api/auth/callback/credentials`, {
      method: 'POST',
      headers: { origin: url, cookie: header(), 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...owner, csrfToken, json: 'true' }),
    }),
  )
  if (answer.status !== 200) throw new Error(`signing in answered ${answer.status}`)
  return header()
}

async function compare(
  small: Side,
  large: Side,
  addressOf: (ground: Ground) => string,
): Promise<Record<string, number>> {
  const durations = new Map<Side, number[]>([
    [small, []],
    [large, []],
  ])
  for (let round = 0; round < warmUp + times; round++)
    for (const [side, list] of durations) {
      const start = performance.now()
      const answer = await fetch(side.url + addressOf(side.ground), {
        headers: { cookie: side.cookie },
        redirect: 'manual',
      })
      await answer.text()
      if (answer.status !== 200) throw new Error(`${addressOf(side.ground)} answered ${answer.status}`)
      if (round >= warmUp) list.push(performance.now() - start)
    }
  const of = (side: Side, share: number) => percentile(durations.get(side) as number[], share)
  return {
    'small p50 (ms)': of(small, 0.5),
    'p50 (ms)': of(large, 0.5),
    'small p95 (ms)': of(small, 0.95),
    'p95 (ms)': of(large, 0.95),
    'times small': of(large, 0.5) / of(small, 0.5),
  }
}

/** From before a call is requested to its row on the screen, in a real browser. */
async function measureTail(side: Side): Promise<Record<string, number>> {
  const browser = await launchBrowser()
  try {
    const context = await browser.newContext()
    const cookies = side.cookie.split('; ').map((pair) => {
      const at = pair.indexOf('=')
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url: side.url }
    })
    await context.addCookies(cookies)
    const page = await context.newPage()
    await page.goto(`${side.url}/executions`)
    await page.getByRole('main').getByText('Live', { exact: true }).waitFor()
    const run = await startRunIn(side.db)
    const durations: number[] = []
    for (let event = 0; event < events; event++) {
      const tool = newId('tail')
      const seen = page.evaluate(
        (wanted) =>
          new Promise<number>((resolve) => {
            const look = () => document.body.textContent?.includes(wanted) && resolve(Date.now())
            new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
            look()
          }),
        tool,
      )
      const start = Date.now()
      await requestToolCall(side.db, run, {
        step: 1,
        toolUseId: tool,
        toolName: tool,
        toolVersion: 'v1',
        effect: 'read',
        idempotent: true,
        arguments: {},
        argumentsDigest: 'd',
      })
      durations.push((await seen) - start)
    }
    return { 'p50 (ms)': percentile(durations, 0.5), 'p95 (ms)': percentile(durations, 0.95) }
  } finally {
    await browser.close()
  }
}

async function startRunIn(db: Database) {
  const { rows } = await db.pool.query(
    `SELECT a.workspace_id, a.id AS agent, c.id AS channel, (SELECT id FROM members m WHERE m.workspace_id = a.workspace_id LIMIT 1) AS member
     FROM agents a JOIN channels c ON c.workspace_id = a.workspace_id AND c.name = 'Bench' LIMIT 1`,
  )
  const { workspace_id: workspaceId, agent: agentId, channel: channelId, member } = rows[0]
  await db.pool.query('UPDATE channels SET default_agent_id = $2 WHERE id = $1', [channelId, agentId])
  return startRun(db, { workspaceId, agentId, channelId, members: { member } as never })
}
