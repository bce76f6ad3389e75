import { ApiError, renderError } from '../../../../api/api-error.ts'
import { requireCaller } from '../../../../api/require-caller.ts'
import { data } from '../../../../data.ts'
import { asRule, checkRuleAsTyped } from '../../../../policy/check-rule.ts'
import { policyLimits } from '../../../../policy/limits.ts'
import { asPart, typedRuleShape } from '../../../../policy/read-rule.ts'
import { readPolicyTools } from '../../../../policy/read-tools.ts'
import { runtime } from '../../../../runtime.ts'

/** What would be said of a rule if it were saved; nothing is. */
export async function POST(request: Request): Promise<Response> {
  try {
    const { caller } = await requireCaller(request, { role: 'admin', scope: 'policies' })
    const text = await request.text()
    if (text.length > policyLimits.checkedRuleBytes)
      throw new ApiError('VALIDATION_ERROR', `Expected a rule of at most ${policyLimits.checkedRuleBytes} bytes.`)
    // A name may still be missing while somebody types.
    const typed = typedRuleShape.extend({ name: typedRuleShape.shape.name.catch('…') }).safeParse(parseJson(text))
    if (!typed.success)
      throw new ApiError(
        'VALIDATION_ERROR',
        typed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '),
      )
    const { workspaceId } = caller
    const { db } = runtime()
    const [tools, draft, live] = await Promise.all([
      readPolicyTools(workspaceId),
      data.readPolicyDraft(db, workspaceId),
      data.readPolicyContent(db, workspaceId),
    ])
    const { rules: others = [], groups = [] } = draft?.content ?? live?.content ?? {}
    const checked = checkRuleAsTyped(
      asPart(typed.data),
      typed.data.id ?? 'new',
      tools.list(),
      others.map((rule) => asRule(rule, rule.id)),
      Object.fromEntries(groups.map(({ name, ...group }) => [name, group])),
    )
    return Response.json(checked, { headers: { 'Cache-Control': 'no-store' } })
  } catch (error) {
    return renderError(error)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'Expected JSON.')
  }
}
