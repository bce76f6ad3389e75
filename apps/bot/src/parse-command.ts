/** The words of a command line without a shell: quotes keep spaces together, and nothing else means anything. */
export function parseCommand(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}
