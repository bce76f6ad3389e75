// Which tools an agent has, with 200 patterns: the first time, after the policy or the registry changed, and again.
import { type AnyTool, Policy, type PolicyConfig, succeeded, ToolRegistry } from '@quartermaster/tools'
import { type Bench, type Measurement, percentile } from './measure.ts'

const sizes = [10, 1_000, 10_000]
const times = 40

const bench: Bench = {
  about: `all tools of a registry against 200 patterns in five layers, ${times} times each`,
  async run() {
    return sizes.flatMap(measure)
  },
}
export default bench

function measure(size: number): Measurement[] {
  const registry = new ToolRegistry()
  registry.registerMany(createTools(size))
  const context = { agent: 'fast', provider: 'anthropic', attachments: null } as const
  const config = createConfig()
  const what = (which: string) => `${size.toLocaleString('en')} tools, ${which}`

  // A policy that never saw these tools: nothing it could have kept.
  const policies = Array.from({ length: times + 10 }, () => new Policy(config))
  const cold = policies
    .slice(10)
    .map((policy) => micros(() => mustDecide(policy.resolve(registry, { ...context }), size)))
  const policy = policies[0] as Policy
  policy.resolve(registry, context)
  const cached = Array.from({ length: times }, () =>
    micros(() => mustDecide(policy.resolve(registry, context), size), 100),
  )
  const anew = Array.from({ length: times }, () =>
    micros(() => mustDecide(policy.resolve(registry, { ...context }), size), 100),
  )
  const changed = Array.from({ length: times }, (_, index) => {
    registry.register(createTool(`late.tool${index}`))
    const taken = micros(() => mustDecide(policy.resolve(registry, context), size + 1))
    registry.unregister(`late.tool${index}`)
    return taken
  })
  const compiled = Array.from({ length: times }, () => micros(() => new Policy(config)))
  const list = registry.list()
  const decided = Array.from({ length: times }, (_, index) => {
    const tool = list[index % list.length] as AnyTool
    return micros(() => policy.decide(tool, { path: 'a' }, context), 100)
  })
  return [
    row(what('cold: a policy that is new'), cold),
    row(what('after a tool was registered'), changed),
    row(what('cached: nothing changed'), cached),
    row(what('cached: an equal context'), anew),
    row(what('one call decided'), decided),
    ...(size === sizes[0] ? [row('the policy compiled', compiled)] : []),
  ]
}

/** Of the processor as well: on a busy machine the clock measures the others. */
interface Taken {
  wall: number
  cpu: number
}

function row(what: string, taken: readonly Taken[]): Measurement {
  const wall = taken.map((one) => one.wall)
  // The processor's clock ticks in milliseconds on some machines, so only the mean says something.
  const cpu = taken.reduce((sum, one) => sum + one.cpu, 0) / taken.length
  const figures = {
    'p50 (µs)': percentile(wall, 0.5),
    'p95 (µs)': percentile(wall, 0.95),
    'cpu mean (µs)': cpu,
  }
  return { what, figures }
}

function micros(work: () => unknown, repeated = 1): Taken {
  const before = process.threadCpuUsage()
  const start = performance.now()
  for (let time = 0; time < repeated; time++) work()
  const wall = ((performance.now() - start) * 1_000) / repeated
  const { user, system } = process.threadCpuUsage(before)
  return { wall, cpu: (user + system) / repeated }
}

/** A bench that decides nothing would look very fast. */
function mustDecide(decisions: ReadonlyMap<string, { verdict: string }>, size: number): void {
  if (decisions.size !== size) throw new Error(`${decisions.size} of ${size} tools were decided`)
}

const areas = ['file', 'web', 'browser', 'memory', 'k8s', 'task', 'git', 'media']

function createTools(size: number): AnyTool[] {
  return Array.from({ length: size }, (_, index) =>
    createTool(
      index % 3 === 0 ? `${areas[index % areas.length]}.tool${index}` : `mcp:server${index % 150}:tool${index}`,
      index,
    ),
  )
}

const createTool = (name: string, index = 0): AnyTool => ({
  name,
  title: name,
  description: 'A tool of a bench.',
  category: 'bench',
  groups: index % 5 === 0 ? ['fs'] : index % 7 === 0 ? ['web', 'memory'] : [],
  effect: 'read',
  inputSchema: { type: 'object' },
  execute: async () => succeeded(''),
})

/** 200 patterns of every sort, in every layer. */
function createConfig(): PolicyConfig {
  const patterns = Array.from({ length: 200 }, (_, index) => {
    if (index % 4 === 0) return `mcp:server${index}:*`
    if (index % 4 === 1) return `${areas[index % areas.length]}.tool${index * 3}`
    if (index % 4 === 2) return index % 20 === 2 ? 'group:fs' : `mcp:server${index}:tool${index}`
    return `area${index}.*`
  })
  const part = (from: number, to: number) => patterns.slice(from, to)
  return {
    profile: 'bench',
    profiles: { bench: { tools: ['*', ...part(0, 39)] } },
    allow: part(39, 80),
    deny: part(80, 120),
    agents: { fast: { allow: part(120, 140), deny: part(140, 160) } },
    providers: { anthropic: { deny: part(160, 200) } },
  }
}
