export { type Clock, ManualClock, systemClock } from './clock.ts'
export type { FloodLimits, Storm } from './flood-control.ts'
export type { Group, GroupOptions } from './group.ts'
export { limits } from './limits.ts'
export { onePixel, type Person, type Pressed, type SentFile, type Where } from './person.ts'
export { renderChat } from './render-chat.ts'
export type { SeenButton, SeenChat, SeenMessage } from './seen-chat.ts'
export type { Fault, ReceivedRequest } from './serve-bot-api.ts'
export {
  startTelegramEmulator,
  type TelegramEmulator,
  type TelegramEmulatorOptions,
} from './start-telegram-emulator.ts'
