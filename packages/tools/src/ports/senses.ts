// What looks at pictures and listens to speech for tools.
import type { Media } from '../contract.ts'

export interface Senses {
  /** A description of the picture, led by the question. Null where no model is configured that can see. */
  look(picture: Media, question: string, signal: AbortSignal): Promise<string | null>
  /** What is said in it. Null where nothing is configured that can listen. */
  listen(recording: Media, options: { language?: string }, signal: AbortSignal): Promise<string | null>
}
