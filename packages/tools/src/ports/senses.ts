// What looks at pictures and listens to speech for tools.
import type { Media, ModelUse } from '../contract.ts'

export interface Senses {
  /**
   * A description of the picture, led by the question. Null where no model is configured that can see. What it costs is
   * said to `spend`, also where it fails.
   */
  look(picture: Media, question: string, caller: LookingCaller): Promise<string | null>
  /** What is said in it. Null where nothing is configured that can listen. */
  listen(recording: Media, options: { language?: string }, signal: AbortSignal): Promise<string | null>
}

export interface LookingCaller {
  signal: AbortSignal
  spend(use: ModelUse): void
}
