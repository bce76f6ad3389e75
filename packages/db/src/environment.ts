// How a program's settings are read: from `.env` and the environment, each also as NAME_FILE (the path of a file that
// holds the value, as container platforms mount secrets). All mistakes are told at once. Which variables exist is
// each app's own `env.ts`; the ones about data are here, because both apps and the scripts have them.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { Problem } from './problem.ts'

export type Environment = Record<string, string | undefined>

/** The folder that holds package.json, .env and, by default, .data. */
export const projectRoot = resolve(import.meta.dirname, '../../..')

/** The environment with `.env` beneath it: what is set outside wins. */
export function withDotEnv(environment: Environment, root = projectRoot): Environment {
  const file = join(root, '.env')
  return existsSync(file) ? { ...parseEnv(readFileSync(file, 'utf8')), ...environment } : { ...environment }
}

export const port = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, 'a port number from 1 to 65535')
    .transform(Number)
    .refine((value) => value >= 1 && value <= 65_535, 'a port number from 1 to 65535')
    .default(fallback)

export const address = (protocols: string[]) =>
  z.string().refine(
    (value) => {
      try {
        return protocols.includes(new URL(value).protocol)
      } catch {
        return false
      }
    },
    `an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  )

/** A master key: 32 bytes, as 64 hexadecimal digits or in base64. */
const masterKey = z
  .string()
  .refine((value) => decodeKey(value) !== null, '32 bytes, as 64 hexadecimal digits or in base64')
  .transform((value) => decodeKey(value) as Buffer)

function decodeKey(value: string): Buffer | null {
  const bytes = /^[0-9a-f]{64}$/i.test(value) ? Buffer.from(value, 'hex') : Buffer.from(value, 'base64')
  return bytes.length === 32 && (/^[0-9a-f]{64}$/i.test(value) || /^[\w+/-]{43}=?$/.test(value)) ? bytes : null
}

export const dataVariables = {
  DATABASE_URL: address(['postgresql:', 'postgres:']).optional(),
  QM_DATA_DIR: z
    .string()
    .default('.data')
    .transform((path) => resolve(projectRoot, path)),
  QM_MASTER_KEY: masterKey.optional(),
  QM_MASTER_KEY_PREVIOUS: masterKey.optional(),
}

/** Parses the variables of `shape`; an empty one counts as not set. Throws one Problem that names every mistake. */
export function readEnvironment<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  environment: Environment,
): z.infer<z.ZodObject<Shape>> {
  const mistakes: string[] = []
  const values: Environment = {}
  for (const name of Object.keys(shape)) {
    const file = environment[`${name}_FILE`]
    if (environment[name] && file) mistakes.push(`${name} and ${name}_FILE are both set: expected one of them`)
    else if (file) {
      try {
        values[name] = readFileSync(file, 'utf8').trim()
      } catch (error) {
        mistakes.push(`${name}_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
      }
    } else if (environment[name]) values[name] = environment[name]
  }
  const parsed = z.object(shape).safeParse(values)
  if (!parsed.success)
    for (const issue of parsed.error.issues) {
      const name = String(issue.path[0])
      mistakes.push(
        values[name] === undefined
          ? `${name} is not set: expected ${expectation(issue)}`
          : `${name}: expected ${expectation(issue)}`,
      )
    }
  if (mistakes.length || !parsed.success) throw new SettingsProblem(mistakes)
  return parsed.data
}

/** Settings that cannot be used: each mistake begins with the name of its variable. */
export class SettingsProblem extends Problem {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`
    super(
      `The settings have ${count}:\n${mistakes.map((line) => `  - ${line}`).join('\n')}`,
      'Correct them in .env or in the environment; .env.example explains each.',
    )
    this.mistakes = mistakes
  }
}

/** Values are never repeated in a mistake: they may be secrets. */
function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`
  if (issue.code === 'invalid_type') return `a ${issue.expected}`
  return issue.message
}
