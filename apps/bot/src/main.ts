import { runBot } from './run-bot.ts'

await runBot()
