import { describe, expect, test } from 'vitest'
import { processorMs } from '../testing/processor-time.ts'
import { compileGlob } from './glob.ts'
import { compileCommand, neverCovers, parseCommandPattern } from './shell-command.ts'
import { noPushes, notPlainStatus, plainStatus, pushes } from './shell-corpus.ts'

const status = compileCommand('git status*')
const push = compileCommand('git push*')
const shown = (line: string) => JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line)

test('the corpus is as large as it says', () => {
  const all = [...plainStatus, ...notPlainStatus, ...pushes, ...noPushes]
  expect(all.length).toBeGreaterThan(300)
  for (const list of [plainStatus, notPlainStatus, pushes, noPushes]) expect(new Set(list).size).toBe(list.length)
})

describe('an allow', () => {
  test.each(plainStatus.map((line) => [shown(line), line]))('covers %s', (_, line) => {
    expect(status.covers(line)).toBe(true)
  })
  test.each(notPlainStatus.map((line) => [shown(line), line]))('does not cover %s', (_, line) => {
    expect(status.covers(line)).toBe(false)
  })
  test.each(pushes.map((line) => [shown(line), line]))('of git status does not cover %s', (_, line) => {
    expect(status.covers(line)).toBe(false)
  })
})

describe('a deny', () => {
  test.each(pushes.map((line) => [shown(line), line]))('of git push sees %s', (_, line) => {
    expect(push.mayContain(line)).toBe(true)
  })
  test.each(noPushes.map((line) => [shown(line), line]))('of git push leaves alone %s', (_, line) => {
    expect(push.mayContain(line)).toBe(false)
  })
  test.each(plainStatus.map((line) => [shown(line), line]))('of what an allow covers sees it too: %s', (_, line) => {
    expect(status.mayContain(line)).toBe(true)
  })
})

describe('planted bugs are caught by the corpus', () => {
  const allowedTooMuch = (covers: (line: string) => boolean) => notPlainStatus.filter(covers).length
  const missed = (sees: (line: string) => boolean) => pushes.filter((line) => !sees(line)).length

  test('a matcher of prefixes', () => {
    expect(allowedTooMuch((line) => line.startsWith('git status'))).toBeGreaterThan(50)
    expect(missed((line) => line.startsWith('git push'))).toBeGreaterThan(100)
  })
  test('a glob over the text', () => {
    expect(allowedTooMuch(compileGlob('git status*'))).toBeGreaterThan(50)
    expect(missed(compileGlob('*git push*'))).toBeGreaterThan(50)
  })
  test('a matcher that knows the operators and nothing else', () => {
    const naive = (line: string) => line.startsWith('git status') && !/[;&|<>$`\n()]/.test(line)
    expect(allowedTooMuch(naive)).toBeGreaterThan(10)
    expect(
      missed((line) => line.split(/[;&|\n()]/).some((part) => part.trim().startsWith('git push'))),
    ).toBeGreaterThan(50)
  })
})

test('a * at the end stands for further words, and in a word for its characters', () => {
  const runs = compileCommand('npm run test:*')
  expect(runs.covers('npm run test:unit')).toBe(true)
  expect(runs.covers('npm run test:unit -- x')).toBe(true)
  expect(runs.covers('npm run build')).toBe(false)
  const one = compileCommand('git show * --stat')
  expect(one.covers('git show HEAD --stat')).toBe(true)
  expect(one.covers('git show HEAD HEAD --stat')).toBe(false)
  const exact = compileCommand('npm test')
  expect(exact.covers('npm test')).toBe(true)
  expect(exact.covers('npm test -- x')).toBe(false)
  expect(compileCommand('npm test *').covers('npm test')).toBe(true)
  expect(compileCommand('npm test *').covers('npm tests')).toBe(false)
})

test.each([
  ['git *', 'git -c core.pager=x log'],
  ['git *', 'git --exec-path=/tmp log'],
  ['git*', 'git -C /tmp log'],
  ['git log*', 'git log --output=/etc/passwd'],
  ['git log*', 'git log --outp=/etc/passwd'],
  ['git diff*', 'git diff --ext-diff'],
  ['git grep*', 'git grep -Oless x'],
  ['git grep*', 'git grep --open-files-in-pager=x y'],
  ['git fetch*', 'git fetch --upload-pack=x'],
  ['git clone *', "git clone 'ext::sh -c x'"],
  ['find *', 'find . -delete'],
  ['find *', 'find . -exec rm x'],
  ['find *', 'find . -fprintf x y'],
  ['rg *', 'rg --pre x y'],
  ['tar *', 'tar -xf a --checkpoint-action=exec=x'],
  ['tar *', 'tar xIf a b'],
  ['sort *', 'sort -o x y'],
  ['sort *', 'sort -ro x y'],
  ['node *', 'node -e x'],
  ['python3 *', 'python3 -c x'],
  ['bash *', 'bash -c x'],
  ['bash *', 'bash -lc x'],
  ['bash *', 'bash'],
  ['*', 'env x'],
  ['*', 'sudo x'],
  ['*', 'eval x'],
  ['*', '/usr/bin/sudo x'],
  ['sed *', 'sed -i s/a/b/ x'],
  ['sed -n *', 'sed -n 1e x'],
  ['awk *', 'awk \'BEGIN { system("x") }\''],
  ['sqlite3 db *', "sqlite3 db '.shell x'"],
  ['make *', 'make SHELL=/tmp/x'],
  ['make *', 'make -f x'],
])('the * of %s does not stand for the way out in %s', (pattern, line) => {
  expect(compileCommand(pattern).covers(line)).toBe(false)
})

test('an option that a pattern spells out is allowed', () => {
  expect(compileCommand('git -C repo status*').covers('git -C repo status')).toBe(true)
  expect(compileCommand('git log --output=log.txt').covers('git log --output=log.txt')).toBe(true)
  expect(compileCommand('find . -delete').covers('find . -delete')).toBe(true)
  expect(compileCommand('git *').covers('git log --oneline')).toBe(true)
  expect(compileCommand('bash *').covers('bash build.sh --fast')).toBe(true)
  expect(compileCommand('*').covers('ls -la')).toBe(true)
  expect(compileCommand('sed -n 5p notes.md').covers('sed -n 5p notes.md')).toBe(true)
  expect(compileCommand('make *').covers('make test -j4')).toBe(true)
})

test('a program with its arguments is read as the command it is', () => {
  expect(status.covers('git', ['status'])).toBe(true)
  expect(status.covers('git', ['status', '; rm x'])).toBe(false)
  expect(status.covers('git', ['push'])).toBe(false)
  expect(status.covers('git; rm x', ['status'])).toBe(false)
  expect(push.mayContain('git', ['push'])).toBe(true)
  expect(push.mayContain('/usr/bin/git', ['-C', 'x', 'push'])).toBe(true)
  expect(push.mayContain('sh', ['-c', 'cd x && git push'])).toBe(true)
  expect(push.mayContain('git', ['status'])).toBe(false)
})

test('a pattern that is no command is a clear error', () => {
  for (const pattern of [
    '',
    '  ',
    'git status; rm',
    'git $(x)',
    "git 'x'",
    '-x',
    'X=1 git',
    'git\nx',
    'git | x',
    'gіt',
  ])
    expect(() => parseCommandPattern(pattern), pattern).toThrow(/command pattern/)
  expect(() => parseCommandPattern(7)).toThrow('a command pattern is a string, not number')
  expect(() => parseCommandPattern(`git ${'x'.repeat(600)}`)).toThrow('longer than 500')
})

test('a pattern that can allow nothing is known before it is saved', () => {
  expect(neverCovers('sudo apt update')).toContain('sudo runs other commands')
  expect(neverCovers('/usr/bin/env git')).toContain('env')
  expect(neverCovers('git status*')).toBeNull()
})

test('no line takes long to read, in either direction', () => {
  const evil = [
    'git '.repeat(15_000),
    `git ${'-a '.repeat(20_000)}push`,
    'a;'.repeat(30_000),
    `${'a|'.repeat(30_000)}b`,
    `echo ${'{a,b}'.repeat(10_000)}`,
    `echo ${'$(echo '.repeat(200)}${')'.repeat(200)}`,
    `${'sudo '.repeat(10_000)}git push`,
    `${'env -S '.repeat(5_000)}x`,
    `echo "${'\\"'.repeat(30_000)}"`,
    `cat ${'<<E '.repeat(5_000)}`,
    '*'.repeat(60_000),
    "'".repeat(60_001),
  ]
  for (const line of evil) {
    const used = processorMs(() => {
      status.covers(line)
      push.mayContain(line)
    })
    expect(used, shown(line)).toBeLessThan(1_500)
  }
})
