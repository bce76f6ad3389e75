import type { SeenChat } from './seen-chat.ts'

export function renderChat(chat: SeenChat): string {
  return `<!doctype html><title>${chat.title}</title>`
}
