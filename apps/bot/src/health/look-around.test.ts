import type { PartHealth, ProcessHealth } from '@quartermaster/db'
import { expect, test } from 'vitest'
import type { Channel } from '../channels/channel.ts'
import { createTestPlatform } from '../reply/testing-platform.ts'
import { withChannels } from './look-around.ts'

const part = (state: PartHealth['state'], detail: string): PartHealth => ({ state, detail, next: null })
const found: ProcessHealth = {
  ...{ sandbox: part('ok', 'bwrap'), model: part('ok', 'a key') },
  ...{ slack: part('ok', 'a token'), telegram: part('problem', 'no token') },
}
const channel = (kind: Channel['kind'], health?: PartHealth): Channel => ({
  ...createTestPlatform({ kind }).channel,
  ...(health ? { health: () => health } : {}),
})

test('what is worse counts: a token that works says nothing about a socket that broke, nor the other way round', () => {
  const broken = part('problem', 'the socket is closed')
  expect(withChannels(found, [channel('slack', broken), channel('telegram', part('ok', 'polling'))])).toEqual({
    ...found,
    slack: broken,
  })
})

test('a channel that knows nothing, and the console’s own, change nothing', () => {
  expect(withChannels(found, [channel('web', part('problem', 'x')), channel('slack')])).toEqual(found)
})
