'use server'

import { z } from 'zod'
import { adminAction } from '../../../admin-action.ts'
import { apiScopeNames, apiScopes } from '../../../api/scopes.ts'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'
import { ownOrigin } from '../../../session.ts'
import { lifetimes } from './lifetimes.ts'

export const makeApiKey = adminAction({
  needs: 'viewer',
  shape: z.object({
    name: z
      .string()
      .trim()
      .min(1, 'Expected a name, for what uses it.')
      .max(80, 'Expected at most 80 characters.')
      .refine((name) => !/\p{Cc}/u.test(name), 'Expected no control characters.'),
    scopes: z.array(z.enum(apiScopeNames, 'Expected scopes of the list.')).min(1, 'Expected at least one scope.'),
    lifetime: z.enum(
      lifetimes.map(({ value }) => value),
      'Expected one of the choices.',
    ),
  }),
  read: (form) => ({ name: form.get('name'), scopes: form.getAll('scopes'), lifetime: form.get('lifetime') }),
  // For oneself and nobody else: a key can do what its member can.
  work: async ({ name, scopes, lifetime }, { membership: { workspaceId, memberId }, actor }) => {
    const days = lifetimes.find(({ value }) => value === lifetime)?.days ?? null
    const expiresAt = days === null ? null : new Date(Date.now() + days * 24 * 60 * 60 * 1000)
    const unique = [...new Set(scopes)]
    const made = await data.createApiKey(runtime().db, {
      ...{ workspaceId, memberId, name, scopes: unique, expiresAt, actor },
    })
    const example = apiScopes.find((scope) => unique.includes(scope.name) && 'example' in scope)
    const path = example && 'example' in example ? example.example : '/api/…'
    return {
      ok: true,
      message: `The key “${name}” is made. Copy it now.`,
      once: { key: made.key, name, curl: `curl -H "Authorization: Bearer ${made.key}" "${await ownOrigin()}${path}"` },
    }
  },
})

export const revokeKey = adminAction({
  needs: 'viewer',
  shape: z.object({ keyId: z.string().min(1).max(64) }),
  // Everybody their own, an admin every one.
  work: async ({ keyId }, { membership: { workspaceId, memberId, role }, actor }) => {
    const whose = data.atLeast(role, 'admin') ? {} : { memberId }
    const revoked = await data.revokeApiKey(runtime().db, { workspaceId, keyId, actor, ...whose })
    return revoked ? 'The key is revoked. It opens nothing from now on.' : 'It was revoked already, or is not yours.'
  },
})
