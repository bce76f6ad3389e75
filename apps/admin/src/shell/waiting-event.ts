/** A badge says more than this as "9+". */
export const mostWaiting = 9

export interface WaitingEvent {
  /** Open questions that the member may answer; one more than `mostWaiting` stands for any larger number. */
  count: number
}
