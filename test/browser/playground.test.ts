// The page of the Playground over what a bot writes into the database, without a bot: what it shows, live and after a
// reload, and who may see and answer it. With a real bot: playground-with-bot.test.ts.
import { AxeBuilder } from '@axe-core/playwright'
import {
  announceLive,
  askQuestion,
  beat,
  decideToolCall,
  finishRun,
  finishToolCall,
  type NewQuestion,
  recordServerCalls,
  startToolCall,
} from '@quartermaster/db'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { narrow, useConsole, wide } from './console.ts'
import { otherTenant } from './other-tenant.ts'
import { addPerson, type Person } from './people.ts'
import { answer, type OwnSession, requestCall, startSession } from './playground-session.ts'

const it = useConsole()
type Started = Omit<OwnSession, 'questionId'>

const say = (text: string) => ({ type: 'text', text })
const messageBox = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const log = (page: Page) => page.getByRole('log')
const shown = async (what: Locator) => (await what.allInnerTexts()).join('\n')

async function openAs(person: Person, session: Started): Promise<Page> {
  const page = await it.page({ as: person })
  await page.goto(`/playground/${session.conversationId}`)
  return page
}

const live = (session: Started, event: Parameters<typeof announceLive>[1][number]['event']) =>
  announceLive(it.db, [
    { workspaceId: it.workspaceId, conversationId: session.conversationId, runId: session.runId, event },
  ])

/** A session that waits for an answer to this question, asked about a call. */
async function asking(question: Partial<NewQuestion>, person = it.people.member) {
  const session = await startSession(it, person, 'write something')
  const call = await requestCall(it.db, session.claim, {
    tool: 'vfs.write',
    arguments: { path: 'notes.txt', content: 'hello' },
  })
  const questionId = await askQuestion(it.db, session.claim, {
    kind: 'confirmation',
    toolCallId: call.toolCallId,
    prompt: {
      title: 'Write 5 bytes to notes.txt',
      facts: [{ label: 'File', value: 'notes.txt' }],
      lease: { maxUses: 20, durationMs: 3_600_000 },
      mayEdit: true,
    },
    reasons: [{ verdict: 'ask', reason: 'Writing needs a confirmation' }],
    approvers: { requester: true },
    ...question,
  })
  return { session, questionId: questionId as string, ...call }
}

const answersTo = (questionId: string) => it.db.prisma.answer.findMany({ where: { questionId } })

describe('what the agent does', () => {
  test('is shown while it is written, then as stored, and the same after a reload', async () => {
    const session = await startSession(it, it.people.member)
    const page = await openAs(it.people.member, session)
    await log(page).getByText('is working').waitFor()
    let from = 0
    const write = async (text: string) => {
      await live(session, { kind: 'text', step: 1, from, text })
      from += text.length
    }
    await write('Half of an **ans')
    await page.locator('[data-writing] strong', { hasText: 'ans' }).waitFor()
    await write('wer** and')
    await page.locator('[data-writing]', { hasText: 'Half of an answer and' }).waitFor()
    await live(session, { kind: 'restart', step: 1, keep: 5 })
    await expect.poll(() => shown(page.locator('[data-writing]'))).toBe('Half')

    // Somebody who comes now sees it from its beginning.
    const second = await openAs(it.people.member, session)
    await second.locator('[data-writing]', { hasText: 'Half' }).waitFor()

    await answer(it.db, session.claim, say('Half of **it**, and the rest.'))
    await live(session, { kind: 'step-end', step: 1 })
    for (const tab of [page, second]) {
      await log(tab).getByRole('article', { name: 'Answer' }).getByText(', and the rest.').waitFor()
      await tab.locator('[data-writing]').waitFor({ state: 'detached' })
    }
    await finishRun(it.db, session.claim, { status: 'succeeded', seenMessage: 1 })
    await page.getByText('done', { exact: true }).waitFor()
    const before = await shown(log(page))
    await page.reload()
    expect(await shown(log(page))).toBe(before)
  })

  test('its tool calls are lines that open to their arguments and output', async () => {
    const session = await startSession(it, it.people.member)
    const page = await openAs(it.people.member, session)
    const { toolCallId } = await requestCall(it.db, session.claim, {
      tool: 'demo.read_things',
      arguments: { path: 'a.txt' },
    })
    const line = log(page).locator('details')
    await line.getByText('Demo read things').waitFor()
    await line.getByText('running').waitFor()
    await decideToolCall(it.db, session.claim, { toolCallId, decision: 'allow', trail: [] })
    const argumentsDigest = `digest of ${JSON.stringify({ path: 'a.txt' })}`
    expect(await startToolCall(it.db, session.claim, { toolCallId, argumentsDigest })).toBe('started')
    await finishToolCall(it.db, session.claim, { toolCallId, status: 'succeeded', output: 'forty-two lines' })
    await line.getByText(/^done/).waitFor()
    await line.locator('summary').click()
    await line.getByText('"path": "a.txt"').waitFor()
    await line.getByText('forty-two lines').waitFor()
  })

  test('what the model’s provider searched for is a line like any call, and what is not on record is none', async () => {
    const session = await startSession(it, it.people.member, 'look it up')
    const searched = (id: string, name: string) => ({ type: 'server_tool_use', id, name, input: { query: 'cards' } })
    await recordServerCalls(it.db, session.claim, [
      {
        ...{
          step: 1,
          toolUseId: 'srvtoolu_1',
          toolName: 'web.search',
          toolVersion: 'v1',
          arguments: { query: 'cards' },
        },
        ...{ argumentsDigest: 'digest', trail: [], status: 'succeeded', output: '1. Cards', error: null, findings: [] },
        ...{ taint: ['web.search'], startedAt: new Date() },
      },
    ])
    const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
    const blocks = [searched('srvtoolu_1', 'web_search'), found, searched('srvtoolu_2', 'tool_search_tool_bm25')]
    await answer(it.db, session.claim, ...blocks, say('Here they are.'))
    const page = await openAs(it.people.member, session)
    await log(page).getByText('Here they are.').waitFor()
    expect(await shown(log(page))).toContain('web.search')
    expect(await shown(log(page))).not.toContain('tool_search')
  })

  test('its markdown is drawn faithfully and runs nothing, loads nothing', async () => {
    const session = await startSession(it, it.people.member)
    const text = [
      '# Title',
      '1. one\n2. `two`',
      '| a | b |\n| - | - |\n| 1 | 2 |',
      '```js\nconst x = "<b>"\n```',
      '<script>window.taken = true</script><img src=x onerror="window.taken = true">',
      '![a picture](https://evil.example/track.png)',
      '[bad](javascript:alert(1)) [good](https://example.com/)',
    ].join('\n\n')
    await answer(it.db, session.claim, say(text))
    const page = await it.page({ as: it.people.member })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(`/playground/${session.conversationId}`)
    const drawn = log(page).getByRole('article', { name: 'Answer' })
    await drawn.getByRole('heading', { name: 'Title' }).waitFor()
    expect(await drawn.getByRole('listitem').count()).toBe(2)
    expect(await drawn.getByRole('cell').count()).toBe(2)
    expect(await shown(drawn.locator('pre'))).toContain('const x = "<b>"')
    expect(
      await drawn.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).not.toContain('javascript:alert(1)')
    await drawn.getByRole('link', { name: 'good' }).waitFor()
    expect(await page.evaluate(() => 'taken' in window)).toBe(false)
    expect(asked.filter((url) => !url.startsWith(it.url))).toEqual([])
  })

  test('is ended by the Stop button, and by Escape', async () => {
    for (const how of ['button', 'key']) {
      const session = await startSession(it, it.people.member)
      const page = await openAs(it.people.member, session)
      const stop = page.getByRole('button', { name: 'Stop' })
      await stop.waitFor()
      if (how === 'button') await stop.click()
      else await page.keyboard.press('Escape')
      await page.getByText('stopping', { exact: true }).waitFor()
      const { stopRequestedAt } = await it.db.prisma.run.findUniqueOrThrow({ where: { id: session.runId } })
      expect([how, stopRequestedAt]).toEqual([how, expect.any(Date)])
      await finishRun(it.db, session.claim, { status: 'stopped', seenMessage: 1 })
      await page.getByText('stopped', { exact: true }).waitFor()
    }
  })
})

describe('a message', () => {
  test('goes out with Enter, Shift+Enter makes a line, and it is there after a reload', async () => {
    const session = await startSession(it, it.people.member)
    const page = await openAs(it.people.member, session)
    await messageBox(page).fill('one')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('two <b>')
    await page.keyboard.press('Enter')
    const said = log(page).getByRole('article', { name: 'Your message' }).last()
    await expect.poll(() => shown(said)).toBe('one\ntwo <b>')
    expect(await messageBox(page).inputValue()).toBe('')
    await page.reload()
    await expect.poll(() => shown(said)).toBe('one\ntwo <b>')
    expect(await it.db.prisma.message.count({ where: { conversationId: session.conversationId } })).toBe(2)
  })

  test('carries images and text files, and what cannot be read is said and not sent', async () => {
    const session = await startSession(it, it.people.member)
    const page = await openAs(it.people.member, session)
    const picker = page.locator('input[type=file]')
    const count = () => it.db.prisma.message.count({ where: { conversationId: session.conversationId } })
    await picker.setInputFiles({ name: 'program.md', mimeType: 'text/plain', buffer: Buffer.from([0, 1, 2, 255]) })
    await messageBox(page).fill('look at this')
    await page.keyboard.press('Enter')
    await page.getByText('program.md cannot be read: only text, images').waitFor()
    expect(await count()).toBe(1)
    await page.getByRole('button', { name: 'Remove program.md' }).click()
    await picker.setInputFiles({ name: 'huge.txt', mimeType: 'text/plain', buffer: Buffer.alloc(300_000, 'x') })
    await page.getByText('huge.txt is larger than 256 KB').waitFor()

    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    await picker.setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') },
      { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') },
    ])
    await page.getByRole('button', { name: 'Send' }).click()
    await log(page).getByRole('img', { name: 'dot.png' }).waitFor()
    await log(page).getByText('list.csv').waitFor()
    const { content } = await it.db.prisma.message.findFirstOrThrow({
      where: { conversationId: session.conversationId, number: 2 },
    })
    expect(content).toEqual([
      say('[Attached file: dot.png]'),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      say('[Attached file: list.csv]\na,b\n1,2\n'),
      say('look at this'),
    ])
  })
})

describe('the card of a confirmation', () => {
  test('says what, why, who and until when, and approved it says who did, in every tab and after a reload', async () => {
    const { session, questionId } = await asking({})
    const [page, other] = [await openAs(it.people.member, session), await openAs(it.people.member, session)]
    const card = page.getByRole('article', { name: 'Write 5 bytes to notes.txt' })
    for (const text of ['Writing needs a confirmation', 'Mika Member, who asked', /^in \d+ (h|days?)$/])
      await card.getByText(text).first().waitFor()
    await card.getByText('Show all arguments').click()
    await card.getByText('"content": "hello"').waitFor()
    await card.getByRole('button', { name: 'Approve', exact: true }).click()
    for (const tab of [page, other]) {
      await tab.getByText('Approved by Mika Member').waitFor()
      expect(await tab.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0)
    }
    await page.reload()
    await page.getByText('Approved by Mika Member').waitFor()
    expect(await answersTo(questionId)).toMatchObject([{ verdict: 'approve', surface: 'web' }])
  })

  test('denies, denies with a reason, and approves for the thread', async () => {
    const denied = await asking({})
    const page = await openAs(it.people.member, denied.session)
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.getByText('Denied by Mika Member').waitFor()
    await page.locator('details[data-state=refused]').waitFor()

    const reasoned = await asking({})
    await page.goto(`/playground/${reasoned.session.conversationId}`)
    await page.getByRole('button', { name: 'Deny with reason…' }).click()
    await page.getByLabel('Why not').fill('Wrong file.')
    await page.getByRole('button', { name: 'Deny for this reason' }).click()
    await page.getByText('Denied by Mika Member: Wrong file.').waitFor()

    const leased = await asking({})
    await page.goto(`/playground/${leased.session.conversationId}`)
    await page.getByRole('button', { name: 'Approve for this thread' }).click()
    await page.getByText('Approved by Mika Member').waitFor()
    const leases = await it.db.prisma.lease.findMany({ where: { conversationId: leased.session.conversationId } })
    expect(leases).toMatchObject([{ toolName: 'vfs.write', maxUses: 20 }])
  })

  test('offers no lease and no edit where the policy does not', async () => {
    const { session } = await asking({ prompt: { title: 'Plain' } })
    const page = await openAs(it.people.member, session)
    const card = page.getByRole('article', { name: 'Plain' })
    await card.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    expect(await card.getByRole('button').allInnerTexts()).toEqual(['Approve', 'Deny', 'Deny with reason…'])
  })

  test('tells somebody who may not answer so, and whom it waits for', async () => {
    const { session } = await asking({ approvers: { roles: ['approver'] } })
    const page = await openAs(it.people.member, session)
    await page.getByText('You may not answer this. It waits for approvers, admins and owners.').waitFor()
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0)
  })

  test('that is stale says what happened when it is clicked', async () => {
    const { session, questionId } = await asking({})
    const page = await openAs(it.people.member, session)
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    // What would run is another thing by now, and nothing told the page.
    await it.db.pool.query(`UPDATE tool_calls SET arguments_digest = 'other' WHERE run_id = $1`, [session.runId])
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('What would run has changed since this card was shown.').waitFor()
    expect(await answersTo(questionId)).toEqual([])
  })
})

describe('a question of the agent', () => {
  const ask = async (kind: NewQuestion['kind'], prompt: object) => {
    const asked = await asking({ kind, prompt: { title: 'A question', ...prompt } })
    const page = await openAs(it.people.member, asked.session)
    const card = page.getByRole('article', { name: 'A question' })
    await card.waitFor()
    const value = async () => {
      await card.getByText('Answered by Mika Member').waitFor()
      return (await answersTo(asked.questionId))[0]?.value
    }
    return { card, value }
  }

  test('with few options has a button for each', async () => {
    const { card, value } = await ask('choice', { options: ['tea', 'coffee', 'water'] })
    await card.getByRole('button', { name: 'coffee' }).click()
    expect(await value()).toBe('coffee')
  })

  test('with many options has a menu', async () => {
    const options = ['one', 'two', 'three', 'four', 'five', 'six']
    const { card, value } = await ask('choice', { options })
    await card.getByLabel('Your choice').selectOption('six')
    await card.getByRole('button', { name: 'Choose' }).click()
    expect(await value()).toBe('six')
  })

  test('of which several may be chosen has boxes to tick', async () => {
    const { card, value } = await ask('multi_choice', { options: ['a', 'b', 'c'] })
    await card.getByRole('checkbox', { name: 'c' }).check()
    await card.getByRole('checkbox', { name: 'a' }).check()
    await card.getByRole('button', { name: 'Send 2 chosen' }).click()
    expect(await value()).toEqual(['a', 'c'])
  })

  test('without options is answered in words, or declined', async () => {
    const { card, value } = await ask('text', {})
    await card.getByLabel('Your answer').fill('In words.')
    await card.getByRole('button', { name: 'Answer', exact: true }).click()
    expect(await value()).toBe('In words.')
    const second = await ask('text', {})
    await second.card.getByRole('button', { name: 'I would rather not answer' }).click()
    await second.card.getByText('Not answered by Mika Member').waitFor()
  })

  test('with tabs is gone through, summed up, corrected and sent', async () => {
    const tabs = [
      { title: 'Drink', question: 'What to drink?', options: ['tea', 'coffee'] },
      { title: 'Sides', question: 'What with it?', options: ['milk', 'sugar'], multiple: true },
      { title: 'Note', question: 'Anything else?' },
    ]
    const { card, value } = await ask('form', { tabs })
    await card.getByRole('radio', { name: 'coffee' }).check()
    await card.getByRole('button', { name: 'Next' }).click()
    // Which there are and which are answered is seen at any time, and each is a click away.
    await card.getByRole('button', { name: /^Drink ?, answered$/ }).click()
    await card.getByRole('radio', { name: 'coffee' }).waitFor()
    await card.getByRole('button', { name: 'Sides', exact: true }).click()
    await card.getByRole('checkbox', { name: 'sugar' }).check()
    await card.getByRole('button', { name: 'Next' }).click()
    await card.getByRole('button', { name: 'Next' }).click()
    await card.getByText('Missing: Note').waitFor()
    await card.getByRole('button', { name: 'Change Drink' }).click()
    await card.getByRole('radio', { name: 'tea' }).check()
    await card.getByRole('button', { name: 'Next' }).click()
    await card.getByRole('button', { name: 'Next' }).click()
    await card.getByLabel('Anything else?').fill('No.')
    await card.getByRole('button', { name: 'Next' }).click()
    await card.getByRole('button', { name: 'Send answers' }).click()
    expect(await value()).toEqual(['tea', ['sugar'], 'No.'])
  })

  test('about a plan shows it, to approve or not', async () => {
    const { session } = await asking({ kind: 'plan', prompt: { title: 'The plan', body: '1. first\n2. then' } })
    const page = await openAs(it.people.member, session)
    const card = page.getByRole('article', { name: 'The plan' })
    expect(await card.getByRole('listitem').allInnerTexts()).toEqual(['first', 'then'])
    await card.getByRole('button', { name: 'Approve', exact: true }).click()
    await card.getByText('Approved by Mika Member').waitFor()
  })
})

describe('the empty page', () => {
  const bot = (model: 'ok' | 'off') => {
    const part = { state: 'ok' as const, detail: 'x', next: null }
    const health = { slack: part, telegram: part, sandbox: part, model: { ...part, state: model } }
    const about = { kind: 'bot' as const, version: '0', host: 'test', pid: 1, roles: ['worker'], health }
    return beat(it.db, { id: 'prc_playground', ...about })
  }

  test('says who answers: nobody, the offline model as what it is, or a model', async () => {
    const page = await it.page({ as: it.people.member })
    const says = async (text: RegExp) => {
      await page.goto('/playground')
      await page.getByText(text).waitFor()
    }
    await says(/^No bot is running/)
    await bot('off')
    await says(/the offline model answers: no AI/)
    await bot('ok')
    await says(/^To begin with:$/)
  })
})

describe('a session', () => {
  test('is its member’s alone: to another member, a viewer and another workspace it is not there', async () => {
    const session = await startSession(it, it.people.member, 'a private matter')
    const other = await otherTenant(it.db)
    const theirs = await addPerson(it.db, { name: 'Far Away', role: 'owner', workspaceIds: [other.workspaceId] })
    const path = `/playground/${session.conversationId}`
    for (const [person, status] of [
      [it.people.owner, 404],
      [it.people.viewer, 403],
      [theirs, 404],
      [it.people.member, 200],
    ] as const) {
      const { request } = await it.context({ as: person })
      const page = await request.get(path)
      const view = await request.get(`/api/playground/sessions/${session.conversationId}`)
      expect([person.email, page.status(), view.status()]).toEqual([person.email, status, status])
      expect([person.email, (await page.text()).includes('a private matter')]).toEqual([person.email, status === 200])
    }
  })

  test('is in the list with its title, newest first, page by page', async () => {
    const person = await addPerson(it.db, { name: 'Many Talks', role: 'member', workspaceIds: [it.workspaceId] })
    for (let number = 1; number <= 32; number++) await startSession(it, person, `talk ${number}`)
    const page = await it.page({ as: person })
    await page.goto('/playground')
    const list = page.getByRole('navigation', { name: 'Sessions' })
    const titles = async () => (await list.getByRole('listitem').allInnerTexts()).map((text) => text.split('\n')[0])
    expect(await list.evaluate((nav) => nav.querySelector('ul')!.scrollWidth - nav.clientWidth)).toBeLessThanOrEqual(0)
    expect(await titles()).toEqual(Array.from({ length: 30 }, (_, index) => `talk ${32 - index}`))
    await list.getByRole('link', { name: 'Older sessions' }).click()
    await list.getByText('talk 1', { exact: true }).waitFor()
    expect(await titles()).toEqual(['talk 2', 'talk 1'])
    await list.getByText('talk 2', { exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'talk 2' }).waitFor()
  })
})

describe.for(
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    Object.entries({ wide, narrow }).map(([size, viewport]) => ({ colorScheme, size, viewport })),
  ),
)('in $colorScheme on a $size screen', ({ colorScheme, viewport }) => {
  test('axe finds nothing in a conversation with every kind of entry, and nothing is wider than the screen', async () => {
    const { session } = await asking({})
    await answer(
      it.db,
      session.claim,
      say('## Found\n\n- `one`\n- two\n\n```\ncode\n```\n\n> quoted\n\n| a |\n| - |\n| 1 |'),
    )
    await askQuestion(it.db, session.claim, {
      kind: 'form',
      prompt: { title: 'Form', tabs: [{ title: 'T', question: 'Which?', options: ['a', 'b'], multiple: true }] },
      approvers: { requester: true },
    })
    const page = await it.page({ as: it.people.member, colorScheme, viewport })
    await page.goto(`/playground/${session.conversationId}`)
    await page.getByRole('button', { name: 'Edit…' }).click()
    await page.getByRole('button', { name: 'Edit as JSON' }).click()
    await page.getByLabel('Arguments to run it with').fill('{ no json')
    await page.getByText('This is not JSON').waitFor()
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`))).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  })
})

describe('a message that is written while another is on its way', () => {
  /** The page's own posts, each held until `release`, or refused. */
  async function holdSending(page: Page, session: Started) {
    const held: { release: () => void; fail: () => void }[] = []
    await page.route(`**/playground/${session.conversationId}`, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const { promise, resolve } = Promise.withResolvers<boolean>()
      held.push({ release: () => resolve(true), fail: () => resolve(false) })
      await ((await promise) ? route.continue() : route.abort())
    })
    return held
  }
  const said = async (page: Page, text: string) => {
    await messageBox(page).fill(text)
    await page.keyboard.press('Enter')
  }
  const texts = async (session: Started) =>
    (
      await it.db.prisma.message.findMany({
        where: { conversationId: session.conversationId, role: 'user' },
        orderBy: { number: 'asc' },
      })
    ).map(({ content }) => (content as { text: string }[])[0]?.text)

  test('is sent after it, and what is only begun stays in the field', async () => {
    const session = await startSession(it, it.people.member)
    const page = await openAs(it.people.member, session)
    const held = await holdSending(page, session)
    await said(page, 'the first')
    await expect.poll(() => held.length).toBe(1)
    expect(await messageBox(page).inputValue()).toBe('')
    await said(page, 'the second')
    await messageBox(page).fill('half a thou')
    held[0]?.release()
    await expect.poll(() => held.length).toBe(2)
    held[1]?.release()
    await expect.poll(() => texts(session)).toEqual(['hello', 'the first', 'the second'])
    expect(await messageBox(page).inputValue()).toBe('half a thou')
  })

  test('comes back with it where the first one could not be sent, and neither is lost or sent twice', async () => {
    const session = await startSession(it, it.people.member)
    const page = await openAs(it.people.member, session)
    const held = await holdSending(page, session)
    await said(page, 'the first')
    await said(page, 'the second')
    await messageBox(page).fill('half a thou')
    await expect.poll(() => held.length).toBe(1)
    held[0]?.fail()
    await page.getByText('The console did not answer.').waitFor()
    expect(await messageBox(page).inputValue()).toBe('the first\nthe second\nhalf a thou')
    await page.unrouteAll()
    await page.keyboard.press('Enter')
    await expect.poll(() => texts(session)).toEqual(['hello', 'the first\nthe second\nhalf a thou'])
  })
})
