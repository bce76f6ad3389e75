// What an agent often looks at before it answers, whatever it was asked: the calls that make a trace look like one.
import type { AgentSlug } from './northwind.ts'
import type { Random } from './random.ts'
import { type Call, call, customers, depots, services } from './story.ts'

const looks: Record<AgentSlug, ((random: Random) => Call)[]> = {
  harbor: [
    (random) =>
      call(
        'mcp:metrics:query',
        { expression: `slo_budget_left{app="${random.pick(services)}"}`, range: '30d' },
        `${random.int(41, 96)} % left`,
      ),
    () =>
      call(
        'memory.search',
        { query: 'runbook', limit: 5 },
        '3 notes. "Look at the carrier gateway before scaling" (decision)',
      ),
    (random) =>
      call('k8s.pods', { namespace: 'production', selector: `app=${random.pick(services)}` }, '4 of 4 running'),
    () => call('k8s.deployments', { namespace: 'staging' }, '8 deployments, all ready'),
    (random) =>
      call(
        'k8s.logs',
        { namespace: 'production', pod: `ingress-${random.hex(5)}`, since: '5m', tail: 100 },
        `${random.int(0, 6)} lines with status 5xx`,
      ),
  ],
  forge: [
    () => call('git.status', {}, 'On branch main, nothing to commit'),
    () =>
      call(
        'file.list',
        { path: 'src', recursive: false },
        '[DIR] http\n[DIR] rates\n[FILE] batch.ts (4112 bytes)\n[FILE] main.ts (988 bytes)',
      ),
    () => call('file.read', { path: 'package.json' }, '{ "type": "module", "scripts": { "test": "vitest run" } }'),
    (random) =>
      call(
        'file.grep',
        {
          pattern: random.pick(['TODO', 'retry', 'cutOff', 'parseAddress']),
          glob: 'src/**/*.ts',
          output_mode: 'files_with_matches',
        },
        'src/batch.ts\nsrc/address.ts',
      ),
    (random) =>
      call(
        'mcp:github:search',
        { query: `repo:northwind/${random.pick(services)} is:open label:bug` },
        `${random.int(2, 14)} open`,
      ),
  ],
  beacon: [
    (random) =>
      call(
        'mcp:helpdesk:search',
        { query: random.pick(customers), status: 'open' },
        `${random.int(0, 5)} open tickets`,
      ),
    (random) =>
      call('email.search', { query: random.pick(customers), limit: 5 }, `${random.int(1, 5)} mails in the last month`),
    () =>
      call(
        'memory.search',
        { query: 'tone of replies', limit: 2 },
        '"Say what happened before what we do about it" (preference)',
      ),
    (random) =>
      call(
        'shipment.lookup',
        { tracking_number: `NW${random.int(100_000_000, 999_999_999)}` },
        `delivered, ${random.pick(depots)}`,
      ),
  ],
  ledger: [
    () =>
      call(
        'warehouse.schema',
        { table: 'deliveries' },
        'deliveries(parcel_id, depot, customer, promised, delivered, late)',
      ),
    () => call('warehouse.query', { sql: 'SELECT max(loaded_at) FROM loads' }, 'today 04:12'),
    () => call('python.exec', { code: 'print(sum(rows) == total)' }, 'True'),
    () => call('vfs.list', { path: '/' }, '[DIR] reports\n[FILE] notes.md (812 bytes)'),
  ],
  scout: [
    () => call('memory.search', { query: 'trusted sources', limit: 3 }, '2 notes'),
    (random) =>
      call(
        'web.search',
        {
          query: random.pick(['parcel regulation changes', 'carrier surcharges winter', 'customs pre-notification']),
          count: 5,
        },
        '5 results',
      ),
    () => call('web.fetch', { url: 'https://gazette.example/latest' }, 'Nothing about parcels this week.'),
  ],
  quill: [
    () => call('task.list', { filter: 'open' }, '11 tasks'),
    () => call('memory.read', { namespace: 'project-state', key: 'week' }, 'Freeze starts on 12 December.'),
    () => call('google.calendar', { action: 'list', start: 'today', end: 'friday' }, '9 events'),
    () => call('system.info', {}, 'Quartermaster, today'),
  ],
}

/** One to three different looks, side by side. */
export function groundwork(random: Random, agent: AgentSlug): Call[] {
  const choices = [...looks[agent]]
  const count = random.int(1, 3)
  return Array.from({ length: Math.min(count, choices.length) }, () => {
    const [look] = choices.splice(random.int(0, choices.length - 1), 1)
    return (look as (random: Random) => Call)(random)
  })
}
