// The policy as it is stored: what each column may hold. The words are those of packages/tools/src/policy, which
// compiles it; this package does not import that one, so the shapes stand here once more, and a test of the bot sees
// to it that they fit. Every object is strict: a word that is not known here is a mistake, and never an ignored rule.
import { z } from 'zod'
import { approversShape } from './approvers.ts'
import { storableJson } from './storable.ts'

export const builtinProfileNames = ['minimal', 'messaging', 'coding', 'full'] as const

const pattern = z.string().min(1, 'Expected a pattern.').max(200, 'Expected at most 200 characters.')
const patterns = z.array(pattern).max(1_000, 'Expected at most 1,000 patterns.')
const profileName = z.string().min(1).max(80)

export const layerShape = z.strictObject({
  profile: profileName.optional(),
  allow: patterns.optional(),
  deny: patterns.optional(),
})

const path = z.string().min(1).max(200)
const texts = z.array(z.string()).max(1_000)

export type Condition = { path: string } & (
  | { equals: unknown }
  | { oneOf: unknown[] }
  | { glob: string }
  | { command: string }
  | { host: string[] }
  | { under: string[] }
  | { max: number }
  | { present: boolean }
  | { not: Condition }
)

export const conditionShape: z.ZodType<Condition> = z.union([
  // `unknown` would take a missing value; a condition that says "equals" and not what would hold for anything.
  z.strictObject({ path, equals: z.json() }),
  z.strictObject({ path, oneOf: z.array(z.json()).max(1_000) }),
  z.strictObject({ path, glob: z.string() }),
  z.strictObject({ path, command: z.string() }),
  z.strictObject({ path, host: texts }),
  z.strictObject({ path, under: texts }),
  z.strictObject({ path, max: z.number() }),
  z.strictObject({ path, present: z.boolean() }),
  z.strictObject({ path, not: z.lazy(() => conditionShape) }),
])
const conditions = z.array(conditionShape).max(50)

export const hookRuleShape = z.strictObject({
  pattern,
  conditions: conditions.optional(),
  hook: z.enum(['confirm', 'log', 'silent']),
  insist: z.boolean().optional(),
})

const days = (count: number) => count * 24 * 60 * 60 * 1000

export const approvalShape = z
  .strictObject({
    approvers: approversShape.optional(),
    required: z.int().min(1).max(20).optional(),
    expiresInMs: z.int().min(1_000).max(days(30)).optional(),
    onExpiry: z.enum(['deny', 'escalate']).optional(),
    escalateTo: approversShape.optional(),
    lease: z
      .union([
        z.literal(false),
        z.strictObject({
          maxUses: z.int().min(1).max(10_000),
          durationMs: z.int().min(1_000).max(days(30)),
        }),
      ])
      .optional(),
    mayEdit: z.boolean().optional(),
  })
  .refine((approval) => (approval.onExpiry === 'escalate') === (approval.escalateTo !== undefined), {
    path: ['escalateTo'],
    message: 'Expected whom to ask next exactly where it escalates.',
  })

const example = z.strictObject({
  tool: z.string().optional(),
  arguments: z.record(z.string(), z.json()),
})
const examples = z.array(example).max(100)

export const settingsPartShape = z.strictObject({
  profile: profileName,
  allow: patterns,
  deny: patterns,
  providers: z.record(z.string().min(1).max(80), layerShape),
  hooks: z.array(hookRuleShape).max(1_000),
  approval: approvalShape,
})

export const profilePartShape = z.strictObject({
  name: profileName.refine(
    (name) => !(builtinProfileNames as readonly string[]).includes(name),
    'This is the name of a built-in profile.',
  ),
  description: z.string().max(1_000),
  tools: patterns,
  /** Of these only what reads. */
  reads: patterns,
})

export const groupPartShape = z.strictObject({
  // As it is written in patterns: group:on-call.
  name: z
    .string()
    .min(1, 'Expected a name.')
    .max(80, 'Expected at most 80 characters.')
    .regex(/^[a-z0-9][a-z0-9_-]*$/, 'Expected small letters, digits, - and _, as in on-call.'),
  description: z.string().max(1_000),
  tools: patterns,
})

export const rulePartShape = z.strictObject({
  name: z.string().min(1).max(120),
  pattern,
  conditions,
  decision: z.enum(['allow', 'ask', 'deny']),
  approval: approvalShape,
  mustMatch: examples,
  mustNotMatch: examples,
  enabled: z.boolean(),
  note: z.string().max(2_000),
})

export const skillPartShape = z.strictObject({
  name: z.string().min(1).max(80),
  description: z.string().max(1_000),
  instructions: z.string().max(100_000),
  tools: patterns,
  toolGroups: patterns,
})

export const agentPartShape = z.strictObject({
  profile: profileName,
  autonomy: z.enum(['supervised', 'standard', 'autonomous']),
  provider: z.string().min(1),
  allow: patterns,
  deny: patterns,
  approvers: approversShape,
  /** How many must approve; null: as the workspace says. */
  required: z.int().min(1).max(20).nullable(),
})

export type PolicySettingsPart = z.infer<typeof settingsPartShape>
export type ProfilePart = z.infer<typeof profilePartShape>
export type GroupPart = z.infer<typeof groupPartShape>
export type RulePart = z.infer<typeof rulePartShape>
export type SkillPart = z.infer<typeof skillPartShape>
export type Approval = z.infer<typeof approvalShape>

/** What is wrong with a part, a sentence each; empty when nothing is. Text that Postgres would change is refused too. */
export function problemsOf(shape: z.ZodType, part: unknown): string[] {
  const parsed = shape.safeParse(part)
  if (!parsed.success) return parsed.error.issues.map((issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`)
  // A pattern with a character that cannot be stored would become another pattern.
  return storableJson(part) === JSON.stringify(part) ? [] : ['it: Expected no characters that cannot be stored.']
}
