import { ChevronRight } from 'lucide-react'
import { curlExample } from '../../../api/curl-example.ts'
import { describeFields, type FieldLine, typeOf } from '../../../api/describe-fields.ts'
import type { JsonSchema, OpenApiOperation } from '../../../api/openapi-document.ts'
import { classNames } from '../../../components/class-names.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Tag } from '../../../components/tag.tsx'
import { FieldTable } from './field-table.tsx'

interface OperationProps {
  method: string
  path: string
  operation: OpenApiOperation
  schemas: Record<string, JsonSchema>
  origin: string
}

const tones: Record<string, string> = { GET: 'text-accent-strong', POST: 'text-ok', DELETE: 'text-bad' }

/** One endpoint, folded; a link to it (#…) unfolds it. */
export function Operation({ method, path, operation, schemas, origin }: OperationProps) {
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))
  const errors = Object.entries(operation.responses).filter(([status]) => !status.startsWith('2'))
  const [about = '', rights = ''] = splitRights(operation.description)
  const body = operation.requestBody?.content['application/json']?.schema
  const curl = curlExample(method, path, operation, origin)
  return (
    <details className="group">
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2 text-sm hover:bg-sunken/60 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="size-3.5 shrink-0 text-ink-3 transition-transform group-open:rotate-90"
        />
        <span className={classNames('w-12 shrink-0 font-medium font-mono text-2xs', tones[method] ?? 'text-ink-2')}>
          {method}
        </span>
        <code className="min-w-0 break-all font-mono text-xs">{path}</code>
        <span className="text-ink-3 text-xs md:ml-auto">{operation.summary}</span>
      </summary>
      <div id={operation.operationId} className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 pt-1 pb-5 md:pl-11">
        <div className="max-w-prose text-sm">
          {about && <p>{about}</p>}
          <p className="text-ink-3 text-xs">{rights}</p>
        </div>
        <FieldTable title="Parameters" lines={parameterLines(operation, schemas)} />
        {body && <FieldTable title="Body" lines={describeFields(body, schemas)} />}
        <div className="min-w-0">
          <p className="mb-1 font-medium text-ink-3 text-xs">Example</p>
          <div className="flex items-start gap-1 rounded-md bg-sunken py-1 pr-1 pl-3">
            <pre
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard (WCAG 2.1.1).
              tabIndex={0}
              className="min-w-0 flex-1 overflow-x-auto py-1 font-mono text-xs"
            >
              {curl}
            </pre>
            <CopyButton text={curl} label={`Copy the example of ${method} ${path}`} />
          </div>
        </div>
        {success && <Success status={success[0]} answer={success[1]} schemas={schemas} />}
        <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-1 text-xs">
          {errors.map(([status, { description }]) => (
            <div key={status} className="contents">
              <dt className="font-mono text-ink-2">{status}</dt>
              <dd className="text-ink-3">{description.replaceAll('`', '')}</dd>
            </div>
          ))}
        </dl>
      </div>
    </details>
  )
}

function Success({
  status,
  answer,
  schemas,
}: {
  status: string
  answer: OpenApiOperation['responses'][string]
  schemas: Record<string, JsonSchema>
}) {
  const schema = answer.content?.['application/json']?.schema
  const others = Object.entries(answer.content ?? {}).filter(([type]) => type !== 'application/json')
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Tag tone="ok">{status}</Tag> <span>{answer.description.replaceAll('`', '')}</span>
      </p>
      {others.map(([type, { schema: each }]) => (
        <p key={type} className="text-xs">
          <code className="font-mono">{type}</code> <span className="text-ink-3">{String(each.description ?? '')}</span>
        </p>
      ))}
      {schema && <FieldTable title="Answer" lines={describeFields(schema, schemas)} isAnswer />}
    </div>
  )
}

const splitRights = (description: string) => {
  const parts = description.split('\n\n')
  return [parts.slice(0, -1).join(' ').replaceAll('`', ''), (parts.at(-1) ?? '').replaceAll('`', '')]
}

const parameterLines = (operation: OpenApiOperation, schemas: Record<string, JsonSchema>): FieldLine[] =>
  operation.parameters.flatMap((parameter) =>
    'in' in parameter
      ? [
          {
            name: parameter.name,
            type: typeOf(parameter.schema, schemas),
            required: parameter.required,
            description: [
              parameter.in === 'path' ? 'In the path.' : '',
              parameter.description ?? '',
              parameter.schema.default === undefined ? '' : `Otherwise ${parameter.schema.default}.`,
            ]
              .filter(Boolean)
              .join(' '),
          },
        ]
      : [],
  )
