export type CheckState = 'ok' | 'warning' | 'problem'

/** One line of the doctor's report. */
export interface Check {
  name: string
  state: CheckState
  detail: string
  /** What to do about it; null exactly when there is nothing to do. */
  fix: string | null
}

export const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail, fix: null })
export const warning = (name: string, detail: string, fix: string): Check => ({ name, state: 'warning', detail, fix })
export const problem = (name: string, detail: string, fix: string): Check => ({ name, state: 'problem', detail, fix })
