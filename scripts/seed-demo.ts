// npm run seed:demo [-- --again]: the workspace "Northwind" with thirty days of history, for looking at the console.
import { parseArgs } from 'node:util'
import { syncTools } from '@quartermaster/db'
import { seedDemo } from '@quartermaster/db/demo'
import { describeBuiltinTools } from '@quartermaster/tools'
import { definitionOf } from '../apps/bot/src/tools/compose-registry.ts'
import { loadCheckedKeys, withDatabase } from './database.ts'
import { readScriptEnvironment } from './environment.ts'
import { runProgram } from './program.ts'

await runProgram(async () => {
  const { values } = parseArgs({ options: { again: { type: 'boolean', default: false } } })
  const env = readScriptEnvironment()
  const { counts } = await withDatabase(env, async (db) => {
    const keys = await loadCheckedKeys(env, db)
    // As the bot does at its start, which may not have been yet: the demo's agents have these tools.
    await syncTools(db, describeBuiltinTools().map(definitionOf))
    return seedDemo(db, keys, { again: values.again })
  })
  const told = ['conversations', 'messages', 'runs', 'tool_calls', 'questions'].map(
    (table) => `${counts[table]} ${table.replace('_', ' ')}`,
  )
  console.log(`The workspace "Northwind" is there: ${told.join(', ')}.`)
  console.log('Choose it in the console, at the top left.')
  return 0
})
