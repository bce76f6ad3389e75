// A sender in a process of its own, for tests that kill it: node testing-sender.ts <database> <platform>.
// The platform is an HTTP server of the test. GET /<id> tells whether it has a message, POST /<id> sends one.
import { openDatabase } from '@quartermaster/db'
import { presentNothing } from '../channels/present-nothing.ts'
import { webLimits } from '../channels/web/limits.ts'
import { createLog } from '../log.ts'
import { startDelivering } from './start-delivering.ts'

const [url = '', platform = ''] = process.argv.slice(2)

await startDelivering({
  db: openDatabase(url, { name: 'sender' }),
  channels: [
    {
      kind: 'web',
      limits: webLimits,
      async deliver({ deliveryId, takenOver }, signal) {
        const at = `${platform}/${deliveryId}`
        if (takenOver && (await fetch(at, { signal })).ok) return 'found'
        await fetch(at, { method: 'POST', signal })
        return 'sent'
      },
      present: () => presentNothing,
    },
  ],
  log: createLog({ level: 'silent', secrets: [] }),
  processId: `sender-${process.pid}`,
  pollMs: 100,
})
process.send?.('ready')
