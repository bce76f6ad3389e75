import type { Core } from '../core.ts'
import type { Channel, Message, Session } from '../model.ts'
import { see } from '../seen.ts'
import { escapeHtml } from './escape-html.ts'

export function renderThread(
  core: Core,
  channel: Channel,
  messages: readonly Message[],
  _session: Session | null,
): string {
  return `<!DOCTYPE html><title>${escapeHtml(channel.name)}</title>${messages.map((message) => `<pre>${escapeHtml(see(core, message).text)}</pre>`).join('')}`
}
