'use server'

import type { PolicyContent } from '@quartermaster/db'
import { z } from 'zod'
import { adminAction } from '../../../admin-action.ts'
import { data } from '../../../data.ts'
import { readPolicyView } from '../../../policy/read-policy.ts'
import { asPart, typedRuleShape } from '../../../policy/read-rule.ts'
import { editDraft } from './edit-draft.ts'
import { usersOfGroup } from './users-of-group.ts'
import { usersOfProfile } from './users-of-profile.ts'

const seen = z.string().max(40).default('')
const patterns = z
  .string()
  .max(250_000)
  .default('')
  .transform((text) => [
    ...new Set(
      text
        .split(/[\s,]+/)
        .map((pattern) => pattern.trim())
        .filter(Boolean),
    ),
  ])
const profileName = z.string().trim().max(80).default('')
const newName = z
  .string('Expected a name.')
  .trim()
  .min(1, 'Expected a name.')
  .max(80, 'Expected at most 80 characters.')
const description = z.string().max(1_000, 'Expected at most 1,000 characters.').default('')

/** A field that carries what its part of the form was made into; whatever it holds, packages/db looks at it. */
const json = z
  .string()
  .max(300_000)
  .default('{}')
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue({ code: 'custom', message: 'Expected JSON.' })
      return z.NEVER
    }
  })

const fieldAfter = (prefix: string) => (place: string) =>
  place.startsWith(prefix) ? /^\w+/.exec(place.slice(prefix.length))?.[0] : undefined

export const saveWorkspaceLayer = adminAction({
  needs: 'admin',
  shape: z.object({ seen, profile: profileName, allow: patterns, deny: patterns, approval: json }),
  work: ({ seen, profile, allow, deny, approval }, current) =>
    editDraft({
      current,
      seen,
      done: 'Saved.',
      fieldOf: (place) => /^(?:settings\.)?(profile|allow|deny|approval)\b/.exec(place)?.[1],
      edit: (content) => ({
        ...content,
        settings: {
          ...content.settings,
          profile,
          allow,
          deny,
          approval: approval as PolicyContent['settings']['approval'],
        },
      }),
    }),
})

export const saveOwnProfile = adminAction({
  needs: 'admin',
  shape: z.object({
    seen,
    name: newName,
    isNew: z.string().default(''),
    description,
    tools: patterns,
    reads: patterns,
  }),
  work: ({ seen, name, isNew, description, tools, reads }, current) => {
    let taken = (data.builtinProfileNames as readonly string[]).includes(name)
    const edit = (content: PolicyContent) => {
      const known = content.profiles.some((profile) => profile.name === name)
      taken ||= known && isNew !== ''
      return taken ? content : { ...content, profiles: putNamed(content.profiles, { name, description, tools, reads }) }
    }
    return refuseTaken(
      () => taken,
      `There is a profile “${name}” already.`,
      editDraft({
        current,
        seen,
        done: `Saved the profile “${name}”.`,
        fieldOf: fieldAfter(`profiles.${name}.`),
        edit,
      }),
    )
  },
})

export const deleteOwnProfile = adminAction({
  needs: 'admin',
  shape: z.object({ seen, name: newName }),
  work: async ({ seen, name }, current) => {
    const users = await usersOfProfile(current, name)
    if (users.length)
      return { ok: false, message: `“${name}” is the profile of ${users.join(', ')}. Give them another one first.` }
    return editDraft({
      current,
      seen,
      done: `Deleted the profile “${name}”.`,
      edit: (content) => ({ ...content, profiles: content.profiles.filter((profile) => profile.name !== name) }),
    })
  },
})

export const saveOwnGroup = adminAction({
  needs: 'admin',
  shape: z.object({ seen, name: newName, isNew: z.string().default(''), description, tools: patterns }),
  work: ({ seen, isNew, ...group }, current) => {
    let taken = false
    const edit = (content: PolicyContent) => {
      taken = isNew !== '' && content.groups.some(({ name }) => name === group.name)
      return taken ? content : { ...content, groups: putNamed(content.groups, group) }
    }
    // By its name where the policy is checked, by where it stands where its own shape is.
    const fieldOf = (place: string) =>
      place === `groups.${group.name}`
        ? 'name'
        : (fieldAfter(`groups.${group.name}.`)(place) ?? /^groups\.\d+\.(\w+)/.exec(place)?.[1])
    return refuseTaken(
      () => taken,
      `There is a group “${group.name}” already.`,
      editDraft({ current, seen, done: `Saved group:${group.name}.`, fieldOf, edit }),
    )
  },
})

export const deleteOwnGroup = adminAction({
  needs: 'admin',
  shape: z.object({ seen, name: newName }),
  work: async ({ seen, name }, current) => {
    const users = usersOfGroup(await readPolicyView(current), name)
    if (users.length)
      return { ok: false, message: `group:${name} is named by ${users.join(', ')}. Take it out of there first.` }
    return editDraft({
      current,
      seen,
      done: `Deleted group:${name}.`,
      edit: (content) => ({ ...content, groups: content.groups.filter((group) => group.name !== name) }),
    })
  },
})

export const saveProviderLayer = adminAction({
  needs: 'admin',
  shape: z.object({ seen, name: newName, profile: profileName, allow: patterns, deny: patterns }),
  work: ({ seen, name, profile, allow, deny }, current) =>
    editDraft({
      current,
      seen,
      done: `Saved the layer of the provider ${name}.`,
      fieldOf: fieldAfter(`providers.${name}.`),
      edit: (content) => ({
        ...content,
        settings: {
          ...content.settings,
          providers: {
            ...content.settings.providers,
            [name]: {
              ...(profile ? { profile } : {}),
              ...(allow.length ? { allow } : {}),
              ...(deny.length ? { deny } : {}),
            },
          },
        },
      }),
    }),
})

export const deleteProviderLayer = adminAction({
  needs: 'admin',
  shape: z.object({ seen, name: newName }),
  work: ({ seen, name }, current) =>
    editDraft({
      current,
      seen,
      done: `The provider ${name} has no layer of its own.`,
      edit: (content) => {
        const { [name]: _, ...providers } = content.settings.providers
        return { ...content, settings: { ...content.settings, providers } }
      },
    }),
})

export const saveSkillLayer = adminAction({
  needs: 'admin',
  shape: z.object({
    seen,
    name: newName,
    isNew: z.string().default(''),
    description,
    instructions: z.string().max(100_000, 'Expected at most 100,000 characters.').default(''),
    tools: patterns,
    toolGroups: patterns,
  }),
  work: ({ seen, isNew, ...skill }, current) => {
    let taken = false
    const edit = (content: PolicyContent) => {
      taken = isNew !== '' && content.skills.some(({ name }) => name === skill.name)
      return taken ? content : { ...content, skills: putNamed(content.skills, skill) }
    }
    return refuseTaken(
      () => taken,
      `There is a skill “${skill.name}” already.`,
      editDraft({
        current,
        seen,
        done: `Saved the skill “${skill.name}”.`,
        fieldOf: fieldAfter(`skills.${skill.name}.`),
        edit,
      }),
    )
  },
})

export const deleteSkillLayer = adminAction({
  needs: 'admin',
  shape: z.object({ seen, name: newName }),
  work: ({ seen, name }, current) =>
    editDraft({
      current,
      seen,
      done: `Deleted the skill “${name}”.`,
      edit: (content) => ({ ...content, skills: content.skills.filter((skill) => skill.name !== name) }),
    }),
})

const place = z.coerce.number().int().min(0).max(1_000)

export const saveHookRule = adminAction({
  needs: 'admin',
  shape: z.object({
    seen,
    /** Empty: a new one, at the end. */
    at: z.union([z.literal(''), place]).default(''),
    pattern: z.string().trim().min(1, 'Expected a pattern, such as shell.exec or file.*'),
    hook: z.enum(['confirm', 'log', 'silent']),
    insist: z.string().default(''),
    conditions: json,
  }),
  work: ({ seen, at, pattern, hook, insist, conditions }, current) => {
    let index = 0
    return editDraft({
      current,
      seen,
      done: `Saved the hook of ${pattern}.`,
      fieldOf: (place) => fieldAfter(`hooks[${index}].`)(place) ?? fieldAfter(`settings.hooks.${index}.`)(place),
      edit: (content) => {
        const { hooks } = content.settings
        index = at === '' || at > hooks.length ? hooks.length : at
        const list = Array.isArray(conditions) ? (conditions as NonNullable<(typeof hooks)[number]['conditions']>) : []
        const hookRule = {
          pattern,
          hook,
          ...(list.length ? { conditions: list } : {}),
          ...(insist && hook === 'confirm' ? { insist: true } : {}),
        }
        return { ...content, settings: { ...content.settings, hooks: hooks.toSpliced(index, 1, hookRule) } }
      },
    })
  },
})

export const deleteHookRule = adminAction({
  needs: 'admin',
  shape: z.object({ seen, at: place }),
  work: ({ seen, at }, current) =>
    editDraft({
      current,
      seen,
      done: 'Deleted the hook.',
      edit: (content) => ({
        ...content,
        settings: { ...content.settings, hooks: content.settings.hooks.toSpliced(at, 1) },
      }),
    }),
})

export const saveDraftRule = adminAction({
  needs: 'admin',
  shape: typedRuleShape.extend({ seen }),
  read: (form) => {
    try {
      return { ...JSON.parse(String(form.get('rule'))), seen: form.get('seen') ?? '' }
    } catch {
      return {} // Sent by hand and no JSON: the shape says what is missing.
    }
  },
  work: ({ seen, ...typed }, current) => {
    const id = typed.id || data.newId('rul')
    let [index, taken, missing] = [0, false, false]
    const edit = (content: PolicyContent) => {
      const at = content.rules.findIndex((rule) => rule.id === id)
      missing = at < 0 && Boolean(typed.id)
      index = at < 0 ? content.rules.length : at
      taken = content.rules.some((rule) => rule.name === typed.name && rule.id !== id)
      return taken || missing
        ? content
        : { ...content, rules: content.rules.toSpliced(index, 1, { id, ...asPart(typed) }) }
    }
    const fieldOf = (place: string) =>
      place.startsWith(`rules[${index}]`)
        ? (/^rules\[\d+\]\.(\w+)/.exec(place)?.[1] ?? 'examples')
        : new RegExp(`^rules\\.${index}\\.(\\w+)`).exec(place)?.[1]
    const saving = editDraft({ current, seen, done: `Saved the rule “${typed.name}”.`, fieldOf, edit })
    return refuseTaken(
      () => missing,
      'This rule was deleted meanwhile.',
      refuseTaken(() => taken, `There is a rule “${typed.name}” already.`, saving),
    )
  },
})

const ruleId = z.string().min(1).max(64)

export const deleteDraftRule = adminAction({
  needs: 'admin',
  shape: z.object({ seen, id: ruleId }),
  work: ({ seen, id }, current) =>
    editDraft({
      current,
      seen,
      done: 'Deleted the rule.',
      edit: (content) => ({ ...content, rules: content.rules.filter((rule) => rule.id !== id) }),
    }),
})

export const switchDraftRule = adminAction({
  needs: 'admin',
  shape: z.object({ seen, id: ruleId, enabled: z.enum(['true', 'false']) }),
  work: ({ seen, id, enabled }, current) =>
    editDraft({
      current,
      seen,
      done: enabled === 'true' ? 'Switched the rule on.' : 'Switched the rule off.',
      edit: (content) => ({
        ...content,
        rules: content.rules.map((rule) => (rule.id === id ? { ...rule, enabled: enabled === 'true' } : rule)),
      }),
    }),
})

export const moveDraftRule = adminAction({
  needs: 'admin',
  shape: z.object({ seen, id: ruleId, by: z.enum(['-1', '1']) }),
  work: ({ seen, id, by }, current) =>
    editDraft({
      current,
      seen,
      done: by === '1' ? 'Moved it down.' : 'Moved it up.',
      edit: (content) => {
        const at = content.rules.findIndex((rule) => rule.id === id)
        const to = at + Number(by)
        const rule = content.rules[at]
        if (!rule || to < 0 || to >= content.rules.length) return content
        return { ...content, rules: content.rules.toSpliced(at, 1).toSpliced(to, 0, rule) }
      },
    }),
})

function putNamed<Part extends { name: string }>(parts: readonly Part[], part: Part): Part[] {
  const others = parts.filter(({ name }) => name !== part.name)
  return [...others, part].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** An edit that found its name taken changed nothing, and looks as if it had been done. */
async function refuseTaken(
  isTaken: () => boolean,
  message: string,
  saving: ReturnType<typeof editDraft>,
): ReturnType<typeof editDraft> {
  const result = await saving
  return result.ok && isTaken() ? { ok: false, message: 'Not saved.', fields: { name: message } } : result
}
