// npm run db:migration -- <name>: writes the SQL that leads from the schema of the last migration to the schema
// as it stands. The schema that the last migration ends at is kept beside the migrations (datamodel.prisma), and the
// schema engine (as WebAssembly) compares the two; the engine wants a live server even so, and gets an empty one.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { SchemaEngine } from '@prisma/schema-engine-wasm'
import { Problem, projectRoot } from '@quartermaster/db'
import { withScratchPostgres } from './database.ts'
import { runProgram } from './program.ts'

const schemaDir = join(projectRoot, 'prisma/schema')
const migrationsDir = join(projectRoot, 'prisma/migrations')
const datamodelFile = join(migrationsDir, 'datamodel.prisma')

interface SchemaFile {
  path: string
  content: string
}

await runProgram(async () => {
  const name = parseName(process.argv[2])
  const schema = readdirSync(schemaDir)
    .filter((file) => file.endsWith('.prisma'))
    .sort()
    .map((file) => ({ path: file, content: readFileSync(join(schemaDir, file), 'utf8') }))
  const before = existsSync(datamodelFile)
    ? [{ path: 'datamodel.prisma', content: readFileSync(datamodelFile, 'utf8') }]
    : []
  const sql = await withScratchPostgres((url) => compare(url, before, schema))
  if (!sql.trim() || sql.includes('This is an empty migration'))
    throw new Problem(
      'The migrations already lead to this schema: there is nothing to write.',
      'Change prisma/schema first; what Prisma cannot say goes into a folder of its own under prisma/migrations.',
    )
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const folder = join(migrationsDir, `${stamp}_${name}`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'migration.sql'), sql)
  // Last, and by one step: a kill before it leaves a migration to delete, never a schema that no migration leads to.
  writeFileSync(`${datamodelFile}.new`, schema.map((file) => file.content).join('\n'))
  renameSync(`${datamodelFile}.new`, datamodelFile)
  console.log(
    `Wrote prisma/migrations/${stamp}_${name}/migration.sql. Read it, and add by hand what Prisma cannot say.`,
  )
  return 0
})

function parseName(name: string | undefined): string {
  if (name && /^[a-z][a-z0-9_]{2,59}$/.test(name)) return name
  throw new Problem(
    name ? `"${name}" cannot be a migration's name.` : 'The migration has no name.',
    'npm run db:migration -- add_memory: 3 to 60 small letters, digits and underscores, a letter first.',
  )
}

async function compare(url: string, before: SchemaFile[], schema: SchemaFile[]): Promise<string> {
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: url }))
    const datamodels = schema.map((file) => [file.path, file.content] as [string, string])
    const engine = await SchemaEngine.new({ datamodels }, () => {}, adapter)
    const { stdout } = await engine.diff({
      from: before.length ? { tag: 'schemaDatamodel', files: before } : { tag: 'empty' },
      to: { tag: 'schemaDatamodel', files: schema },
      script: true,
      shadowDatabaseUrl: null,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    } as never)
    return stdout ?? ''
  } catch (cause) {
    throw new Problem(`Prisma could not compare the schemas: ${(cause as Error).message}`, 'Check prisma/schema.', {
      cause,
    })
  }
}
