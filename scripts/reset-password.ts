// npm run reset:password -- <e-mail>: for somebody who cannot sign in any more. Prints a new password once and signs
// every browser of the login out.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Problem, parseEmail, setPassword } from '@quartermaster/db'
import { withDatabase } from './database.ts'
import { readScriptEnvironment } from './environment.ts'
import { runProgram } from './program.ts'

await runProgram(async () => {
  const { positionals } = parseArgs({ allowPositionals: true })
  const email = parseEmail(positionals[0] ?? '')
  if (!email)
    throw new Problem('Whose password? No e-mail address was given.', 'npm run reset:password -- owner@example.com')
  const password = randomBytes(15).toString('base64url')
  await withDatabase(readScriptEnvironment(), async (db) => {
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM logins WHERE email = $1', [email])
    const loginId = rows[0]?.id
    if (!loginId)
      throw new Problem(
        `There is no login with the e-mail ${email}.`,
        'Check the spelling; it is the address that this person signs in with.',
      )
    await setPassword(db, { loginId, password, actor: { kind: 'system', id: 'reset-password' } })
  })
  console.log(`The new password of ${email}: ${password}`)
  console.log('It is shown this once. Change it in the console under Settings; all browsers were signed out.')
  return 0
})
