// The draft that an admin of Northwind has in hand: what the Policies page shows before anything is published.
import type { PolicyContent } from '../policy-content.ts'
import type { Row, Rows } from './rows.ts'

interface MakePolicyDraft {
  workspaceId: string
  memberId: string
  /** For the rule that it adds. */
  ruleId: string
  at: string
}

/** Made of the rows of the live policy, so that it differs in its two changes and in nothing else. */
export function makePolicyDraft(rows: Rows, { workspaceId, memberId, ruleId, at }: MakePolicyDraft): Row {
  const base = contentOf(rows)
  const content: PolicyContent = {
    ...base,
    settings: {
      ...base.settings,
      // Forge commits into branches that a pull request shows anyway.
      hooks: base.settings.hooks.map((hook) => (hook.pattern === 'git.commit' ? { ...hook, hook: 'log' } : hook)),
    },
    rules: [
      ...base.rules,
      {
        id: ruleId,
        name: 'Comments are read first',
        pattern: 'mcp:github:comment',
        conditions: [],
        decision: 'ask',
        approval: { approvers: { requester: true, roles: ['member'] } },
        mustMatch: [
          { tool: 'mcp:github:comment', arguments: { repo: 'northwind/rates', number: 12, text: 'Fixed.' } },
          { tool: 'mcp:github:comment', arguments: { repo: 'northwind/labels', number: 3, text: 'Why?' } },
        ],
        mustNotMatch: [
          { tool: 'mcp:github:search', arguments: { query: 'is:open' } },
          { tool: 'mcp:github:get_pull_request', arguments: { repo: 'northwind/rates', number: 12 } },
        ],
        enabled: true,
        note: 'What is said in public, somebody has read.',
      },
    ],
  }
  return {
    workspace_id: workspaceId,
    base_revision: 0,
    base,
    content,
    updated_by: memberId,
    created_at: at,
    updated_at: at,
  }
}

function contentOf(rows: Rows): PolicyContent {
  const [settings = {}] = rows.of('policy_settings')
  const pick = (row: Row, ...names: string[]) => Object.fromEntries(names.map((name) => [name, row[name]]))
  const byName = (a: Row, b: Row) => (String(a.name) < String(b.name) ? -1 : 1)
  return {
    settings: { ...pick(settings, 'profile', 'allow', 'deny', 'providers', 'hooks'), approval: {} },
    profiles: [...rows.of('profiles')].sort(byName).map((row) => pick(row, 'name', 'description', 'tools', 'reads')),
    groups: [...rows.of('tool_groups')].sort(byName).map((row) => pick(row, 'name', 'description', 'tools')),
    skills: [...rows.of('skills')].sort(byName).map((row) => ({
      ...pick(row, 'name', 'description', 'instructions', 'tools'),
      toolGroups: row.tool_groups,
    })),
    rules: rows.of('rules').map((row) => ({
      ...pick(row, 'id', 'name', 'pattern', 'conditions', 'decision', 'approval', 'enabled', 'note'),
      mustMatch: row.must_match,
      mustNotMatch: row.must_not_match,
    })),
  } as unknown as PolicyContent
}
