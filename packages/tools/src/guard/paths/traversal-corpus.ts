// For tests. Paths that try to leave a work folder, and paths that look like it and do not. `R` is the work folder, `O` a
// folder outside that holds `secret.txt`; both are absolute. `buildTraversalTree` makes the links that the cases name.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const canary = 'CANARY-3f1c'
export const inside = 'inside'

export interface TraversalTree {
  base: string
  /** The work folder. */
  R: string
  /** Outside, with the canary. */
  O: string
}

export function buildTraversalTree(): TraversalTree {
  const base = mkdtempSync(join(tmpdir(), 'qm-paths-'))
  const [R, O] = [join(base, 'root'), join(base, 'outside')]
  for (const folder of [
    R,
    O,
    `${R}-evil`,
    join(R, 'a'),
    join(R, 'a/b'),
    join(R, 'a/b/c'),
    join(R, '...'),
    join(O, 'deep'),
  ])
    mkdirSync(folder)
  for (const folder of [O, `${R}-evil`, join(O, 'deep')]) writeFileSync(join(folder, 'secret.txt'), canary)
  for (const name of [
    'f.txt',
    'a/f.txt',
    'a/b/f.txt',
    'a/b/c/f.txt',
    '.../f.txt',
    '..a',
    'a..',
    '.. ',
    ' f.txt',
    '~',
    '-f',
    '%2e%2e',
  ])
    writeFileSync(join(R, name), inside)
  for (const [name, target] of links(R, O)) symlinkSync(target, join(R, name))
  execFileSync('mkfifo', [join(R, 'pipe')])
  // Whoever runs the corpus may try: an ordinary user as well.
  for (const folder of [base, R, O, `${R}-evil`, join(R, 'a'), join(R, 'a/b'), join(O, 'deep')])
    chmodSync(folder, 0o777)
  for (const file of [join(O, 'secret.txt'), join(O, 'deep/secret.txt'), join(`${R}-evil`, 'secret.txt')])
    chmodSync(file, 0o666)
  return { base, R, O }
}

const links = (R: string, O: string): [name: string, target: string][] => [
  ['out-abs', O],
  ['out-rel', '../outside'],
  ['out-file', join(O, 'secret.txt')],
  ['out-file-rel', '../outside/secret.txt'],
  ['out-new', join(O, 'new.txt')],
  ['out-dots', 'a/b/../../../outside'],
  ['out-root', '/'],
  ['out-proc', '/proc/self/root'],
  ['out-cwd', '/proc/self/cwd'],
  ['out-fd', '/dev/fd'],
  ['out-evil', `${R}-evil`],
  ['out-base', '..'],
  ['out-self-then-up', `${R}/../outside`],
  ['out-slashes', `//${O}`],
  ['a/out-up', '../../outside'],
  ['a/b/out-up', '../../../outside'],
  ['chain-1', 'chain-2'],
  ['chain-2', 'chain-3'],
  ['chain-3', 'out-abs'],
  ['via-in', 'a/out-up'],
  ['loop', 'loop'],
  ['loop-a', 'loop-b'],
  ['loop-b', 'loop-a'],
  ['loop-grow', 'loop-grow/x'],
  ['in-rel', 'a/b'],
  ['in-abs', join(R, 'a')],
  ['in-file', 'a/f.txt'],
  ['in-dots', 'a/b/../../f.txt'],
  ['in-new', 'a/new.txt'],
  ['a/in-up', '../f.txt'],
  ['self', '.'],
  ['dangling', 'nowhere/at/all'],
]

/** None of these may read, change or list anything outside; all of them end with a problem that names no secret. */
export function refusedPaths({ base, R, O }: TraversalTree): string[] {
  const ups = [1, 2, 3, 4, 8, 40].flatMap((count) => [
    `${'../'.repeat(count)}outside/secret.txt`,
    `${'../'.repeat(count)}etc/passwd`,
    `a/${'../'.repeat(count + 1)}outside/secret.txt`,
    `./${'.././'.repeat(count)}outside/secret.txt`,
    `${'..//'.repeat(count)}outside/secret.txt`,
  ])
  const links = [
    'out-abs',
    'out-rel',
    'out-dots',
    'out-self-then-up',
    'out-slashes',
    'chain-1',
    'chain-2',
    'chain-3',
    'via-in',
    'a/out-up',
    'a/b/out-up',
  ]
  const throughLinks = links.flatMap((link) => [
    `${link}/secret.txt`,
    `${link}/deep/secret.txt`,
    `${link}/deep/../secret.txt`,
    `${link}/`,
    `self/${link}/secret.txt`,
    `a/../${link}/secret.txt`,
  ])
  return [
    ...ups,
    ...throughLinks,
    ...['out-file', 'out-file-rel', 'out-evil/secret.txt', 'out-base/outside/secret.txt', 'out-root/etc/passwd'],
    ...['out-proc/etc/passwd', `out-proc${O}/secret.txt`, 'out-cwd/package.json', 'out-fd/0', 'out-new'],
    ...['in-rel/../../../outside/secret.txt', 'in-abs/../../outside/secret.txt', 'self/../outside/secret.txt'],
    ...['..', '../', '../..', 'a/../..', './..', '/..', '/', '//', '///etc/passwd', '/etc/passwd', '/etc/shadow'],
    ...[O, `${O}/secret.txt`, `//${O}/secret.txt`, `${R}/../outside/secret.txt`, `${R}/a/../../outside/secret.txt`],
    ...[`${R}-evil/secret.txt`, `${R}-evil`, `${R}evil`, base, `${base}/`, `${R}/./../outside/secret.txt`],
    ...['/proc/self/root/etc/passwd', '/proc/self/environ', '/proc/1/environ', '/dev/stdin', '/dev/fd/0', '/dev/zero'],
    ...['..\\..\\outside\\secret.txt', '..\\outside\\secret.txt', 'a\\..\\..\\outside\\secret.txt', 'C:\\secret.txt'],
    ...[
      '\\\\server\\share\\secret.txt',
      '..%2foutside%2fsecret.txt',
      '%2e%2e/outside/secret.txt',
      '..%c0%afsecret.txt',
    ],
    ...[
      '．．/outside/secret.txt',
      '․․/outside/secret.txt',
      '..／outside／secret.txt',
      '..∕outside',
      '.\u200b./outside/secret.txt',
    ],
    ...['.. /outside/secret.txt', ' ../outside/secret.txt', '..\t/outside/secret.txt', '..;/outside/secret.txt'],
    ...['../outside/secret.txt\0', '../outside/secret.txt\0.png', 'f.txt\0', '\0', '..\0/outside', 'a\0/../../outside'],
    ...['\ud800', 'f\udc00.txt', '', `${'x'.repeat(256)}/f.txt`, 'y'.repeat(5_000), 'a/'.repeat(2_100)],
    ...[
      'file:///etc/passwd',
      `file://${O}/secret.txt`,
      '~/../outside/secret.txt',
      '~root/secret.txt',
      '$HOME/secret.txt',
    ],
    ...['loop', 'loop/secret.txt', 'loop-a', 'loop-a/x', 'loop-grow', 'pipe', 'pipe/x', 'f.txt/secret.txt'],
  ]
}

/** These lead to a file inside that says `inside`. */
export function allowedPaths({ R }: TraversalTree): string[] {
  return [
    ...['f.txt', './f.txt', 'a/f.txt', 'a//f.txt', 'a/./f.txt', 'a/../f.txt', 'a/b/../f.txt', 'a/b/c/../../f.txt'],
    ...['in-rel/f.txt', 'in-abs/f.txt', 'in-file', 'in-dots', 'a/in-up', 'self/f.txt', 'self/self/self/a/f.txt'],
    ...[
      'in-rel/../f.txt',
      'in-rel/../../f.txt',
      'in-abs/../f.txt',
      '.../f.txt',
      '..a',
      'a..',
      '.. ',
      ' f.txt',
      '~',
      '-f',
    ],
    ...[`${R}/f.txt`, `${R}//a/f.txt`, `${R}/a/../f.txt`, 'a/b/c/f.txt', '%2e%2e'],
  ]
}
