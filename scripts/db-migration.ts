// npm run db:migration -- <name>: writes the SQL that leads from the schema of the last migration to the schema
// as it stands. The schema that the last migration ends at is kept beside the migrations (datamodel.prisma), and the
// schema engine (as WebAssembly) compares the two; the engine wants a live server even so, and gets an empty one.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { SchemaEngine } from '@prisma/schema-engine-wasm'
import { startEmbeddedPostgres } from '@quartermaster/db/embedded-postgres'

const root = join(import.meta.dirname, '..')
const schemaDir = join(root, 'prisma/schema')
const migrationsDir = join(root, 'prisma/migrations')
const fail = (sentence: string): never => {
  console.error(sentence)
  process.exit(1)
}

const name = process.argv[2] ?? fail('Name the migration: npm run db:migration -- <name>, e.g. add_memory.')
if (!/^[a-z][a-z0-9_]{2,59}$/.test(name))
  fail(`"${name}" cannot be a migration's name: use 3 to 60 small letters, digits and underscores, a letter first.`)

const schema = readdirSync(schemaDir)
  .filter((file) => file.endsWith('.prisma'))
  .sort()
  .map((file) => ({ path: file, content: readFileSync(join(schemaDir, file), 'utf8') }))
const datamodelFile = join(migrationsDir, 'datamodel.prisma')
const before = existsSync(datamodelFile)
  ? [{ path: 'datamodel.prisma', content: readFileSync(datamodelFile, 'utf8') }]
  : []

const sql = await writeDifference()
if (!sql.trim() || sql.includes('This is an empty migration'))
  fail('The migrations already lead to this schema: there is nothing to write.')

const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
const folder = join(migrationsDir, `${stamp}_${name}`)
mkdirSync(folder)
writeFileSync(join(folder, 'migration.sql'), sql)
writeFileSync(datamodelFile, schema.map((file) => file.content).join('\n'))
console.log(`Wrote prisma/migrations/${stamp}_${name}/migration.sql. Read it, and add by hand what Prisma cannot say.`)

async function writeDifference(): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), 'qm-migration-'))
  const server = await startEmbeddedPostgres({ dataDir: scratch, ephemeral: true })
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: server.url }))
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
  } finally {
    await server.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
}
