// For conversations whose channel has no connection here, and for runs that nobody watches.
import type { Presenter } from './channel.ts'

export const presentNothing: Presenter = {
  text() {},
  restart() {},
  activity() {},
  status() {},
  stepEnd() {},
  async end() {},
}
