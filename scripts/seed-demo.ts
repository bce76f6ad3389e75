// npm run seed:demo [-- --again]: the workspace "Northwind" with thirty days of history, for looking at the console.
import { parseArgs } from 'node:util'
import { seedDemo } from '@quartermaster/db/demo'
import { loadCheckedKeys, withDatabase } from './database.ts'
import { readScriptEnvironment } from './environment.ts'
import { runProgram } from './program.ts'

await runProgram(async () => {
  const { values } = parseArgs({ options: { again: { type: 'boolean', default: false } } })
  const env = readScriptEnvironment()
  const { counts } = await withDatabase(env, async (db) =>
    seedDemo(db, await loadCheckedKeys(env, db), { again: values.again }),
  )
  const told = ['conversations', 'messages', 'runs', 'tool_calls', 'questions'].map(
    (table) => `${counts[table]} ${table.replace('_', ' ')}`,
  )
  console.log(`The workspace "Northwind" is there: ${told.join(', ')}.`)
  console.log('Choose it in the console, at the top left.')
  return 0
})
