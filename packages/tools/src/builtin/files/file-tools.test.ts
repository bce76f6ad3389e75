import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AnyTool } from '../../contract.ts'
import { WorkFolder } from '../../guard/paths/index.ts'
import { sampleContext } from '../../testing/sample-tools.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { applyBatch } from './batch-apply.ts'
import type { BatchArguments, PlannedFile } from './batch-plan.ts'
import { createFileTools } from './file-tools.ts'
import { createCaller, createSampleWorkFolder, type SampleWorkFolder } from './sample-work-folder.ts'

const shared = await createSampleWorkFolder()
shared.put('notes.md', 'one\ntwo\nthree\n')
const named = (name: string) => createFileTools(shared).find((tool) => tool.name === name) as AnyTool
afterAll(() => shared.remove())

describeToolContract(named('file.read'), {
  validArguments: { path: 'notes.md' },
  invalidArguments: [
    { path: '' },
    { path: 'a', offset: -1 },
    { path: 'a', limit: 0 },
    { path: 'a', encoding: 'latin1' },
  ],
})
describeToolContract(named('file.write'), { validArguments: { path: 'written.md', content: 'x' } })
describeToolContract(named('file.edit'), {
  validArguments: { path: 'notes.md', search: 'two', replace: 'zwei' },
  invalidArguments: [{ path: 'a', search: '', replace: 'x' }],
})
describeToolContract(named('file.list'), { validArguments: { path: '.' }, invalidArguments: [{ limit: 0 }] })
describeToolContract(named('file.glob'), { validArguments: { pattern: '**/*.md' } })
describeToolContract(named('file.grep'), {
  validArguments: { pattern: 'three' },
  invalidArguments: [{ pattern: 'x', output_mode: 'lines' }],
})
describeToolContract(named('file.batch'), {
  validArguments: { operation: 'rename', pattern: '*.nothing', replacement: '$1.x' },
  invalidArguments: [{ operation: 'delete', pattern: '*' }],
})

let folder: SampleWorkFolder
let call: ReturnType<typeof createCaller>['call']
let card: ReturnType<typeof createCaller>['card']
beforeAll(async () => {
  folder = await createSampleWorkFolder()
  ;({ call, card } = createCaller(createFileTools(folder)))
})
beforeEach(() => {
  for (const name of readdirSync(folder.root)) execFileSync('rm', ['-rf', join(folder.root, name)])
})
afterAll(() => folder.remove())

const text = (path: string) => readFileSync(join(folder.root, path), 'utf8')
const names = () => readdirSync(folder.root).sort()

describe('file.read', () => {
  test('returns a text to the letter, and any file as base64', async () => {
    folder.put('a.txt', '\ufeffGrüße\r\n')
    expect(await call('file.read', { path: 'a.txt' })).toMatchObject({ success: true, output: '\ufeffGrüße\r\n' })
    expect(await call('file.read', { path: 'a.txt', encoding: 'base64' })).toMatchObject({
      output: Buffer.from('\ufeffGrüße\r\n').toString('base64'),
    })
  })

  test('takes the arguments of nodyn: an absolute path', async () => {
    folder.put('a/b.txt', 'hello')
    expect(await call('read_file', { path: join(folder.root, 'a/b.txt') })).toMatchObject({ output: 'hello' })
  })

  test('takes the arguments of Lynkr: numbers the lines and stops at 2,000 with a hint', async () => {
    folder.put('long.js', Array.from({ length: 3_000 }, (_, index) => `line ${index + 1}\n`).join(''))
    const first = await call('Read', { file_path: join(folder.root, 'long.js'), offset: 0, limit: 100 })
    expect(first.output).toMatch(/^ {5}1\tline 1\n/)
    expect(first.output).toContain('(There is more after line 100: read on with offset 101.)')
    const all = await call('Read', { file_path: 'long.js' })
    expect(all.output.split('\n')).toHaveLength(2_001)
    expect(all.output).toContain('read on with offset 2001')
    const rest = await call('Read', { file_path: 'long.js', offset: 2_001 })
    expect(rest.output).toMatch(/^ {2}2001\tline 2001\n/)
    expect(rest.data).toMatchObject({ lines: 1_000, more: false })
  })

  test('reads lines wherever pieces of the file begin and end', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `${index} ${'x'.repeat(index % 97)}`)
    folder.put('big.txt', lines.join('\n'))
    for (const offset of [1, 2, 4_999, 12_345, 19_999, 20_000]) {
      const read = await call('file.read', { path: 'big.txt', offset, limit: 3 })
      const body = read.output.replace(/\n?\(There is more.*$/s, '').replace(/\n$/, '')
      expect(body).toBe(lines.slice(offset - 1, offset + 2).join('\n'))
    }
    expect(await call('file.read', { path: 'big.txt', offset: 20_001 })).toMatchObject({
      error: 'big.txt has only 20,000 lines; there is no line 20001.',
    })
  })

  test('gives as many whole lines as fit, and says how to go on', async () => {
    folder.put('wide.txt', `${'x'.repeat(9_999)}\n`.repeat(100))
    const read = await call('file.read', { path: 'wide.txt', limit: 100 })
    expect(read.data).toMatchObject({ lines: 26, more: true })
    expect(read.output).toContain('read on with offset 27')
  })

  test('says what to do about a file that is too large, binary, or one long line', async () => {
    folder.put('large.txt', 'some text\n'.repeat(100_000))
    folder.put('one-line.json', `[${'1,'.repeat(300_000)}1]`)
    folder.put('logo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]))
    folder.put('latin.txt', Buffer.from('Gr\xfc\xdfe', 'latin1'))
    folder.put('nul.txt', 'a\0b')
    const error = async (path: string, more = {}) => (await call('file.read', { path, ...more })).error
    expect(await error('large.txt')).toMatch(/large.txt has 977 KB; at most 256 KB.*offset 1 and limit 2000/)
    expect(await error('one-line.json', { limit: 1 })).toMatch(/Line 1 of one-line.json is longer than 256 KB/)
    for (const path of ['logo.png', 'latin.txt', 'nul.txt'])
      expect(await error(path)).toBe(`${path} is not text: its bytes are not UTF-8. Read it with encoding base64.`)
    expect(await error('large.txt', { encoding: 'base64' })).toMatch(/media.send/)
  })
})

describe('bad input', () => {
  const tools = ['file.read', 'file.write', 'file.edit', 'file.grep'] as const
  const argumentsOf = (tool: (typeof tools)[number], path: string) => ({
    path,
    ...(tool === 'file.write' ? { content: 'x' } : {}),
    ...(tool === 'file.edit' ? { search: 'a', replace: 'b' } : {}),
    ...(tool === 'file.grep' ? { pattern: 'a' } : {}),
  })

  test('a pipe, a socket, a device, a folder and a circle of links are clear errors at once', async () => {
    execFileSync('mkfifo', [join(folder.root, 'pipe')])
    if (process.getuid?.() === 0) execFileSync('mknod', [join(folder.root, 'device'), 'c', '1', '5'])
    else symlinkSync('pipe', join(folder.root, 'device'))
    symlinkSync('loop', join(folder.root, 'loop'))
    const server = createServer().listen(join(folder.root, 'socket'))
    await new Promise((resolve) => server.once('listening', resolve))
    try {
      for (const path of ['pipe', 'socket', 'device', 'loop'])
        for (const tool of tools) {
          const start = performance.now()
          const result = await call(tool, argumentsOf(tool, path))
          expect(result, `${tool} ${path}`).toMatchObject({ success: false, error: expect.stringContaining(' ') })
          // What waits for a writer or a peer waits for ever; a busy machine does not.
          expect(performance.now() - start).toBeLessThan(10_000)
        }
      expect((await call('file.read', { path: 'pipe' })).error).toBe(
        'pipe is a pipe (FIFO), not a file. Only regular files can be used.',
      )
      expect(names()).toEqual(['device', 'loop', 'pipe', 'socket'])
      expect((await call('file.list', {})).output).toContain('[PIPE] pipe')
    } finally {
      server.close()
    }
  })

  test('a file of 5 GB is refused or searched without being read', async () => {
    folder.put('huge.bin', '')
    truncateSync(join(folder.root, 'huge.bin'), 5 * 1024 ** 3)
    const before = process.memoryUsage().rss
    const start = performance.now()
    expect((await call('file.read', { path: 'huge.bin' })).error).toContain('huge.bin has 5.0 GB')
    expect((await call('Read', { file_path: 'huge.bin' })).error).toContain('huge.bin is not text')
    expect((await call('file.edit', { path: 'huge.bin', search: 'a', replace: 'b' })).error).toContain('5.0 GB')
    expect((await call('file.grep', { pattern: 'a' })).success).toBe(true)
    const transform = { operation: 'transform', pattern: '*.bin', find: 'a', replace: 'b' }
    expect((await call('file.batch', transform)).error).toMatch(/No file/)
    expect(performance.now() - start).toBeLessThan(5_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  })

  test('a large text is read at its end without being kept', async () => {
    folder.put('lines.txt', 'x'.repeat(99).concat('\n').repeat(500_000))
    const read = await call('file.read', { path: 'lines.txt', offset: 499_999, limit: 10 })
    expect(read.data).toMatchObject({ lines: 2, more: false })
  })

  test('a name with a line feed or a reversed direction is shown escaped, and can be used as shown', async () => {
    const odd = ['evil\u202egnp.exe', 'two\nlines.txt', ' space', '"quoted"']
    for (const name of odd) folder.put(name, 'needle')
    const listed = await call('file.list', {})
    expect(listed.output.split('\n')).toHaveLength(5)
    expect(listed.output).not.toContain('\u202e')
    const shown = [...listed.output.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([quoted]) => JSON.parse(quoted))
    expect(shown.sort()).toEqual(odd.toSorted())
    for (const name of shown) expect((await call('file.read', { path: name })).output).toBe('needle')
    const found = await call('file.grep', { pattern: 'needle' })
    expect((found.data as { files: string[] }).files).toEqual(odd.toSorted())
    expect(found.output.split('\n')).toHaveLength(4)
    const content = await call('file.grep', { pattern: 'needle', output_mode: 'content' })
    expect(content.output).toContain(String.raw`"two\u000alines.txt":1:needle`)
    expect((await call('file.glob', { pattern: '*' })).output).toContain(String.raw`"evil\u202egnp.exe"`)
  })

  test('a path that leaves is refused by every tool', async () => {
    writeFileSync(join(folder.base, 'secret.txt'), 'secret')
    symlinkSync('..', join(folder.root, 'up'))
    for (const path of ['../secret.txt', 'up/secret.txt', join(folder.base, 'secret.txt')]) {
      for (const tool of tools)
        expect(await call(tool, argumentsOf(tool, path)), tool).toMatchObject({ success: false })
      const where = path.replace('/secret.txt', '')
      for (const [tool, args] of [
        ['file.list', { path: where }],
        ['file.glob', { pattern: '*', path: where }],
        ['file.glob', { pattern: path }],
        ['file.batch', { operation: 'transform', pattern: '*', directory: where, find: 'secret', replace: 'x' }],
      ] as const) {
        const result = await call(tool, args)
        expect(result.success && result.output.includes('secret.txt') && !result.output.startsWith('No file')).toBe(
          false,
        )
      }
    }
    folder.put('a.txt', 'x')
    for (const destination of ['..', 'up', folder.base])
      expect(await call('file.batch', { operation: 'move', pattern: 'a.txt', destination })).toMatchObject({
        success: false,
      })
    expect(readFileSync(join(folder.base, 'secret.txt'), 'utf8')).toBe('secret')
    expect(readdirSync(folder.base).sort()).toEqual(['root', 'secret.txt'])
  })
})

describe('file.write', () => {
  test('makes folders, says whether the file is new, and takes the arguments of nodyn and Lynkr', async () => {
    expect(await call('write_file', { path: 'a/b/c.txt', content: 'Grüße' })).toMatchObject({
      output: 'Created a/b/c.txt (7 bytes)',
      data: { path: 'a/b/c.txt', created: true, size: 7 },
    })
    expect(await call('Write', { file_path: 'a/b/c.txt', content: '' })).toMatchObject({
      output: 'Replaced a/b/c.txt (0 bytes)',
    })
    expect(text('a/b/c.txt')).toBe('')
  })

  test('writes bytes given as base64, and refuses what is not', async () => {
    await call('file.write', { path: 'a.bin', content: '/wD+', encoding: 'base64' })
    expect([...readFileSync(join(folder.root, 'a.bin'))]).toEqual([255, 0, 254])
    expect((await call('file.write', { path: 'b.bin', content: 'no!', encoding: 'base64' })).error).toMatch(
      /not base64/,
    )
    expect((await call('file.write', { path: 'c.txt', content: '\ud800' })).error).toMatch(/surrogate/)
    expect(names()).toEqual(['a.bin'])
  })

  test('shows what is written where', async () => {
    expect((await card('file.write', { path: 'a\nb', content: 'hello' })).title).toBe(
      String.raw`Write 5 bytes to "a\u000ab"`,
    )
  })
})

describe('file.edit', () => {
  test('replaces one text to the letter, and takes the arguments of Lynkr', async () => {
    folder.put('a.js', 'var x = 1;\nvar y = 2;\n')
    const input = { file_path: 'a.js', old_string: 'var x = 1;', new_string: "const x = '$&';" }
    expect(await call('Edit', input)).toMatchObject({ output: 'Replaced 1 occurrence in a.js (line 1)' })
    expect(text('a.js')).toBe("const x = '$&';\nvar y = 2;\n")
  })

  test('says where a text is that is there more than once, and replaces all when told to', async () => {
    folder.put('a.js', 'a\nb\na\n')
    expect((await call('file.edit', { path: 'a.js', search: 'a', replace: 'c' })).error).toBe(
      'The text is in a.js 2 times (lines 1, 3). Give more of what is around it, or replace_all.',
    )
    const all = { file_path: 'a.js', old_string: 'a', new_string: 'aa', replace_all: true }
    expect(await call('Edit', all)).toMatchObject({ data: { replacements: 2 } })
    expect(text('a.js')).toBe('aa\nb\naa\n')
  })

  test('says why a text is not found', async () => {
    folder.put('a.js', '  if (x) {\n    y()\n  }\n')
    folder.put('crlf.txt', 'one\r\ntwo\r\n')
    const error = async (path: string, search: string) => (await call('file.edit', { path, search, replace: '' })).error
    expect(await error('a.js', 'if (x)  {')).toMatch(/Line 1 is like it, but white space/)
    expect(await error('a.js', 'IF (X)')).toMatch(/Line 1 is like it, but capital letters/)
    expect(await error('crlf.txt', 'one\ntwo')).toMatch(/\\r\\n/)
    expect(await error('a.js', 'nowhere')).toBe(
      'The text is not in a.js. Read the file again, and copy the text exactly.',
    )
    expect(await error('missing.js', 'x')).toMatch(/There is no missing.js in the work folder/)
    expect((await call('file.edit', { path: 'a.js', search: 'x', replace: 'x' })).error).toMatch(/nothing would change/)
  })

  test('refuses what is not text, and shows a diff', async () => {
    folder.put('a.bin', Buffer.from([0xff, 0x61]))
    expect((await call('file.edit', { path: 'a.bin', search: 'a', replace: 'b' })).error).toMatch(/not text/)
    expect(await card('file.edit', { path: 'a.js', search: 'x', replace: 'y' })).toEqual({
      title: 'Edit a.js',
      diff: { path: 'a.js', before: 'x', after: 'y' },
    })
  })
})

describe('file.list', () => {
  test('lists a folder, or everything below it, page by page', async () => {
    for (const path of ['b.txt', 'a/x.txt', 'a/y/z.txt', 'node_modules/p/i.js']) folder.put(path, 'xx')
    symlinkSync('b.txt', join(folder.root, 'link'))
    expect((await call('file.list', {})).output).toBe(
      'Contents of .:\n[DIR]  a/\n[FILE] b.txt (2 bytes)\n[LINK] link -> b.txt\n[DIR]  node_modules/ (list it to see inside)',
    )
    const all = await call('file.list', { recursive: true })
    const paths = (all.data as { entries: { path: string }[] }).entries.map(({ path }) => path)
    expect(paths).toEqual(['a', 'a/x.txt', 'a/y', 'a/y/z.txt', 'b.txt', 'link', 'node_modules'])
    const paged: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await call('file.list', { recursive: true, limit: 2, ...(after ? { after } : {}) })
      const { entries, more } = page.data as { entries: { path: string }[]; more: boolean }
      paged.push(...entries.map(({ path }) => path))
      after = paged.at(-1)
      if (!more) break
      expect(page.output).toContain(`list again with after ${JSON.stringify(after)}`)
    }
    expect(paged).toEqual(paths)
    expect((await call('file.list', { path: 'a' })).output).toContain('[FILE] a/x.txt (2 bytes)')
    expect((await call('file.list', { path: 'b.txt' })).error).toBe('b.txt is a file, not a folder.')
    expect((await call('file.list', { path: 'nope' })).error).toMatch(/There is no nope/)
  })
})

describe('file.glob', () => {
  test('finds files by the patterns of Lynkr', async () => {
    for (const path of ['a.js', 'src/b.js', 'src/x/c.test.js', 'src/x/d.ts', '.github/w.yml', 'node_modules/m/e.js'])
      folder.put(path, '')
    const find = async (pattern: string, path?: string) =>
      ((await call('Glob', { pattern, ...(path ? { path } : {}) })).data as { paths: string[] }).paths
    expect(await find('**/*.js')).toEqual(['a.js', 'src/b.js', 'src/x/c.test.js'])
    expect(await find('src/**/*.test.js')).toEqual(['src/x/c.test.js'])
    expect(await find('*.js')).toEqual(['a.js'])
    expect(await find('*.js', 'src')).toEqual(['src/b.js'])
    expect(await find('src/**')).toEqual(['src/b.js', 'src/x/c.test.js', 'src/x/d.ts'])
    expect(await find('**/*.{ts,yml}')).toEqual(['.github/w.yml', 'src/x/d.ts'])
    expect(await find('src/?.js')).toEqual(['src/b.js'])
    expect(await find('src/[!a].js')).toEqual(['src/b.js'])
    expect(await find('node_modules/**/*.js')).toEqual(['node_modules/m/e.js'])
    expect(await find(join(folder.root, 'src/*.js'))).toEqual(['src/b.js'])
    expect(await find('nowhere/*.js')).toEqual([])
    expect((await call('Glob', { pattern: 'x.test.js' })).output).toContain('write **/x.test.js')
    expect((await call('Glob', { pattern: '[a' })).error).toContain('has a [ without its ]')
    expect((await call('Glob', { pattern: '**/*', limit: 2 })).output).toContain('There are more than 2 files')
  })

  test('takes linear time whatever the pattern', async () => {
    folder.put('a'.repeat(200), '')
    const start = performance.now()
    await call('Glob', { pattern: `${'*a'.repeat(60)}b` })
    await call('Glob', { pattern: `${'{a,aa}'.repeat(40)}b` })
    expect(performance.now() - start).toBeLessThan(2_000)
  })
})

describe('file.grep', () => {
  beforeEach(() => {
    folder.put('a.js', 'function userAuth() {}\nother\n')
    folder.put('src/b.py', 'def auth(): pass\n')
    folder.put('src/c.js', 'x\nfunction myAuth() {}\ny\nfunction Auth2() {}\n')
  })

  test('takes the arguments of Lynkr', async () => {
    expect((await call('Grep', { pattern: 'function.*Auth', glob: '*.js', output_mode: 'content' })).output).toBe(
      'a.js:1:function userAuth() {}\nsrc/c.js:2:function myAuth() {}\nsrc/c.js:4:function Auth2() {}',
    )
    expect((await call('Grep', { pattern: 'auth', type: 'py' })).output).toBe('src/b.py')
    expect((await call('Grep', { pattern: 'Auth', output_mode: 'count' })).output).toBe('a.js:1\nsrc/c.js:2')
    expect((await call('Grep', { pattern: 'Auth', output_mode: 'files_with_matches', path: 'src' })).output).toBe(
      'src/c.js',
    )
    expect((await call('Grep', { pattern: 'Auth', path: 'a.js', output_mode: 'content' })).output).toContain('a.js:1:')
  })

  test('shows the lines around, ignores case, and matches across lines when told to', async () => {
    const around = await call('file.grep', { pattern: 'myAuth', output_mode: 'content', context: 1 })
    expect(around.output).toBe('src/c.js-1-x\nsrc/c.js:2:function myAuth() {}\nsrc/c.js-3-y')
    expect((await call('file.grep', { pattern: 'AUTH', ignore_case: true })).output).toBe('a.js\nsrc/b.py\nsrc/c.js')
    expect((await call('file.grep', { pattern: 'x.function', multiline: true })).output).toBe('src/c.js')
  })

  test('says that nothing matches, and what is wrong with a pattern, type or path', async () => {
    expect(await call('file.grep', { pattern: 'nothing-like-it' })).toMatchObject({
      success: true,
      output: 'Nothing matches nothing-like-it.',
    })
    expect((await call('file.grep', { pattern: '(' })).error).toMatch(/not a regular expression[\s\S]*unclosed group/)
    expect((await call('file.grep', { pattern: 'x', type: 'klingon' })).error).toMatch(
      /unrecognized file type: klingon/,
    )
    expect((await call('file.grep', { pattern: 'x', path: 'nope' })).error).toBe('There is no nope in the work folder.')
  })

  test('takes what looks like an option for what it is', async () => {
    folder.put('--files', '--help\n')
    expect((await call('file.grep', { pattern: '--help' })).output).toBe('--files')
    expect((await call('file.grep', { pattern: '--help', path: '--files' })).output).toBe('--files')
    expect((await call('file.grep', { pattern: '--help', glob: '--files' })).output).toBe('--files')
  })

  test('neither follows links out nor searches what git keeps', async () => {
    writeFileSync(join(folder.base, 'secret.txt'), 'Auth secret')
    symlinkSync('..', join(folder.root, 'up'))
    folder.put('.git/x', 'Auth')
    expect((await call('file.grep', { pattern: 'Auth' })).output).toBe('a.js\nsrc/c.js')
    expect((await call('file.grep', { pattern: 'Auth', glob: '**' })).output).toBe('a.js\nsrc/c.js')
  })

  test('says that something could not be searched', async () => {
    folder.put('closed.txt', 'Auth')
    chmodSync(join(folder.root, 'closed.txt'), 0)
    const found = await call('file.grep', { pattern: 'Auth' })
    expect(found.output).toMatch(
      /^a.js\nsrc\/c.js\n\(Not everything could be searched: .*closed.txt: Permission denied/,
    )
  })

  test('ends when there is enough', async () => {
    folder.put('many.txt', 'needle in a haystack\n'.repeat(200_000))
    const found = await call('file.grep', { pattern: 'needle', output_mode: 'content' })
    expect(found.output).toContain('(There is more: use a narrower pattern, path or glob.)')
    expect(found.output.length).toBeLessThan(200 * 1024)
  })
})

describe('file.batch', () => {
  const put = (...paths: string[]) => {
    for (const path of paths) folder.put(path, path)
  }

  test('renames with the wildcards of a glob or the groups of an expression', async () => {
    put('IMG_1.jpg', 'IMG_22.jpg', 'other.txt')
    const glob = { operation: 'rename', pattern: 'IMG_*.jpg', directory: folder.root, replacement: 'photo-$1.jpg' }
    expect((await call('batch_files', glob)).output).toBe(
      'Renamed 2 files:\nIMG_1.jpg → photo-1.jpg\nIMG_22.jpg → photo-22.jpg',
    )
    await call('batch_files', { operation: 'rename', pattern: '/^photo-(\\d+)\\.jpg$/', replacement: '$1-photo.jpg' })
    expect(names()).toEqual(['1-photo.jpg', '22-photo.jpg', 'other.txt'])
    expect(text('1-photo.jpg')).toBe('IMG_1.jpg')
  })

  test('moves into a folder that it makes', async () => {
    put('a.txt', 'b.txt', 'sub/c.txt')
    const moved = { operation: 'move', pattern: '*.txt', recursive: true, destination: 'all/of/them' }
    expect(await call('batch_files', moved)).toMatchObject({ success: true })
    expect(readdirSync(join(folder.root, 'all/of/them')).sort()).toEqual(['a.txt', 'b.txt', 'c.txt'])
  })

  test('transforms texts, and leaves alone what is too large or no text', async () => {
    put('a.txt', 'no.txt')
    folder.put('a.txt', 'foo foo\n')
    folder.put('b.txt', Buffer.from([0xff, 0x66, 0x6f, 0x6f]))
    folder.put('large.txt', 'foo\n'.repeat(2_700_000))
    chmodSync(join(folder.root, 'a.txt'), 0o640)
    const transform = { operation: 'transform', pattern: '*.txt', find: 'foo', replace: '$1' }
    const result = await call('batch_files', transform)
    expect(result.output).toBe(
      'Transformed 1 file:\na.txt 2 replacements\nSkipped: b.txt (not text), large.txt (over 10 MB)',
    )
    expect(text('a.txt')).toBe('$1 $1\n')
    expect(statSync(join(folder.root, 'a.txt')).mode & 0o777).toBe(0o640)
    folder.put('v.md', 'v1.2 and v3.4\nend')
    await call('batch_files', {
      operation: 'transform',
      pattern: 'v.md',
      find: 'v(\\d)\\.(\\d)',
      replace: '$2.$1',
      regex: true,
    })
    expect(text('v.md')).toBe('2.1 and 4.3\nend')
  })

  test('changes nothing where two would have one name, or a name is taken', async () => {
    put('a1.txt', 'a2.txt', 'b.txt', 'dir/a1.txt')
    const error = async (args: object) => (await call('file.batch', { operation: 'rename', ...args })).error
    expect(await error({ pattern: 'a?.txt', replacement: 'c.txt' })).toBe(
      'a1.txt and a2.txt would both become c.txt. Nothing was changed.',
    )
    expect(await error({ pattern: 'a1.txt', replacement: 'b.txt' })).toMatch(/b.txt is there already/)
    expect(await error({ operation: 'move', pattern: 'a*.txt', destination: 'dir' })).toMatch(
      /dir\/a1.txt is there already/,
    )
    expect(names()).toEqual(['a1.txt', 'a2.txt', 'b.txt', 'dir'])
  })

  test('lets files take one another’s names', async () => {
    folder.put('x-y', 'one')
    folder.put('y-x', 'two')
    expect(
      await call('file.batch', { operation: 'rename', pattern: '/^([xy])-([xy])$/', replacement: '$2-$1' }),
    ).toMatchObject({
      success: true,
    })
    expect([text('x-y'), text('y-x')]).toEqual(['two', 'one'])
    expect(names().filter((name) => name.startsWith('.qm-'))).toEqual([])
  })

  const batch = { operation: 'move', pattern: '*', directory: '.', recursive: false, regex: false } as const
  const apply = (args: BatchArguments, files: PlannedFile[]) =>
    WorkFolder.use(folder.root, (work) => applyBatch(work, args, files, new AbortController().signal))

  test('puts everything back where a move fails', async () => {
    put('a.txt', 'b.txt', 'c.txt', 'taken.txt')
    const files = [
      { from: 'a.txt', to: 'new/folder/a.txt' },
      { from: 'b.txt', to: 'a.txt' },
      { from: 'c.txt', to: 'taken.txt' },
    ]
    await expect(apply(batch, files)).rejects.toThrow('taken.txt is there by now.')
    expect(names()).toEqual(['a.txt', 'b.txt', 'c.txt', 'taken.txt'])
    for (const name of names()) expect(text(name)).toBe(name)
  })

  test('puts everything back where a transformation fails', async () => {
    put('a.txt', 'b.txt', 'c.txt')
    const digest = (content: string) => createHash('sha256').update(content).digest('hex')
    const files = ['a.txt', 'b.txt'].map((from) => ({ from, replacements: 1, digest: digest(from) }))
    const transform = { ...batch, operation: 'transform', find: 'txt', replace: 'md' } as const
    const failing = apply(transform, [...files, { from: 'c.txt', replacements: 1, digest: 'another' }])
    await expect(failing).rejects.toThrow('c.txt is not what it was when this was planned')
    for (const name of names()) expect(text(name)).toBe(name)
    await apply(transform, files)
    expect(text('a.txt')).toBe('a.md')
  })

  test('runs what was shown, or nothing', async () => {
    put('a.txt', 'b.txt')
    const tool = createFileTools(folder).find(({ name }) => name === 'file.batch')!
    const args = { ...batch, operation: 'transform', pattern: '*.txt', find: 'txt', replace: 'md' }
    const completed = await tool.complete!(args, sampleContext())
    if (!completed.ok) throw new Error(completed.problem)
    folder.put('b.txt', 'another txt')
    expect(await tool.execute(completed.arguments, sampleContext())).toMatchObject({
      error: 'The files have changed since this was planned. Nothing was changed; call it again.',
    })
    expect(text('a.txt')).toBe('a.txt')
  })

  test('refuses names that are none, groups that are not there, and expressions that could hang', async () => {
    put('a.txt')
    const error = async (args: object) =>
      (await call('file.batch', { operation: 'rename', pattern: '*.txt', replacement: 'x', ...args })).error
    expect(await error({ replacement: '../$1' })).toMatch(/cannot be named/)
    expect(await error({ replacement: 'x\\$1' })).toMatch(/cannot be named/)
    expect(await error({ replacement: '$2' })).toBe('The replacement has $2, but the pattern has 1 groups.')
    expect(await error({ pattern: '/(a)\\1/' })).toMatch(/linear time/)
    expect(await error({ pattern: 'sub/*.txt' })).toMatch(/Say which folder with directory/)
    expect(await error({ operation: 'move', replacement: undefined })).toMatch(/needs destination/)
    expect(await error({ pattern: '*.nope' })).toMatch(/No file in \. that would change matches/)
    folder.put('evil.txt', 'a'.repeat(50_000))
    const start = performance.now()
    await call('file.batch', { operation: 'transform', pattern: 'evil.txt', find: '(a+)+$x', replace: '', regex: true })
    expect(performance.now() - start).toBeLessThan(5_000)
    expect(text('a.txt')).toBe('a.txt')
  })

  test('shows on the card what changes, file by file', async () => {
    put('a.txt', 'b.txt')
    expect(await card('file.batch', { operation: 'rename', pattern: '*.txt', replacement: '$1.md' })).toEqual({
      title: 'Rename 2 files in .',
      facts: [
        { label: 'a.txt', value: '→ a.md' },
        { label: 'b.txt', value: '→ b.md' },
      ],
    })
    mkdirSync(join(folder.root, '.git'))
    folder.put('.git/config', 'x')
    expect(
      (await call('file.batch', { operation: 'rename', pattern: 'config', directory: '.git', replacement: 'y' })).error,
    ).toMatch(/belongs to git itself/)
  })
})
