// The official test suite of JSON Schema 2020-12, all required tests, through our validator. It is read from
// corpora/json-schema-2020-12, which lies beside the project and not in it (`QM_CORPORA` says where else).
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JSONSchema } from './contract.ts'
import { type CompiledSchema, compileSchema } from './validate.ts'

interface Group {
  description: string
  schema: JSONSchema
  tests: { description: string; data: unknown; valid: boolean }[]
}

/** Where we differ, by `file › group › test`, or by the group where the schema itself is refused. */
const exceptions: readonly { reason: string; names: readonly string[] }[] = [
  {
    reason: 'Formats are checked here, which the specification leaves to the implementation.',
    names: [
      'email',
      'regex',
      'ipv4',
      'ipv6',
      'hostname',
      'date',
      'date-time',
      'time',
      'json-pointer',
      'relative-json-pointer',
      'uri',
      'uri-reference',
      'uri-template',
      'uuid',
      'duration',
    ].map((name) => `format › ${name} format › invalid ${name} string is only an annotation by default`),
  },
  {
    reason: 'Defaults are filled in before the check, so a default that does not fit its own schema is found out.',
    names: [
      'default › invalid type for default › still valid when the invalid default is used',
      'default › invalid string value for default › still valid when the invalid default is used',
      'default › the default keyword does not do anything if the property is missing › missing properties are not filled in with the default',
    ],
  },
  {
    reason: 'Every schema is read as draft 2020-12 with all of its vocabularies, whatever meta-schema it names.',
    names: [
      'vocabulary › schema that uses custom metaschema with with no validation vocabulary › no validation: invalid number, but it still validates',
    ],
  },
  {
    reason:
      'A $dynamicRef with several $dynamicAnchor of its name in one schema is refused: Ajv follows only the simple ones.',
    names: [
      'dynamicRef › A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated',
      "dynamicRef › A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
      'dynamicRef › A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope',
      'dynamicRef › multiple dynamic paths to the $dynamicRef keyword',
      'dynamicRef › after leaving a dynamic scope, it is not used by a $dynamicRef',
      'dynamicRef › $dynamicRef skips over intermediate resources - direct reference',
      'dynamicRef › $dynamicRef avoids the root of each schema, but scopes are still registered',
      'unevaluatedItems › unevaluatedItems with $dynamicRef',
      'unevaluatedProperties › unevaluatedProperties with $dynamicRef',
    ],
  },
  {
    reason: 'The dynamic anchors lie in two documents. Tools have one: nothing is fetched.',
    names: [
      'dynamicRef › strict-tree schema, guards against misspelled properties',
      'dynamicRef › tests for implementation dynamic anchor and reference link › incorrect extended schema',
      'dynamicRef › $ref and $dynamicAnchor are independent of order - $defs first › incorrect extended schema',
      'dynamicRef › $ref and $dynamicAnchor are independent of order - $ref first › incorrect extended schema',
    ],
  },
  {
    reason: 'Ajv does not count what `contains` and the items of some branches have evaluated.',
    names: [
      'unevaluatedItems › unevaluatedItems with nested items › with no additional items',
      'unevaluatedItems › unevaluatedItems with nested items › with invalid additional item',
      'unevaluatedItems › unevaluatedItems depends on adjacent contains › contains passes, second item is not evaluated',
      'unevaluatedItems › unevaluatedItems depends on multiple nested contains › 7 not evaluated, fails unevaluatedItems',
      "unevaluatedItems › unevaluatedItems and contains interact to control item dependency relationship › only b's are invalid",
      "unevaluatedItems › unevaluatedItems and contains interact to control item dependency relationship › only c's are invalid",
      "unevaluatedItems › unevaluatedItems and contains interact to control item dependency relationship › only b's and c's are invalid",
      "unevaluatedItems › unevaluatedItems and contains interact to control item dependency relationship › only a's and c's are invalid",
      'unevaluatedItems › unevaluatedItems with minContains = 0 › all items evaluated by contains',
      'unevaluatedItems › unevaluatedItems can see annotations from if without then and else › invalid in case if is evaluated',
    ],
  },
  {
    reason: 'Ajv counts what `if` evaluates whether it holds or not.',
    names: [
      'unevaluatedProperties › unevaluatedProperties with if/then/else, then not defined › when if is true and has no unevaluated properties',
      'unevaluatedProperties › unevaluatedProperties with if/then/else, then not defined › when if is false and has unevaluated properties',
    ],
  },
]

const reasons = new Map(exceptions.flatMap(({ reason, names }) => names.map((name) => [name, reason] as const)))

function findSuite(): string | null {
  if (process.env.QM_CORPORA) return join(process.env.QM_CORPORA, 'json-schema-2020-12')
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const suite = join(folder, 'shared/corpora/json-schema-2020-12')
    if (existsSync(suite)) return suite
  }
  return null
}

function jsonFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'))
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

function runSuite(suite: string): void {
  const remotes = join(suite, 'remotes')
  const documents = new Map<string, JSONSchema>(
    jsonFilesIn(remotes).map((path) => [`http://localhost:1234/${path}`, read(join(remotes, path))]),
  )
  const met = new Set<string>()
  const folder = join(suite, 'tests/draft2020-12')
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    describe(file, () => {
      for (const group of read(join(folder, file)) as Group[]) {
        const groupName = `${file.replace('.json', '')} › ${group.description}`
        test(group.description, () => {
          const compiled = compile(group.schema, documents)
          if (reasons.has(groupName)) {
            met.add(groupName)
            expect(compiled, `${groupName} passes now: take it out of the exceptions`).toBeNull()
            return
          }
          for (const { description, data, valid } of group.tests) {
            const name = `${groupName} › ${description}`
            const agrees = compiled !== null && compiled.validate(data).ok === valid
            if (reasons.has(name)) met.add(name)
            const verdict = reasons.has(name) ? `${name} passes now: take it out of the exceptions` : name
            expect(agrees, verdict).toBe(!reasons.has(name))
          }
        })
      }
    })
  }
  test('every exception is of a test that there is', () => {
    expect([...reasons.keys()].filter((name) => !met.has(name))).toEqual([])
  })
}

function compile(schema: JSONSchema, documents: ReadonlyMap<string, JSONSchema>): CompiledSchema | null {
  try {
    return compileSchema(schema, JSON.stringify(schema).includes('localhost:1234') ? { documents } : {})
  } catch {
    return null
  }
}

const suite = findSuite()
if (suite !== null && existsSync(suite)) runSuite(suite)
else {
  const missing = `The JSON Schema suite did NOT run: there is no ${suite ?? 'shared/corpora/json-schema-2020-12'} here.`
  test(missing, () => console.warn(missing))
}
