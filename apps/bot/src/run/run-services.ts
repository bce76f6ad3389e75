// What advancing a run needs from outside, bound once where the bot is composed.
import type { ChannelKind, Claim, ClaimedRun, Database, Prices, RunContext } from '@quartermaster/db'
import type { Caller, Media, Policy, RateLimiter, SecretSource, ToolRegistry } from '@quartermaster/tools'
import type { ChannelLimits, Fetched, Place, Presenter } from '../channels/channel.ts'
import type { ChatReference } from '../chat/chat-services.ts'
import type { Log } from '../log.ts'
import type { Model } from '../model/index.ts'

export interface RunServices {
  db: Database
  log: Log
  model: Model
  registry: ToolRegistry
  secrets: SecretSource
  rateLimiter: RateLimiter
  /** The steps of a run where its agent does not say. */
  maxSteps: number
  /** Whether the provider of the model searches the web, where no other provider is set up for that. */
  serverSearch: boolean
  /** `taint`: what of the conversation is known already. */
  composeCaller(run: ClaimedRun, taint: readonly string[] | null): Promise<Calling>
  /** What a workspace pays; null: what the model port counted holds. */
  pricesOf(workspaceId: string): Promise<Prices | null>
  namesOf(workspaceId: string, memberIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  present(place: Place, channelKind: string): Presenter
  /** What one message may hold where the run's people read it. */
  limitsOf(channelKind: ChannelKind): ChannelLimits
  /** What a reference in a message stands for. Throws a Problem in words for people where it cannot be had. */
  fetchReference(
    channelKind: ChannelKind,
    reference: ChatReference,
    where: { channelId: string },
    signal: AbortSignal,
  ): Promise<Fetched>
  /** Where people reach the console; null where nobody said. */
  consoleUrl: string | null
  /** What is said in a recording; null where nothing is connected that can listen. */
  listen(recording: Media, signal: AbortSignal): Promise<string | null>
  /** Told at named points, for tests that end the process there. */
  atPoint(point: RunPoint): void
}

export type RunPoint =
  | 'run-claimed'
  | 'model-streaming'
  | 'model-answered'
  | 'step-recorded'
  | 'tool-started'
  | 'tool-running'
  | 'tool-ended'
  | 'results-appended'
  | 'question-asked'
  | 'delegated'
  | 'before-park'
  | 'before-finish'

/** One claim on a run, as those who work under it see it. */
export interface HeldRun {
  run: ClaimedRun
  /** Aborted when the work must end at once: somebody stopped the run, or the claim is lost. */
  signal: AbortSignal
  /** Aborted when the process is going down: nothing new is begun, what runs may end. */
  leaving: AbortSignal
}

export interface RunInHand extends HeldRun {
  context: RunContext
  presenter: Presenter
  /** Read for the step that is being worked on; null where this claim has not asked the model yet. */
  calling: Calling | null
  /** Where strangers' content came from. Null: a call of this claim added to it, or it was not read yet. */
  taint: readonly string[] | null
}

/** Whose calls a run's calls are, and the policy that holds for them. */
export interface Calling {
  caller: Caller
  policy: Policy
}

/** The claim is lost, or nobody knows whether a write was done: whoever comes next goes on from the rows. */
export class LetGo extends Error {
  override name = 'LetGo'
}

/** What a write under a claim answered; null means that the claim is lost. */
export function kept<T>(written: T | null | false, claim: Claim): T {
  if (written === null || written === false) throw new LetGo(`run ${claim.runId} is not held any more`)
  return written
}
