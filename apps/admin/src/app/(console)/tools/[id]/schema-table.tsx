import { Cell, HeadCell, Row, Table } from '../../../../components/table.tsx'
import { TextBlock } from '../../../../components/text-block.tsx'
import { describeLimits, follow, isSchema, type Schema, shapeOf } from '../../../../schema-form/shape.ts'

interface Line {
  path: string
  type: string
  required: boolean
  schema: Schema
}

/** Deeper than this, the JSON says it better. */
const levels = 3

/** A schema for people: a line for each property, those of objects within it too; the JSON itself below. */
export function SchemaTable({ schema, what }: { schema: unknown; what: string }) {
  const root = isSchema(schema) ? schema : {}
  const lines = linesOf(follow(root, root), root, '', levels)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 pb-3">
      {lines.length === 0 ? (
        <p className="px-4 text-ink-3">It takes no {what}.</p>
      ) : (
        <Table label={`The ${what}`}>
          <thead>
            <tr>
              <HeadCell>Name</HeadCell>
              <HeadCell>Kind</HeadCell>
              <HeadCell className="w-full">What it is</HeadCell>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ path, type, required, schema: own }) => (
              <Row key={path} className="align-top">
                <Cell className="py-2">
                  <code className="font-mono text-xs">{path}</code>
                  {required && <span className="ml-1.5 text-2xs text-ink-3">required</span>}
                </Cell>
                <Cell className="py-2 text-ink-2">{type}</Cell>
                <Cell className="min-w-64 whitespace-normal py-2">
                  <Meaning schema={own} />
                </Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      )}
      <details className="px-4">
        <summary className="w-fit text-accent-strong text-xs underline underline-offset-2">Show as JSON Schema</summary>
        <div className="mt-1.5">
          <TextBlock title="JSON Schema" text={JSON.stringify(schema, null, 2)} />
        </div>
      </details>
    </div>
  )
}

function Meaning({ schema }: { schema: Schema }) {
  const limits = describeLimits(schema)
  const values = Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)).join(', ') : ''
  return (
    <>
      {typeof schema.description === 'string' && schema.description}
      <span className="block text-ink-3 text-xs empty:hidden">
        {[
          values && `one of ${values}`,
          limits,
          schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </>
  )
}

function linesOf(schema: Schema, root: Schema, prefix: string, left: number): Line[] {
  const shape = shapeOf(schema, root)
  if (shape.kind !== 'object' || left === 0) return []
  return shape.properties.flatMap(([name, property]) => {
    const path = prefix + name
    const inner = shapeOf(property, root)
    const below =
      inner.kind === 'object'
        ? linesOf(property, root, `${path}.`, left - 1)
        : inner.kind === 'list'
          ? linesOf(inner.items, root, `${path}[].`, left - 1)
          : []
    return [{ path, type: typeOf(property, root), required: shape.required.has(name), schema: property }, ...below]
  })
}

function typeOf(schema: Schema, root: Schema): string {
  const shape = shapeOf(schema, root)
  switch (shape.kind) {
    case 'text':
      return 'text'
    case 'number':
      return shape.whole ? 'whole number' : 'number'
    case 'boolean':
      return 'yes or no'
    case 'choice':
      return 'choice'
    case 'constant':
      return JSON.stringify(shape.value)
    case 'list':
      return `list of ${plural[typeOf(shape.items, root)] ?? typeOf(shape.items, root)}`
    case 'object':
      return 'object'
    case 'alternatives':
      return shape.alternatives.map((alternative) => typeOf(alternative, root)).join(' or ')
    case 'json':
      return schema.type === 'null' ? 'nothing' : 'any JSON'
  }
}

const plural: Record<string, string> = {
  text: 'texts',
  number: 'numbers',
  'whole number': 'whole numbers',
  object: 'objects',
}
