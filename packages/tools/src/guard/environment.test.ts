import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passedVariables, programEnvironment } from './environment.ts'
import { holdsUnlikePlantedBug } from './planted-bug.ts'

const hostile = {
  NODE_OPTIONS: '--require /evil.js',
  NODE_AUTH_TOKEN: 'npm_token',
  NPM_TOKEN: 'npm_token',
  GIT_SSH_COMMAND: 'evil',
  GIT_ASKPASS: 'evil',
  ANTHROPIC_API_KEY: 'sk-ant',
  SLACK_BOT_TOKEN: 'xoxb',
  DATABASE_URL: 'postgres://user:password@host/db',
  QM_MASTER_KEY: 'key',
  AWS_SECRET_ACCESS_KEY: 'aws',
  LD_PRELOAD: '/evil.so',
  LD_LIBRARY_PATH: '/evil',
  BASH_ENV: '/evil',
  ENV: '/evil',
  PYTHONPATH: '/evil',
  PYTHONSTARTUP: '/evil',
  SSH_AUTH_SOCK: '/agent.sock',
  HTTP_PROXY: 'http://user:password@proxy',
  PATH: '/evil',
  HOME: '/root',
  USER: 'root',
  PWD: '/secret',
}

test('nothing of the machine passes but the names on the list', async () => {
  const lax: typeof programEnvironment = (options) => ({ ...programEnvironment(options), ...(options.from as object) })
  await holdsUnlikePlantedBug(programEnvironment, lax, (compose) => {
    const environment = compose({ home: '/tmp', from: hostile })
    for (const value of Object.values(hostile)) expect(Object.values(environment)).not.toContain(value)
  })
})

test('the language and the time zone pass', () => {
  const from = { LANG: 'de_DE.UTF-8', TZ: 'Europe/Berlin', LC_ALL: 'C.UTF-8' }
  expect(programEnvironment({ home: '/tmp', from })).toMatchObject(from)
})

test('home is what was said', () => {
  expect(programEnvironment({ home: '/work/folder', from: hostile }).HOME).toBe('/work/folder')
})

test('no environment makes the list of names any longer', () => {
  const names = new Set([...Object.keys(programEnvironment({ home: '/tmp' })), ...passedVariables])
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), (from) => {
      for (const name of Object.keys(programEnvironment({ home: '/tmp', from }))) expect(names).toContain(name)
    }),
  )
})
