// What a story is: a thread of turns, each of asking, tool calls in steps, and an answer.
import type { AgentSlug, PlaceKey } from './northwind.ts'
import type { Random } from './random.ts'

export interface Call {
  tool: string
  args: Record<string, unknown>
  output: string
}

export interface Turn {
  ask: string
  /** What the agent says with its first tool calls. */
  say?: string
  /** Each step is one model call; the calls in it run side by side. */
  steps: Call[][]
  answer: string
}

export interface Story {
  agent: AgentSlug
  place: PlaceKey
  title: string
  turns: Turn[]
  /** For a story that a schedule tells: how the run is triggered. */
  trigger?: 'schedule'
}

export type StoryTeller = { weight: number; tell: (random: Random) => Story }

export const call = (tool: string, args: Record<string, unknown>, output: string): Call => ({ tool, args, output })

export const services = [
  'tracking-api',
  'rates-service',
  'label-renderer',
  'webhook-relay',
  'billing-worker',
  'customs-forms',
  'depot-sync',
  'pickup-planner',
]
export const customers = [
  'Halden Tools',
  'Brightwater Clinics',
  'Osk & Lund',
  'Petrel Outdoors',
  'Kestrel Foods',
  'Tamarind Home',
  'Velo Parts Direct',
  'Arden Street Books',
  'Morrow Ceramics',
  'Fjordlight Lamps',
]
export const depots = ['Rostock', 'Gent', 'Malmö', 'Porto', 'Graz', 'Leeds']
