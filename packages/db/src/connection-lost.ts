/** The server is restarting, refuses connections or broke one: the same statement may succeed in a moment. */
export function isConnectionLost(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code === 'string' && (/^(08|57P|53300|P10)/.test(code) || /^E(CONN|PIPE|TIMEDOUT|HOST|NET)/.test(code)))
    return true
  return (
    typeof message === 'string' &&
    /connection (terminated|timeout|ended)|timeout exceeded when trying|not currently accepting/i.test(message)
  )
}
