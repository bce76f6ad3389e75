import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const nobody = 65_534

// As root the other tests already run, and as root nobody is refused by the system.
test.runIf(process.getuid?.() === 0)(
  'an ordinary user reads, writes, searches and commits as root does, in a sandbox of its own making',
  { timeout: 30_000 },
  async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(import.meta.dirname, 'ordinary-user-probe.ts')],
      { uid: nobody, gid: nobody, env: { TMPDIR: tmpdir(), PATH: process.env.PATH }, cwd: '/' },
    )
    expect(JSON.parse(stdout)).toEqual({
      uid: nobody,
      owner: nobody,
      written: 'Created src/a.txt (11 bytes)',
      edited: 'Replaced 1 occurrence in src/a.txt (line 1)',
      content: 'two needle\n',
      read: 'two needle\n',
      grep: 'src/a.txt',
      glob: 'src/a.txt',
      closed: 'refused: The system does not let us at closed/x.txt (EACCES).',
      outside: expect.stringContaining('leads out of the work folder'),
      batch: 'Renamed 1 file:\nsrc/a.txt → src/a.md',
      names: ['a.md'],
      committed: expect.stringMatching(/^\[main \(root-commit\) [0-9a-f]+\] first\n 1 file changed/),
      status: 'On branch main\nNothing to commit',
      log: 'first|Quartermaster',
    })
  },
)
