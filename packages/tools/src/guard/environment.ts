// Which environment variables a program gets. An exact list of names: with prefixes (`NODE_`, `GIT_`) come NODE_OPTIONS,
// NODE_AUTH_TOKEN and GIT_SSH_COMMAND, and with our own environment every key we have.

/** Taken over from the machine where it has them: how to write numbers and times, nothing that runs or opens anything. */
export const passedVariables = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'] as const

/** The folders that a sandbox has; what lies elsewhere is not there. */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export interface EnvironmentOptions {
  /** A folder that the program may write to: never the bot's own home, where its keys and tokens lie. */
  home: string
  /** The machine's environment, or any other; only `passedVariables` are taken from it. */
  from?: Readonly<Record<string, string | undefined>>
}

export function programEnvironment({ home, from = {} }: EnvironmentOptions): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: searchPath,
    HOME: home,
    USER: 'agent',
    LOGNAME: 'agent',
    SHELL: '/bin/sh',
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    // No colors, no pagers, no questions: nobody sits there.
    TERM: 'dumb',
    PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
  }
  for (const name of passedVariables) {
    const value = Object.hasOwn(from, name) ? from[name] : undefined
    if (value && /^[\w.@:/+-]{1,100}$/.test(value)) environment[name] = value
  }
  return environment
}
