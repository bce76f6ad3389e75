// What the policy has to know about programs: which of them run other programs, and which options make a harmless
// program run or write something else. Known things only; a program that is not here is taken for what it is called.

/** They run the command that follows their own options: never covered by an allow, always seen through by a deny. */
export const wrappers: ReadonlySet<string> = new Set(
  `eval exec env command builtin sudo doas su runuser pkexec gosu xargs parallel nohup nice ionice chrt taskset numactl
  timeout time watch setsid stdbuf unbuffer chroot unshare nsenter bwrap firejail proot fakeroot flock script strace
  ltrace gdb systemd-run at batch entr expect rlwrap tmux screen setarch linux32 linux64 xvfb-run dbus-run-session
  source . trap alias busybox toybox coproc`.split(/\s+/),
)

/** Wrappers (and others) whose first plain argument is not yet the command: a duration, a user, a host, a folder. */
export const takesOneFirst: ReadonlySet<string> = new Set(
  'timeout chroot flock su runuser gosu ssh chrt taskset setarch watch systemd-run busybox toybox'.split(' '),
)

/** Somewhere among their arguments a command of the container begins. */
export const containers: ReadonlySet<string> = new Set('docker podman nerdctl kubectl lxc'.split(' '))

/** What they are given as one argument is a command line of its own. */
export const evaluators: ReadonlySet<string> = new Set(
  'eval env su runuser watch script trap ssh xargs parallel npx npm pnpm yarn bun entr tmux screen flock expect at batch docker podman nerdctl kubectl'.split(
    ' ',
  ),
)

export const shells: ReadonlySet<string> = new Set('sh bash dash zsh ksh mksh ash rbash fish csh tcsh pwsh'.split(' '))

const interpreterNames = new Set(
  'python perl ruby node nodejs deno bun php lua awk gawk mawk nawk tclsh osascript vim vi ex ed emacs R Rscript julia gdb sqlite3 psql mysql'.split(
    ' ',
  ),
)

/** Their code is not the shell's, so what it does is only guessed at. */
export const isInterpreter = (program: string): boolean =>
  interpreterNames.has(program) || /^(python|perl|ruby|lua|php)[\d.]+$/.test(program)

/** In code nobody parses, these may start a program. */
export const startsPrograms: readonly string[] =
  '`|system|exec|popen|spawn|subprocess|child_process|fork|eval|shell|require|import|open|decode|base64|chr|charcode|\\x|\\u|\\0|!|pipe|pty'.split(
    '|',
  )

/** Any of their arguments may be code that runs programs, so a `*` stands for none of them. */
const takesCodeAnywhere: ReadonlySet<string> = new Set(
  'awk gawk mawk nawk sed gsed sqlite3 psql mysql vim vi nvim ex ed emacs gdb tclsh osascript R'.split(' '),
)

interface Escape {
  long?: readonly string[]
  /** Letters, also in a bundle. */
  short?: string
}

const escapes: ReadonlyMap<string, Escape> = new Map<string, Escape>([
  [
    'git',
    {
      long: 'exec exec-path config config-env upload-pack receive-pack output open-files-in-pager ext-diff textconv extcmd tool run template no-index paginate git-dir work-tree output-directory'.split(
        ' ',
      ),
      short: 'cOxX',
    },
  ],
  ['find', { long: 'exec execdir ok okdir delete fprint fprint0 fprintf fls'.split(' ') }],
  ['fd', { long: ['exec', 'exec-batch'], short: 'xX' }],
  ['rg', { long: ['pre', 'pre-glob', 'hostname-bin'] }],
  [
    'tar',
    {
      long: 'checkpoint-action to-command use-compress-program info-script new-volume-script rsh-command rmt-command'.split(
        ' ',
      ),
      short: 'IF',
    },
  ],
  ['sort', { long: ['output', 'compress-program'], short: 'o' }],
  ['ssh', { short: 'oFEI' }],
  ['scp', { short: 'oSF' }],
  ['rsync', { long: ['rsh', 'rsync-path'], short: 'e' }],
  ['curl', { long: 'output remote-name config upload-file form data data-binary'.split(' '), short: 'oOKTFd' }],
  ['wget', { long: 'output-document execute use-askpass post-data post-file config'.split(' '), short: 'Oe' }],
  ['npm', { long: ['script-shell', 'node-options', 'prefix', 'call'], short: 'cC' }],
  ['npx', { long: ['call', 'package', 'script-shell'], short: 'cp' }],
  ['node', { long: 'eval print require import loader experimental-loader'.split(' '), short: 'epr' }],
  ['make', { long: ['eval', 'file', 'makefile', 'directory'], short: 'fCE' }],
  ['go', { long: ['exec', 'toolexec', 'overlay'] }],
  ['cargo', { long: ['config'] }],
  ['zip', { long: ['unzip-command', 'test'], short: 'T' }],
  ['man', { long: ['pager', 'html', 'preprocessor'], short: 'PH' }],
  ['less', { short: 'oOk' }],
  ['date', { long: ['set'], short: 's' }],
  ['tail', { long: ['pid'] }],
  ['pytest', { long: ['pdbcls', 'rootdir', 'confcutdir', 'override-ini'], short: 'cop' }],
])

const interpreterEscape: Escape = { long: ['eval', 'execute', 'command', 'require', 'print'], short: 'ceErpm' }

/**
 * Whether a `*` must not stand for this word: an option that has the program do something else altogether. Options may
 * be shortened (`--outp`), bundled (`-xIf`) and carry their value (`--output=x`). Spelt out in a pattern they count.
 */
export function isEscape(program: string, word: string, position: number): boolean {
  if (takesCodeAnywhere.has(program) && position > 0) return true
  // make SHELL=…
  if (program === 'make' && word.includes('=')) return true
  if (program === 'git') {
    // An option before git's subcommand can turn it into any other (`-c alias.status=!rm`).
    if (position === 1 && word.startsWith('-')) return true
    if (word.startsWith('ext::')) return true
  }
  if (program === 'tar' && position === 1 && !word.startsWith('-') && /[IF]/.test(word)) return true
  const known = escapes.get(program) ?? (isInterpreter(program) ? interpreterEscape : undefined)
  if (known === undefined || !word.startsWith('-')) return false
  const equals = word.indexOf('=')
  const name = word.slice(word.startsWith('--') ? 2 : 1, equals < 0 ? undefined : equals)
  if (name !== '' && known.long?.some((long) => long === name || (word.startsWith('--') && long.startsWith(name))))
    return true
  if (word.startsWith('--') || known.short === undefined) return false
  for (const letter of word.slice(1)) if (known.short.includes(letter)) return true
  return false
}
