// npm run bench [-- name] [--json] [--long]: runs every *.bench.ts beside this file, or the named one, on a database of its own,
// and prints what it measured. The server is an embedded one for this run only; with DATABASE_URL it is that one.
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { migrate, openDatabase, Problem } from '@quartermaster/db'
import { withScratchPostgres } from '../../scripts/database.ts'
import { runProgram } from '../../scripts/program.ts'
import type { Bench, Measurement } from './measure.ts'

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean' }, long: { type: 'boolean', default: false } },
  allowPositionals: true,
})

await runProgram(async () => {
  const names = findBenches(positionals[0])
  const given = process.env.DATABASE_URL
  if (given) await measureAll(names, given, true)
  else await withScratchPostgres((url) => measureAll(names, url, false))
  return 0
})

async function measureAll(names: string[], server: string, durable: boolean): Promise<void> {
  const results: { bench: string; measurements: Measurement[] }[] = []
  for (const name of names) {
    const { default: bench } = (await import(`./${name}.bench.ts`)) as { default: Bench }
    if (!values.json) console.log(`\n${name}: ${bench.about}`)
    const measurements = await onNewDatabase(server, (url) => bench.run(url, { long: values.long }))
    if (!values.json) printTable(measurements)
    results.push({ bench: name, measurements })
  }
  if (values.json) {
    const machine = { node: process.version, cpus: cpus().length, postgres: await readVersion(server), durable }
    console.log(JSON.stringify({ machine, results }, null, 2))
  }
}

function findBenches(wanted: string | undefined): string[] {
  const names = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.bench.ts'))
    .map((file) => file.replace('.bench.ts', ''))
    .sort()
  if (!wanted) return names
  if (names.includes(wanted)) return [wanted]
  throw new Problem(`There is no bench named ${wanted}.`, `Choose one of: ${names.join(', ')}.`)
}

/** A bench writes thousands of rows; they never land in the database of the address itself. */
async function onNewDatabase<T>(server: string, work: (url: string) => Promise<T>): Promise<T> {
  const admin = openDatabase(server, { name: 'qm-bench', maxConnections: 1 })
  const name = `qm_bench_${randomBytes(6).toString('hex')}`
  try {
    await admin.pool.query(`CREATE DATABASE ${name}`)
    const url = new URL(server)
    url.pathname = `/${name}`
    await migrate(url.href)
    return await work(url.href)
  } finally {
    await admin.pool.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await admin.close()
  }
}

async function readVersion(url: string): Promise<string> {
  const db = openDatabase(url, { name: 'qm-bench', maxConnections: 1 })
  try {
    return (await db.pool.query('SHOW server_version')).rows[0].server_version
  } finally {
    await db.close()
  }
}

function printTable(measurements: Measurement[]): void {
  console.table(
    Object.fromEntries(
      measurements.map(({ what, figures }) => [
        what,
        Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toPrecision(3))])),
      ]),
    ),
  )
}
