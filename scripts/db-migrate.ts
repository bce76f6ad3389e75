// npm run db:migrate: brings the database of DATABASE_URL to this version's schema, for deployments where the bots
// and consoles are started by something other than `npm start`.
import { migrate, Problem } from '@quartermaster/db'
import { readScriptEnvironment } from './environment.ts'
import { runProgram } from './program.ts'

await runProgram(async () => {
  const { DATABASE_URL } = readScriptEnvironment()
  if (!DATABASE_URL)
    throw new Problem(
      'DATABASE_URL is not set.',
      'Set it to the database to migrate; npm start migrates the embedded one by itself.',
    )
  const applied = await migrate(DATABASE_URL, (name) => console.log(`Migration ${name}`))
  console.log(applied.length ? `${applied.length} applied.` : 'The database is current.')
  return 0
})
