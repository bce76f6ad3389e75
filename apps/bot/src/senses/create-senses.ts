// What looks at pictures and listens to speech for tools: the model, and what the installation has for listening.
import type { Senses } from '@quartermaster/tools'
import type { Model } from '../model/index.ts'
import { type ListenEndpoint, listenByEndpoint } from './listen-by-endpoint.ts'
import { listenByProgram } from './listen-by-program.ts'
import { lookWithModel } from './look-with-model.ts'

export type Listening = { endpoint: ListenEndpoint } | { command: readonly string[] }

/** `model` is null where only the offline model answers, which sees nothing. */
export function createSenses(options: { model: Model | null; listening: Listening | null }): Senses {
  const { model, listening } = options
  return {
    look: async (picture, question, caller) => (model ? await lookWithModel(model, picture, question, caller) : null),
    async listen(recording, { language }, signal) {
      if (!listening) return null
      return 'command' in listening
        ? await listenByProgram(listening.command, recording, language, signal)
        : await listenByEndpoint(listening.endpoint, recording, language, signal)
    },
  }
}
