// The runs of the workspace: found, followed, taken apart, stopped and gone on with from a step.
import {
  announceLive,
  answerQuestion,
  askQuestion,
  claimDelivery,
  confirmDelivery,
  decideToolCall,
  enqueueDelivery,
  finishRun,
  finishToolCall,
  type LiveEvent,
  newId,
  parkRun,
  requestToolCall,
  startToolCall,
} from '@quartermaster/db'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useConsole } from './console.ts'
import { otherTenant } from './other-tenant.ts'
import { answer, startSession } from './playground-session.ts'

const it = useConsole()

type Run = Awaited<ReturnType<typeof startSession>>

/** A call of the run's newest step, with what the policy said to it. */
async function call(run: Run, tool: string, decision: 'allow' | 'ask' | 'deny', path: string) {
  const toolUseId = newId('toolu')
  const given = { path }
  const requested = await requestToolCall(it.db, run.claim, {
    ...{ step: 1, toolUseId, toolName: tool, toolVersion: 'v1', effect: 'write', idempotent: false },
    ...{ arguments: given, argumentsDigest: `digest of ${path}` },
  })
  if (!requested) throw new Error('expected the call to be recorded')
  const reason = { allow: 'allowed by the profile coding', ask: 'writes ask here', deny: 'denied by the workspace: *' }
  const trail = [{ layer: 'profile', verdict: decision, reason: reason[decision], source: 'file.*' }]
  if (decision !== 'ask') await decideToolCall(it.db, run.claim, { toolCallId: requested.id, decision, trail })
  return { toolCallId: requested.id, toolUseId, digest: `digest of ${path}`, trail }
}

/** A run of this person's with one call that ran, one that was denied and one that waits for an approver. */
async function makeRun(title: string, person = it.people.member, more: readonly string[] = []) {
  const run = await startSession(it, person, title)
  await answer(it.db, run.claim, { type: 'text', text: 'I look at three files.' })
  const ran = await call(run, 'file.read', 'allow', 'ran.txt')
  await startToolCall(it.db, run.claim, { toolCallId: ran.toolCallId, argumentsDigest: ran.digest })
  await finishToolCall(it.db, run.claim, {
    ...{ toolCallId: ran.toolCallId, status: 'succeeded', output: `begin ${'x'.repeat(5_000)} end of it` },
    ...{ taint: ['stranger.example'], findings: [{ kind: 'injection', what: 'It claims to be instructions.' }] },
  })
  const denied = await call(run, 'web.fetch', 'deny', 'denied.txt')
  const asks = await call(run, 'file.write', 'ask', 'asks.txt')
  const questionId = await askQuestion(it.db, run.claim, {
    ...{ toolCallId: asks.toolCallId, kind: 'confirmation', prompt: { title: `Write for ${title}` } },
    ...{ approvers: { roles: ['approver'] }, reasons: asks.trail, argumentsDigest: asks.digest },
  })
  if (!questionId) throw new Error('expected a question')
  for (const another of more) {
    const { toolCallId, digest, trail } = await call(run, 'file.write', 'ask', `${another}.txt`)
    await askQuestion(it.db, run.claim, {
      ...{ toolCallId, kind: 'confirmation', prompt: { title: another } },
      ...{ approvers: { roles: ['approver'] }, reasons: trail, argumentsDigest: digest },
    })
  }
  await parkRun(it.db, run.claim)
  return { ...run, ran, denied, asks, questionId, title }
}

const rows = (page: Page) => page.getByRole('option')
const panel = (page: Page) => page.getByRole('complementary', { name: 'What is chosen' })
const statusOf = async (id: string) => (await it.db.prisma.run.findUniqueOrThrow({ where: { id } })).status

test('runs are filtered by what is chosen and searched by what is typed, and the address keeps it', async () => {
  const title = `Sought ${newId('t')}`
  const run = await startSession(it, it.people.member, title)
  await finishRun(it.db, run.claim, { status: 'failed', error: { code: 'model_overloaded', message: `No ${title}` } })
  const page = await it.page({ as: it.people.viewer })
  await page.goto('/runs')
  const table = page.getByRole('group', { name: 'Runs' })
  await table.getByRole('link', { name: title }).waitFor()
  await page.getByRole('combobox', { name: 'Status' }).selectOption('succeeded')
  await page.waitForURL('**/runs?status=succeeded')
  await expect.poll(() => table.getByText('failed', { exact: true }).count()).toBe(0)
  await page.getByRole('combobox', { name: 'Status' }).selectOption('failed')
  await page.getByRole('searchbox', { name: 'Search titles and errors' }).fill(`no ${title.toLowerCase()}`)
  await page.waitForURL(/q=/)
  await expect.poll(() => table.getByRole('row').count()).toBe(2)
  await page.reload()
  await table.getByRole('link', { name: title }).waitFor()
  await page.getByRole('searchbox', { name: 'Search titles and errors' }).fill('nobody ever said this')
  await page.getByText('No run is like that').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForURL('**/runs')
  await page.getByRole('combobox', { name: 'Requester' }).selectOption(it.people.owner.memberId)
  await expect.poll(() => table.getByRole('link', { name: title }).count()).toBe(0)
})

test('older runs are a page further, and none of them is on both', async () => {
  const page = await it.page({ as: it.people.viewer })
  await page.goto('/runs')
  const links = page.getByRole('group', { name: 'Runs' }).getByRole('link')
  const addresses = () => links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))
  const first = await addresses()
  expect(first).toHaveLength(50)
  await page.getByRole('link', { name: 'Older ones' }).click()
  await page.waitForURL(/after=/)
  await expect.poll(async () => (await addresses()).some((address) => first.includes(address))).toBe(false)
})

test('a run comes to the list by itself, and its status changes under the eyes of whoever looks', async () => {
  const page = await it.page({ as: it.people.viewer })
  await page.goto('/runs')
  await page.getByText('Live', { exact: true }).waitFor()
  const title = `Comes by itself ${newId('t')}`
  const run = await startSession(it, it.people.member, title)
  const row = page.getByRole('row').filter({ hasText: title })
  await row.getByText('running').waitFor()
  await finishRun(it.db, run.claim, { status: 'succeeded' })
  await row.getByText('succeeded').waitFor()
})

test('a trace shows each call with its decision; up and down choose, and the panel says why and what came of it', async () => {
  const run = await makeRun(`Traced ${newId('t')}`)
  const page = await it.page({ as: it.people.viewer })
  await page.goto(`/runs/${run.runId}`)
  await rows(page).filter({ hasText: 'file.read' }).getByText('allowed').waitFor()
  await rows(page).filter({ hasText: 'web.fetch' }).getByText('denied', { exact: true }).waitFor()
  await rows(page).filter({ hasText: 'file.write' }).getByText('asking').waitFor()
  // What waits for somebody is shown first; a viewer is told whom it waits for.
  await panel(page).getByText('You may not answer this').waitFor()
  expect(await panel(page).getByRole('button', { name: 'Approve' }).count()).toBe(0)

  await rows(page).filter({ hasText: 'file.read' }).click()
  await page.waitForURL(`**/runs/${run.runId}?item=${run.ran.toolCallId}`)
  await panel(page).getByText('Allowed by the profile coding.').waitFor()
  await panel(page).getByText('stranger.example').waitFor()
  await panel(page).getByText('It claims to be instructions.').waitFor()
  await panel(page).getByText('ran.txt').waitFor()
  expect(await panel(page).getByText('end of it').count()).toBe(0)
  await panel(page)
    .getByRole('button', { name: /^Show all/ })
    .click()
  await panel(page).getByText('end of it').waitFor()

  await page.getByRole('listbox').focus()
  await page.keyboard.press('ArrowDown')
  await page.waitForURL(`**?item=${run.denied.toolCallId}`)
  await panel(page).getByText('Why it was denied').waitFor()
  await page.keyboard.press('Home')
  await panel(page)
    .getByRole('heading', { name: /^Message from/ })
    .waitFor()
  await panel(page).getByText(run.title).waitFor()
  await page.keyboard.press('ArrowDown')
  await panel(page).getByText('I look at three files.').waitFor()

  await page.getByRole('link', { name: 'Log' }).click()
  await page.getByRole('row').filter({ hasText: 'Question asked' }).waitFor()
  await page.getByRole('link', { name: 'the call' }).first().click()
  await page.waitForURL(`**?item=${run.ran.toolCallId}`)
})

test('an approver answers right in the trace, with a key, and it says who answered and where', async () => {
  const run = await makeRun(`Answered here ${newId('t')}`)
  const page = await it.page({ as: it.people.approver })
  await page.goto(`/runs/${run.runId}`)
  await panel(page).getByRole('button', { name: 'Approve', exact: true }).waitFor()
  // Whoever writes a reason writes letters.
  await panel(page).getByRole('button', { name: 'Deny with reason…' }).click()
  await panel(page).getByLabel('Why not').pressSequentially('ad')
  expect((await it.db.prisma.question.findUniqueOrThrow({ where: { id: run.questionId } })).status).toBe('open')
  await page.getByRole('listbox').focus()
  await page.keyboard.press('a')
  await panel(page)
    .getByText(/^Approved by /)
    .waitFor()
  await panel(page)
    .getByText(/approved\s+in the console/)
    .waitFor()
  expect(await it.db.prisma.question.findUniqueOrThrow({ where: { id: run.questionId } })).toMatchObject({
    status: 'answered',
    verdict: 'approve',
  })
})

test('a question that somebody else answers stays in the panel; the next one does not come under the finger', async () => {
  const run = await makeRun(`Two questions ${newId('t')}`, it.people.member, ['The other one'])
  const page = await it.page({ as: it.people.approver })
  await page.goto(`/runs/${run.runId}`)
  const title = `Write for ${run.title}`
  await panel(page).getByRole('article', { name: title, exact: true }).waitFor()
  await page.waitForURL(`**?item=${run.asks.toolCallId}`)
  await answerQuestion(it.db, {
    ...{ questionId: run.questionId, memberId: it.people.owner.memberId, verdict: 'deny', surface: 'slack' },
  })
  await panel(page)
    .getByText(/^Denied by /)
    .waitFor()
  await panel(page).getByText(title).waitFor()
  expect(await panel(page).getByRole('button', { name: 'Approve' }).count()).toBe(0)
})

test('a trace follows its run without a reload', async () => {
  const run = await startSession(it, it.people.member, `Followed ${newId('t')}`)
  const page = await it.page({ as: it.people.viewer })
  await page.goto(`/runs/${run.runId}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await answer(it.db, run.claim, { type: 'text', text: 'Here.' })
  await call(run, 'file.read', 'allow', 'later.txt')
  await rows(page).filter({ hasText: 'later.txt' }).waitFor()
  await finishRun(it.db, run.claim, { status: 'succeeded' })
  await page.getByText('succeeded', { exact: true }).waitFor()
})

test('what is written stands below the trace; neither it nor the end of the run moves what was there', async () => {
  const run = await startSession(it, it.people.member, `Written ${newId('t')}`)
  await answer(it.db, run.claim, { type: 'text', text: 'First.' })
  const page = await it.page({ as: it.people.member })
  await page.goto(`/runs/${run.runId}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  // What is there from the beginning and stays: the row of the step that is going on comes and goes.
  const places = () =>
    page
      .locator('h1, header p, header a, header button, [role=tablist] a, #item-m1, #item-s1, aside h2')
      .evaluateAll((all) =>
        all
          .filter((each) => each.checkVisibility({ visibilityProperty: true }) && each.textContent !== 'Stop')
          .map((each) => {
            const { left, top } = each.getBoundingClientRect()
            return `${each.tagName} ${each.textContent?.slice(0, 12)} ${left} ${top}`
          }),
      )
  const before = await places()
  expect(before.length).toBeGreaterThan(6)
  const say = (event: LiveEvent) =>
    announceLive(it.db, [{ workspaceId: it.workspaceId, conversationId: run.conversationId, runId: run.runId, event }])
  const text = 'Many lines.\n\n'.repeat(20)
  await say({ kind: 'text', step: 2, from: 0, text })
  const writing = page.locator('[data-writing]')
  await expect.poll(() => writing.getByText('Many lines.').count()).toBe(20)
  expect(await places()).toEqual(before)
  await say({ kind: 'text', step: 2, from: text.length, text: 'The end.' })
  await writing.getByText('The end.').waitFor()
  await say({ kind: 'step-end', step: 2 })
  await writing.waitFor({ state: 'detached' })
  await page.goto(`/runs/${run.runId}?item=m1`)
  const chosen = await places()
  await finishRun(it.db, run.claim, { status: 'succeeded' })
  await page.getByText('succeeded', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' })
  expect(await places()).toEqual(chosen)
})

test('of a run that failed, what went wrong is shown first', async () => {
  const title = `Failed ${newId('t')}`
  const run = await startSession(it, it.people.member, title)
  await answer(it.db, run.claim, { type: 'text', text: 'I try.' })
  const failed = await call(run, 'file.read', 'allow', 'broken.txt')
  await startToolCall(it.db, run.claim, { toolCallId: failed.toolCallId, argumentsDigest: failed.digest })
  await finishToolCall(it.db, run.claim, { toolCallId: failed.toolCallId, status: 'failed', error: 'It is broken.' })
  await answer(it.db, run.claim, { type: 'text', text: 'I give up.' })
  await finishRun(it.db, run.claim, { status: 'failed', error: { code: 'model_overloaded', message: 'No.' } })
  const page = await it.page({ as: it.people.viewer })
  await page.goto(`/runs/${run.runId}`)
  await panel(page).getByText('It is broken.').waitFor()
  await expect.poll(() => page.title()).toBe(`${title} · Quartermaster`)
})

test('who takes part may stop a run, and approvers; a viewer has no such buttons', async () => {
  const run = await makeRun(`Stopped here ${newId('t')}`)
  const viewer = await it.page({ as: it.people.viewer })
  await viewer.goto(`/runs/${run.runId}`)
  for (const name of ['Stop', 'Re-run', 'Fork from here'])
    expect([name, await viewer.getByRole('button', { name }).count()]).toEqual([name, 0])
  const stranger = await it.page({ as: it.people.approver })
  const theirs = await makeRun(`Another’s ${newId('t')}`, it.people.owner)
  const bystander = await it.page({ as: it.people.member })
  await bystander.goto(`/runs/${theirs.runId}`)
  await bystander.getByRole('button', { name: 'Re-run' }).waitFor()
  expect(await bystander.getByRole('button', { name: 'Stop' }).count()).toBe(0)

  await stranger.goto(`/runs/${run.runId}`)
  await stranger.getByRole('button', { name: 'Stop' }).click()
  await stranger
    .getByRole('dialog', { name: `Stop “${run.title}”?` })
    .getByRole('button', { name: 'Stop it' })
    .click()
  await stranger.getByText('stopped', { exact: true }).first().waitFor()
  expect(await statusOf(run.runId)).toBe('stopped')
  expect(await statusOf(theirs.runId)).toBe('waiting')
})

test('run again, a request is in a session of one’s own; forked, with what was done and a word of one’s own', async () => {
  const run = await makeRun(`Begun anew ${newId('t')}`)
  const page = await it.page({ as: it.people.approver })
  await page.goto(`/runs/${run.runId}`)
  await page.getByRole('button', { name: 'Re-run' }).click()
  await page.getByRole('button', { name: 'Run it again' }).click()
  await page.waitForURL(/\/playground\/cnv_/)
  await page.getByRole('log').getByText(run.title).waitFor()
  const again = await it.db.prisma.conversation.findFirstOrThrow({ where: { forkedFrom: run.runId } })
  expect(page.url()).toContain(again.id)
  expect(again).toMatchObject({ openedBy: it.people.approver.memberId, taint: [] })

  await page.goto(`/runs/${run.runId}?item=s1`)
  await page.getByRole('button', { name: 'Fork from here' }).click()
  const dialog = page.getByRole('dialog', { name: 'Fork at step 1?' })
  await dialog.getByLabel('Your message').fill('Now only the first.')
  await dialog.getByRole('button', { name: 'Fork it' }).click()
  await page.waitForURL((url) => url.pathname.startsWith('/playground/cnv_') && !url.pathname.includes(again.id))
  await page.getByRole('log').getByText('I look at three files.').waitFor()
  await page.getByRole('log').getByText('Now only the first.').waitFor()
  expect(await statusOf(run.runId)).toBe('waiting')
  const forks = await it.db.prisma.run.findMany({ where: { conversation: { forkedFrom: run.runId } } })
  expect(forks.map(({ status, requestedBy }) => ({ status, requestedBy }))).toEqual(
    Array(2).fill({ status: 'queued', requestedBy: it.people.approver.memberId }),
  )
  // The way back: the new run says where it comes from.
  await page.goto(`/runs/${forks[0]?.id}`)
  await page.getByRole('link', { name: 'another run' }).click()
  await page.waitForURL(`**/runs/${run.runId}**`)
})

test('an export has every run that the filters leave, as CSV and as JSONL', async () => {
  const marker = newId('t')
  for (let count = 0; count < 3; count++)
    await startSession(it, it.people.member, `Exported ${marker} ${count}, "quoted"`)
  const page = await it.page({ as: it.people.viewer })
  await page.goto(`/runs?q=${marker}`)
  await page.getByRole('button', { name: 'Export' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'CSV' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe('runs.csv')
  const { request } = page
  const csv = await (await request.get(`/api/runs/export?format=csv&q=${marker}`)).text()
  expect(csv.split('\r\n')[0]).toContain('id,title,status,agent,channel')
  expect(csv).toContain(`"Exported ${marker} 2, ""quoted"""`)
  const lines = (await (await request.get(`/api/runs/export?format=jsonl&q=${marker}`)).text()).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).title)).toEqual(
    [2, 1, 0].map((count) => `Exported ${marker} ${count}, "quoted"`),
  )
  const all = (await (await request.get('/api/runs/export?format=jsonl')).text()).trimEnd().split('\n')
  expect(all).toHaveLength(await it.db.prisma.run.count({ where: { workspaceId: it.workspaceId } }))
  // What is not understood must not become an export of everything.
  for (const wrong of ['format=xls', 'status=faild', 'from=soon', 'from=2026-02-30', 'requester=mem_1'])
    expect([wrong, (await request.get(`/api/runs/export?${wrong}`)).status()]).toEqual([wrong, 400])
  expect((await (await it.context()).request.get('/api/runs/export?format=csv')).status()).toBe(401)
})

test('a file that a call sent is shown with it, and is the workspace’s own', async () => {
  const run = await makeRun(`Sends a file ${newId('t')}`)
  const sent = {
    filename: 'page.html',
    mimeType: 'text/html',
    data: Buffer.from('<script>alert(1)</script>').toString('base64'),
  }
  const queued = await enqueueDelivery(it.db, {
    ...{ conversationId: run.conversationId, kind: 'media', payload: { kind: 'media', ...sent } },
  })
  await it.db.pool.query('UPDATE deliveries SET run_id = $3, key = $2 WHERE id = $1', [
    queued?.id,
    `${run.ran.toolUseId}/0`,
    run.runId,
  ])
  for (;;) {
    const claimed = await claimDelivery(it.db, { processId: 'test', conversationId: run.conversationId })
    if (!claimed) break
    await confirmDelivery(it.db, claimed, null)
  }
  const page = await it.page({ as: it.people.viewer })
  await page.goto(`/runs/${run.runId}?item=${run.ran.toolCallId}`)
  const address = await panel(page).getByRole('link', { name: 'page.html' }).getAttribute('href')
  const answered = await page.request.get(address as string)
  expect(answered.headers()).toMatchObject({
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
  })
  const elsewhere = await startSession(it, it.people.member)
  const wrong = (address as string).replace(run.runId, elsewhere.runId)
  expect((await page.request.get(wrong)).status()).toBe(404)
  expect((await (await it.context()).request.get(address as string)).status()).toBe(401)
})

test('another workspace’s run, its events, its calls and its files do not exist', async () => {
  const other = await otherTenant(it.db)
  const { id } = await it.db.prisma.run.findFirstOrThrow({ where: { workspaceId: other.workspaceId } })
  const own = await makeRun(`Own ${newId('t')}`)
  const page = await it.page({ as: it.people.owner })
  for (const path of [`/runs/${id}`, `/runs/${id}?view=log`, `/api/runs/${id}/live`, `/api/runs/${id}/files/dlv_1`]) {
    const answered = await page.request.get(path)
    expect([path, answered.status()]).toEqual([path, 404])
    expect(await answered.text()).not.toContain(other.canary)
  }
  const question = await it.db.prisma.question.findFirstOrThrow({ where: { workspaceId: other.workspaceId } })
  for (const path of [
    '/runs',
    `/runs?q=${other.canary}`,
    '/api/runs/export?format=csv',
    `/runs/${own.runId}?item=${question.id}`,
  ])
    expect([path, (await (await page.request.get(path)).text()).includes(`${other.canary} a`)]).toEqual([path, false])
  expect((await (await it.context()).request.get(`/api/runs/${own.runId}/live`)).status()).toBe(401)
})

test('Overview and Approvals lead to the trace', async () => {
  const run = await makeRun(`Led to ${newId('t')}`)
  const page = await it.page({ as: it.people.approver })
  await page.goto('/overview')
  await page.getByRole('region', { name: 'Recent runs' }).getByRole('link', { name: run.title }).click()
  await page.waitForURL(`**/runs/${run.runId}**`)
  await page.goto(`/approvals/${run.questionId}`)
  await page.getByRole('link', { name: 'its run' }).click()
  await page.waitForURL(`**/runs/${run.runId}?item=${run.asks.toolCallId}`)
  await rows(page).filter({ hasText: 'file.write' }).and(page.locator('[aria-selected=true]')).waitFor()
})
