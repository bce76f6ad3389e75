/**
 * What this process used of a processor meanwhile, in milliseconds: what a neighbour on the machine used is not in it.
 * For what would take minutes if it were wrong; how quick something is, is measured in test/bench.
 */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
