// A rule that allows a command never allows more than that command: what is generated here is run by a real shell, with
// programs of our own behind every name, and the shell says what it ran.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileCommand } from './shell-command.ts'

const status = compileCommand('git status*')
const push = compileCommand('git push*')

const plain = fc.constantFrom(
  'git status',
  'git status -s',
  'git status a.md',
  "git status 'a b'",
  'git push',
  'git log',
)
const other = fc.constantFrom('rm x', 'git push', 'sh', 'env git push', "sh -c 'git push'", 'git status')
const glue = fc.constantFrom(';', '&&', '||', '|', '&', '\n', ' ; ', ' && ', ' | ', '|&', '\r\n', ' \\\n; ')
const wrap = fc.constantFrom<(line: string) => string>(
  (line) => line,
  (line) => `(${line})`,
  (line) => `{ ${line}; }`,
  (line) => `$(${line})`,
  (line) => `\`${line}\``,
  (line) => `echo "$(${line})"`,
  (line) => `echo <(${line})`,
  (line) => `env ${line}`,
  (line) => `X=1 ${line}`,
  (line) => `nice ${line}`,
  (line) => `command ${line}`,
  (line) => `eval '${line.replaceAll("'", "'\\''")}'`,
  (line) => `sh -c '${line.replaceAll("'", "'\\''")}'`,
  (line) => `if true; then ${line}; fi`,
  (line) => `for i in 1; do ${line}; done`,
  (line) => `f() { ${line}; }; f`,
  (line) => `! ${line}`,
  (line) => `${line} > /dev/null`,
  (line) => `${line} 2>&1`,
  (line) => `${line} # git status`,
  (line) => `echo ${line}`,
  (line) => line.replace('git', 'g"i"t'),
  (line) => line.replace('git', '\\git'),
  (line) => line.replace(' ', '  '),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own braces
  (line) => line.replace(' ', '${IFS}'),
  (line) => line.replace('push', 'pu\\sh'),
  (line) => line.replace('push', '{push,}'),
  (line) => `x=git; ${line.replace('git', '$x')}`,
)
const simple = fc
  .tuple(plain, fc.array(wrap, { maxLength: 4 }))
  .map(([command, wraps]) => wraps.reduce<string>((inner, outer) => outer(inner), command))
const line = fc.oneof(
  plain,
  simple,
  fc.tuple(simple, glue, other).map((parts) => parts.join('')),
  fc.tuple(other, glue, simple).map((parts) => parts.join('')),
  // One character thrown in anywhere.
  fc
    .tuple(simple, fc.nat(40), fc.constantFrom(...'\'"`$();|&<>{}[]*?~!#\\\n\t =,-'))
    .map(([text, at, thrown]) => text.slice(0, at) + thrown + text.slice(at)),
)

let folder: string
let runs = 0

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'qm-shell-'))
  // Apart from where it runs: what is generated redirects into files called `git`.
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'work'))
  for (const name of ['git', 'rm', 'cat', 'tee']) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\nprintf '%s\\n' "${name} $*" >> "$QM_TEST_LOG"\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The commands that the shell really ran, of the programs that are watched. */
function run(command: string): string[] {
  // One log a run: what was put into the background may write later.
  const log = join(folder, `log-${++runs}`)
  writeFileSync(log, '')
  try {
    execFileSync('/bin/bash', ['-c', command], {
      cwd: join(folder, 'work'),
      env: { PATH: `${folder}/bin:/usr/bin:/bin`, QM_TEST_LOG: log },
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: 5_000,
    })
  } catch {
    // It ran what it ran.
  }
  return readFileSync(log, 'utf8').split('\n').filter(Boolean)
}

test('what an allow covers runs that one command and nothing else; what a deny leaves alone does not run it', () => {
  let covered = 0
  let pushed = 0
  fc.assert(
    fc.property(line, (text) => {
      const covers = status.covers(text)
      const leftAlone = !push.mayContain(text)
      if (!covers && !leftAlone) return
      const ran = run(text)
      if (covers) {
        covered++
        expect(ran, text).toHaveLength(1)
        expect(ran[0]!.startsWith('git status'), text).toBe(true)
      }
      if (leftAlone)
        expect(
          ran.filter((command) => command.startsWith('git push')),
          text,
        ).toEqual([])
      pushed += Number(leftAlone)
    }),
    { numRuns: 400, endOnFailure: true },
  )
  // The generator reaches both sides.
  expect(covered).toBeGreaterThan(0)
  expect(pushed).toBeGreaterThan(20)
}, 60_000)

test('planted bug: with a prefix instead of the grammar, the same property fails', () => {
  expect(() =>
    fc.assert(
      fc.property(line, (text) => {
        if (!text.startsWith('git status')) return
        const ran = run(text)
        expect(ran).toHaveLength(1)
        expect(ran[0]!.startsWith('git status')).toBe(true)
      }),
      { numRuns: 400, endOnFailure: true },
    ),
  ).toThrow()
}, 60_000)

test('whatever is put beside a covered command, it is not covered any more', () => {
  fc.assert(
    fc.property(fc.constantFrom('git status', 'git status -s'), glue, other, (first, between, second) => {
      expect(status.covers(`${first}${between}${second}`)).toBe(false)
      expect(status.covers(`${second}${between}${first}`)).toBe(false)
    }),
    { numRuns: 200 },
  )
})

test('no text at all breaks the matcher, and what is covered is seen by a deny', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), line), (text) => {
      const covers = status.covers(text)
      const sees = status.mayContain(text)
      if (covers) expect(sees).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})
