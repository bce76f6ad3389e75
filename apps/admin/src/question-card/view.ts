// What the card of a question shows, as plain data: the server makes it from the database, a page draws it.

export interface CardView {
  id: string
  kind: 'confirmation' | 'choice' | 'multi_choice' | 'text' | 'form' | 'plan' | 'budget'
  title: string
  body: string | null
  tool: string | null
  facts: { label: string; value: string }[]
  diff: { path: string; before: string; after: string } | null
  options: string[]
  tabs: FormTabView[]
  /** The exact arguments as they are read, with what is invisible or turns the direction of text as its code. */
  argumentsText: string | null
  /** The same to be edited, where this person may; else null. */
  arguments: unknown
  /** Of the arguments; the answer binds it. */
  digest: string | null
  /** Something of the arguments is not in what the card says of them: then they stand on it in full. */
  isCut: boolean
  /** Of the arguments, where they may be edited by this person; null where nobody knows it. */
  schema: unknown
  why: string[]
  whoMayAnswer: string
  mayAnswer: boolean
  hasAnswered: boolean
  /** "Approve for this thread": how long and how often; null where it is not offered. */
  lease: string | null
  mayEdit: boolean
  /** "I would rather not say", where the question is none to approve. */
  mayDecline: boolean
  /** How many have approved of how many that must. */
  approvals: { given: number; required: number }
  expiresAt: string
  /** The card lost its buttons: what was decided, by whom, when. */
  closed: ClosedView | null
}

export interface FormTabView {
  title: string
  question: string
  options: string[]
  multiple: boolean
}

export interface ClosedView {
  status: 'answered' | 'expired' | 'withdrawn'
  verdict: 'approve' | 'deny' | null
  /** "Approved by Mika Member", "Nobody answered in time". */
  sentence: string
  at: string
}
