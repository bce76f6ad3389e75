import { errorStatuses } from '../../../api/api-error.ts'
import { Card, CardHeader } from '../../../components/card.tsx'
import { Facts } from '../../../components/facts.tsx'

const Code = ({ children }: { children: string }) => <code className="font-mono text-xs">{children}</code>

/** What holds for every address. */
export function Introduction({ origin }: { origin: string }) {
  const codes = Object.entries(errorStatuses).map(([code, status]) => `${status} ${code}`)
  return (
    <Card aria-labelledby="all-calls">
      <CardHeader id="all-calls" title="What holds for every call" />
      <div className="px-4 pt-1 pb-4">
        <Facts
          facts={[
            ['Address', <Code key="a">{`${origin}/api/…`}</Code>],
            [
              'Who calls',
              <span key="w">
                An API key: <Code>Authorization: Bearer qm_…</Code>. It can do what its member can, in the areas that it
                was made for. This console’s own session works too.
              </span>,
            ],
            [
              'Workspace',
              <span key="x">
                <Code>X-Workspace-Id</Code> says which one is meant. A key has one; any other is not found.
              </span>,
            ],
            [
              'Words',
              'JSON with snake_case fields; times in ISO 8601, UTC; money in millionths of a US dollar. Fields and parameters that are not known are refused.',
            ],
            [
              'Lists',
              <span key="l">
                Page by page: <Code>limit</Code>, and <Code>after</Code> with the <Code>next</Code> of the page before.
              </span>,
            ],
            [
              'How often',
              <span key="h">
                <Code>RateLimit-Limit</Code>, <Code>RateLimit-Remaining</Code> and <Code>RateLimit-Reset</Code> are on
                every answer; at the limit it is 429 with <Code>Retry-After</Code>.
              </span>,
            ],
            [
              'Errors',
              <span key="e">
                <Code>{'{ "error": { "code", "message", "details"? } }'}</Code>
                <span className="mt-1.5 flex flex-wrap gap-x-3 gap-y-1 text-ink-3 text-xs">
                  {codes.map((code) => (
                    <span key={code} className="font-mono text-2xs">
                      {code}
                    </span>
                  ))}
                </span>
              </span>,
            ],
          ]}
        />
      </div>
    </Card>
  )
}
