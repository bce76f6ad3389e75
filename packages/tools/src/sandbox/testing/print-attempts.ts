// For as-ordinary-user.ts: the corpus in this machine's sandbox, as JSON.
import { createSandbox } from '../create-sandbox.ts'
import { detectSandbox } from '../detect-sandbox.ts'
import { attemptEscapes } from './attempt-escapes.ts'

const sandbox = createSandbox(await detectSandbox())
console.log(JSON.stringify({ uid: process.getuid?.(), kind: sandbox.kind, ...(await attemptEscapes(sandbox)) }))
