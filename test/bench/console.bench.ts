// How long the console's server takes for the pages that show a long past: each with ten thousand tool calls and with
// very many, in one run. `--long`: ten million calls and a million runs, which takes ten minutes and 15 GB to make.
import { migrate, newId, openDatabase } from '@quartermaster/db'
import { fillWorkspace } from './fill-workspace.ts'
import type { Bench } from './measure.ts'
import { measureConsole, prepareForConsole } from './measure-console.ts'

const small = { calls: 10_000, runs: 1_000 }
const usual = { calls: 1_000_000, runs: 100_000 }
const long = { calls: 10_000_000, runs: 1_000_000 }

const bench: Bench = {
  about: 'pages of the built console, in ms: 10 thousand tool calls beside a million (--long: ten million)',
  async run(url, options) {
    const admin = openDatabase(url, { name: 'qm-bench', maxConnections: 1 })
    const name = newId('qm_small').toLowerCase()
    const smallUrl = Object.assign(new URL(url), { pathname: `/${name}` }).href
    try {
      await admin.pool.query(`CREATE DATABASE ${name}`)
      await migrate(smallUrl)
      const size = options.long ? long : usual
      await fill(smallUrl, small)
      const seconds = await fill(url, size)
      return [
        { what: 'made', figures: { ...size, seconds } },
        ...(await measureConsole({ small: smallUrl, large: url })),
      ]
    } finally {
      await admin.pool.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await admin.close()
    }
  },
}
export default bench

async function fill(url: string, size: { calls: number; runs: number }): Promise<number> {
  const db = openDatabase(url, { name: 'qm-bench' })
  try {
    const start = performance.now()
    await fillWorkspace(db, { ...(await prepareForConsole(db)), ...size })
    return (performance.now() - start) / 1000
  } finally {
    await db.close()
  }
}
