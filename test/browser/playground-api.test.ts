// The REST way into the playground, and the door before it: a key or a session, never both.
import {
  announceLive,
  askQuestion,
  createApiKey,
  finishRun,
  newId,
  type Role,
  revokeApiKey,
  revokeSession,
} from '@quartermaster/db'
import { describe, expect, test } from 'vitest'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { signIn, useConsole } from './console.ts'
import { addPerson, password } from './people.ts'
import { answer, hold, startSession } from './playground-session.ts'
import { sendRaw } from './send-raw.ts'

const it = useConsole()

async function makeKey(role: Role = 'member', scopes = ['playground']) {
  const { memberId } = it.people[role]
  const actor = { kind: 'member' as const, id: it.people.owner.memberId }
  return createApiKey(it.db, { workspaceId: it.workspaceId, memberId, name: 'test', scopes, actor })
}

const agentOf = async (workspaceId: string) =>
  (await it.db.prisma.agent.findFirstOrThrow({ where: { workspaceId, archivedAt: null } })).id

interface Chat {
  session?: string
  key?: string
  headers?: Record<string, string>
  body?: unknown
  raw?: string
}

const chat = async ({ session = newId('s'), key, headers, body, raw }: Chat) =>
  sendRaw(it.url, `/api/playground/sessions/${session}/chat`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...headers,
    },
    body: raw ?? JSON.stringify(body ?? { message: 'hello', agentId: await agentOf(it.workspaceId) }),
  })

/** Plays the bot for the next run of the workspace. */
async function playBot(work: (claim: Awaited<ReturnType<typeof hold>>, conversationId: string) => Promise<void>) {
  const found = await expect
    .poll(
      () =>
        it.db.prisma.run.findFirst({
          where: { workspaceId: it.workspaceId, status: 'queued', trigger: 'message' },
          orderBy: { queuedAt: 'desc' },
        }),
      { timeout: 10_000 },
    )
    .not.toBeNull()
    .then(() =>
      it.db.prisma.run.findFirstOrThrow({
        where: { workspaceId: it.workspaceId, status: 'queued' },
        orderBy: { queuedAt: 'desc' },
      }),
    )
  await work(await hold(it.db, found.id), found.conversationId)
}

const say = (text: string) => ({ type: 'text', text })

describe('POST /api/playground/sessions/:id/chat', () => {
  test('opens a new session and answers with the final text', async () => {
    const { key } = await makeKey()
    const session = newId('s')
    const answered = chat({ session, key })
    await playBot(async (claim) => {
      await answer(it.db, claim, say('The **answer**.'))
      await finishRun(it.db, claim, { status: 'succeeded', seenMessage: 1 })
    })
    const { status, body } = await answered
    expect([status, JSON.parse(body)]).toMatchObject([
      200,
      { sessionId: session, status: 'succeeded', answer: 'The **answer**.', question: null },
    ])
    const again = chat({ session, key, body: { message: 'and again' } })
    await playBot(async (claim) => {
      await answer(it.db, claim, say('Second.'))
      await finishRun(it.db, claim, { status: 'succeeded', seenMessage: 3 })
    })
    expect(JSON.parse((await again).body)).toMatchObject({
      answer: 'Second.',
      conversationId: JSON.parse(body).conversationId,
    })
  })

  test('streams text, the stored message and the end as events', async () => {
    const { key } = await makeKey()
    const answered = chat({ key, headers: { accept: 'text/event-stream' } })
    await playBot(async (claim, conversationId) => {
      const notice = { workspaceId: it.workspaceId, conversationId, runId: claim.runId }
      // Notices reach whoever listens already, so it is said again until the stream has had time to open.
      for (let from = 0; from < 10; from++) {
        await announceLive(it.db, [{ ...notice, event: { kind: 'text', step: 1, from, text: 'x' } }])
        await it.db.pool.query('SELECT pg_sleep(0.1)')
      }
      await answer(it.db, claim, say('xxxxxxxxxx'))
      await finishRun(it.db, claim, { status: 'succeeded', seenMessage: 1 })
    })
    const { status, headers, body } = await answered
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const names = [...body.matchAll(/^event: (\S+)$/gm)].map((match) => match[1])
    expect(new Set(names)).toEqual(new Set(['text', 'message', 'end']))
    expect(names.at(-1)).toBe('end')
    expect(body).toContain('"answer":"xxxxxxxxxx"')
  })

  test('ends with the open question when a person has to decide', async () => {
    const { key } = await makeKey()
    const answered = chat({ key })
    await playBot(async (claim) => {
      await askQuestion(it.db, claim, { kind: 'choice', prompt: { title: 'Which?', options: ['tea', 'coffee'] } })
      await it.db.pool.query(
        `UPDATE runs SET status = 'waiting', claimed_by = NULL, claim_until = NULL WHERE id = $1`,
        [claim.runId],
      )
    })
    expect(JSON.parse((await answered).body)).toMatchObject({
      status: 'waiting',
      answer: null,
      question: { title: 'Which?', options: ['tea', 'coffee'], closed: null },
    })
  })

  test('takes a message with the same event id once', async () => {
    const { key } = await makeKey()
    const session = newId('s')
    const body = { message: 'once', agentId: await agentOf(it.workspaceId), eventId: 'the-same' }
    const both = [chat({ session, key, body }), chat({ session, key, body })]
    await playBot(async (claim) => {
      await answer(it.db, claim, say('Done.'))
      await finishRun(it.db, claim, { status: 'succeeded', seenMessage: 1 })
    })
    const [first, second] = (await Promise.all(both)).map((one) => JSON.parse(one.body))
    expect(first).toEqual(second)
    expect(await it.db.prisma.message.count({ where: { conversationId: first.conversationId, role: 'user' } })).toBe(1)
  })

  test('says in the codes of the iofold document what is wrong with a request', async () => {
    const { key } = await makeKey()
    const wrong: [Chat, number, string][] = [
      [{ key, raw: 'no json' }, 400, 'VALIDATION_ERROR'],
      [{ key, body: {} }, 400, 'VALIDATION_ERROR'],
      [{ key, body: { message: '' } }, 400, 'VALIDATION_ERROR'],
      [{ key, body: { message: 'x', more: 1 } }, 400, 'VALIDATION_ERROR'],
      [{ key, body: { message: 'x'.repeat(100_001) } }, 400, 'VALIDATION_ERROR'],
      [{ key, session: 'x'.repeat(65) }, 400, 'VALIDATION_ERROR'],
      [{ key, body: { message: 'x', agentId: 'none' } }, 404, 'NOT_FOUND'],
      [{ key: 'qm_deadbeef_nonsense' }, 401, 'UNAUTHORIZED'],
      [{ key: (await makeKey('viewer')).key }, 403, 'FORBIDDEN'],
      [{ key: (await makeKey('member', ['runs:read'])).key }, 403, 'FORBIDDEN'],
    ]
    for (const [request, status, code] of wrong) {
      const got = await chat(request)
      expect([code, got.status, JSON.parse(got.body)]).toEqual([
        code,
        status,
        { error: expect.objectContaining({ code, message: expect.any(String) }) },
      ])
    }
  })

  test('knows no other workspace than the caller’s, however it is named', async () => {
    const other = await createTestWorkspace(it.db)
    const { key } = await makeKey()
    expect((await chat({ key, headers: { 'x-workspace-id': other.workspaceId } })).status).toBe(404)
    expect((await chat({ key, body: { message: 'x', agentId: other.agentId } })).status).toBe(404)
    const ours = await chat({ key, headers: { 'x-workspace-id': it.workspaceId }, body: {} })
    expect(ours.status).toBe(400)
    const { request } = await it.context({ as: it.people.member })
    const headers = { origin: it.url, 'x-workspace-id': other.workspaceId }
    const foreign = await request.post('/api/playground/sessions/s/chat', { headers, data: { message: 'x' } })
    expect(foreign.status()).toBe(404)
  })

  test('a name of a session means the caller’s own, also where somebody else has one of that name', async () => {
    const theirs = await startSession(it, it.people.owner, 'theirs')
    const { key } = await makeKey()
    const get = await sendRaw(it.url, `/api/playground/sessions/${theirs.conversationId}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(get.status).toBe(404)
    const answered = chat({ key, session: theirs.conversationId })
    await playBot(async (claim) => {
      await answer(it.db, claim, say('Your own.'))
      await finishRun(it.db, claim, { status: 'succeeded', seenMessage: 1 })
    })
    const own = JSON.parse((await answered).body)
    expect(own).toMatchObject({ answer: 'Your own.', conversationId: expect.not.stringMatching(theirs.conversationId) })
    expect(await it.db.prisma.message.count({ where: { conversationId: theirs.conversationId } })).toBe(1)
  })
})

describe('the door', () => {
  test('lets a change in with a key and no origin, and with a cookie and no origin it does not', async () => {
    const { key } = await makeKey()
    expect((await chat({ key, body: {} })).status).toBe(400)
    const context = await it.context({ as: it.people.member })
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    expect((await chat({ headers: { cookie }, body: {} })).status).toBe(403)
    expect((await chat({ headers: { cookie, origin: it.url }, body: {} })).status).toBe(400)
    expect((await chat({ body: {} })).status).toBe(403)
    expect((await chat({ key, headers: { origin: 'https://evil.example' }, body: {} })).status).toBe(403)
    expect((await chat({ key, headers: { origin: it.url }, body: {} })).status).toBe(400)
  })

  test('a request with both is only what its key says', async () => {
    const context = await it.context({ as: it.people.owner })
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    expect((await chat({ key: 'qm_deadbeef_nonsense', headers: { cookie }, body: {} })).status).toBe(401)
    expect((await chat({ key: (await makeKey('viewer')).key, headers: { cookie }, body: {} })).status).toBe(403)
    expect((await chat({ headers: { cookie, authorization: 'Basic eDp5', origin: it.url }, body: {} })).status).toBe(
      401,
    )
  })

  test('a key opens no page, no action and no sign-in, whatever the path looks like', async () => {
    const { key } = await makeKey('owner', ['*'])
    const headers = { authorization: `Bearer ${key}` }
    for (const path of [
      '/overview',
      '/playground',
      '/api/auth/signout',
      '/api/auth',
      '/api/%61uth/signout',
      '/api/../settings/workspace',
      '//api/playground',
    ])
      expect([path, (await sendRaw(it.url, path, { method: 'POST', headers })).status]).toEqual([path, 403])
    const action = { ...headers, 'next-action': '0'.repeat(42) }
    expect((await sendRaw(it.url, '/api/playground/sessions/x/chat', { method: 'POST', headers: action })).status).toBe(
      403,
    )
    expect((await sendRaw(it.url, '/overview', { headers })).status).toBe(307)
  })
})

describe('the stream of a session', () => {
  const open = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(`${it.url}${path}`, { headers })
    return { status: response.status, reader: response.body?.getReader() }
  }

  test('tells that something changed, and ends when its key is revoked', async () => {
    const session = await startSession(it, it.people.member)
    const made = await makeKey()
    const stream = await open(`/api/playground/sessions/${session.conversationId}/events`, {
      authorization: `Bearer ${made.key}`,
    })
    expect(stream.status).toBe(200)
    const read = async () => new TextDecoder().decode((await stream.reader?.read())?.value)
    expect(await read()).toContain(': open')
    await answer(it.db, session.claim, say('something'))
    expect(await read()).toContain('event: changed')
    await revokeApiKey(it.db, { workspaceId: it.workspaceId, keyId: made.id, actor: { kind: 'system', id: 'test' } })
    for (;;) if ((await stream.reader?.read())?.done) break
  }, 40_000)

  test('is nobody’s but the member’s, and is gone with the session of the browser', async () => {
    const session = await startSession(it, it.people.member)
    const path = `/api/playground/sessions/${session.conversationId}/events`
    for (const [who, status] of [
      ['owner', 404],
      ['viewer', 403],
      ['member', 200],
    ] as const) {
      const { request } = await it.context({ as: it.people[who] })
      // The stream has no end; only its beginning is looked at.
      const got = await Promise.race([
        request.get(path, { timeout: 2_000 }).then(
          (answer) => answer.status(),
          () => 200,
        ),
      ])
      expect([who, got]).toEqual([who, status])
    }
    const person = await addPerson(it.db, { name: 'Leaving Soon', role: 'member', workspaceIds: [it.workspaceId] })
    const own = await startSession(it, person)
    const context = await it.context()
    await signIn(context.request, it.url, { email: person.email, password })
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    const stream = await open(`/api/playground/sessions/${own.conversationId}/events`, { cookie })
    expect(stream.status).toBe(200)
    const { id } = await it.db.prisma.loginSession.findFirstOrThrow({ where: { loginId: person.loginId } })
    await revokeSession(it.db, { loginId: person.loginId, sessionId: id })
    for (;;) if ((await stream.reader?.read())?.done) break
  }, 40_000)
})
