import type { RulePart } from '@quartermaster/db'
import { z } from 'zod'

const examples = z
  .array(
    z.object({ tool: z.string().optional(), arguments: z.record(z.string(), z.unknown()) }),
    'Expected the arguments of every example as a JSON object.',
  )
  .max(100, 'Expected at most 100 examples.')

/**
 * A rule as the editor sends it. What its parts may be is packages/db's and packages/tools' to say; this only sees to it
 * that they can be asked.
 */
export const typedRuleShape = z.object({
  id: z.string().max(64).optional(),
  name: z.string().trim().min(1, 'Expected a name.').max(120, 'Expected at most 120 characters.'),
  pattern: z
    .string()
    .trim()
    .min(1, 'Expected a pattern, such as shell.exec or file.*')
    .max(200, 'Expected at most 200 characters.'),
  decision: z.enum(['allow', 'ask', 'deny']),
  conditions: z.array(z.looseObject({ path: z.string() })).max(50, 'Expected at most 50 conditions.'),
  approval: z.looseObject({}),
  mustMatch: examples,
  mustNotMatch: examples,
  enabled: z.boolean(),
  note: z.string().max(2_000, 'Expected at most 2,000 characters.'),
})

export type TypedRule = z.infer<typeof typedRuleShape>
export const asPart = ({ id: _, ...rule }: TypedRule): RulePart => rule as unknown as RulePart
