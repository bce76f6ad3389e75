import type { SlackEmulatorOptions } from './settings.ts'
import { SlackEmulator } from './slack-emulator.ts'

/** Slack on a free port of loopback. */
export async function startSlackEmulator(options: SlackEmulatorOptions = {}): Promise<SlackEmulator> {
  const emulator = new SlackEmulator(options)
  await emulator.start()
  return emulator
}
