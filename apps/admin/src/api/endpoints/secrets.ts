// Secrets are written and taken out of use here. No endpoint gives out a value, not even the one that was just stored.
import type { ListedSecret } from '@quartermaster/db'
import { z } from 'zod'
import { data } from '../../data.ts'
import { runtime } from '../../runtime.ts'
import { endpoint } from '../endpoint.ts'
import type { Caller } from '../require-caller.ts'
import { idShape, iso, isoOrNull, limitShape, nextShape, notFound, timeShape } from '../shapes.ts'

const secretShape = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    scope: z.string().describe('What an agent must have been granted to use it.'),
    version: z.int().describe('How often a value was stored under this name.'),
    created_at: timeShape,
    stored_at: timeShape.describe('When the present value was stored.'),
    expires_at: timeShape.nullable(),
  })
  .meta({ id: 'Secret' })

const renderSecret = (secret: ListedSecret): z.input<typeof secretShape> => ({
  id: secret.id,
  name: secret.name,
  scope: secret.scope,
  version: secret.version,
  created_at: iso(secret.createdAt),
  stored_at: iso(secret.storedAt),
  expires_at: isoOrNull(secret.expiresAt),
})

const access = { area: 'Secrets', role: 'admin', scope: 'secrets' } as const
const nameShape = z.string().min(1).max(128)

/** A workspace has some dozens; their order is that of their names, so that a page goes on from a name. */
async function listByName({ workspaceId }: Caller): Promise<ListedSecret[]> {
  const secrets = await data.listSecrets(runtime().db, workspaceId)
  return secrets.sort((a, b) => (a.name < b.name ? -1 : 1))
}

export const listSecrets = endpoint({
  ...access,
  method: 'GET',
  path: '/api/secrets',
  summary: 'List secrets',
  description: 'Names, scopes and dates, in the order of their names. Never values.',
  query: z.strictObject({
    scope: nameShape.optional(),
    limit: limitShape,
    after: nameShape.optional().describe('The `next` of the page before.'),
  }),
  answer: {
    status: 200,
    description: 'A page of secrets.',
    schema: z.strictObject({ secrets: z.array(secretShape), next: nextShape }),
  },
  work: async ({ caller, query: { scope, limit, after } }) => {
    const found = (await listByName(caller)).filter(
      (secret) => (scope === undefined || secret.scope === scope) && (after === undefined || secret.name > after),
    )
    const page = found.slice(0, limit)
    return { secrets: page.map(renderSecret), next: found.length > limit ? (page.at(-1)?.name ?? null) : null }
  },
})

export const storeSecret = endpoint({
  ...access,
  method: 'POST',
  path: '/api/secrets',
  summary: 'Store a secret',
  description: 'Under a new name, or as the next version of a name; the version before is destroyed.',
  body: z.strictObject({
    name: nameShape,
    scope: nameShape.describe('It is made where there is none of this name.'),
    value: z.string().min(1).max(65_536).describe('At most 64 KB. It is in no answer, no log and no record.'),
    expires_at: z.iso.datetime({ offset: true }).nullable().optional().describe('After that it opens no more.'),
  }),
  answer: { status: 201, description: 'It is stored.', schema: secretShape },
  work: async ({ caller, body: { name, scope, value, expires_at } }) => {
    const { db, keys } = runtime()
    const { workspaceId, actor } = caller
    const expiresAt = expires_at ? new Date(expires_at) : null
    await data.storeSecret(db, keys, { workspaceId, actor, name, scope, value, expiresAt })
    const stored = (await listByName(caller)).find((secret) => secret.name === name)
    if (!stored) throw new Error(`the secret ${name} was retired while it was stored`)
    return renderSecret(stored)
  },
})

export const retireSecret = endpoint({
  ...access,
  method: 'DELETE',
  path: '/api/secrets/{secretId}',
  summary: 'Retire a secret',
  description: 'Its bytes are destroyed; its name and history stay.',
  params: z.strictObject({ secretId: idShape }),
  answer: { status: 204, description: 'It is retired.' },
  work: async ({ caller, params: { secretId } }) => {
    const { workspaceId, actor } = caller
    const secret = (await listByName(caller)).find(({ id }) => id === secretId)
    const retired = secret && (await data.retireSecret(runtime().db, { workspaceId, name: secret.name, actor }))
    if (!retired) throw notFound('secret')
  },
})
