// npm run console:build: makes the console's build where something other than `npm start` starts the console, and prints
// what QM_CONSOLE_DIST has to be there.
import { runProgram } from './program.ts'
import { buildConsoleIfStale } from './start/console-build.ts'
import { listenForStop } from './stop-signal.ts'

await runProgram(async () => {
  console.log(await buildConsoleIfStale(() => console.error('Building the console (about a minute)'), listenForStop()))
  return 0
})
