// How often we call Slack for what is only shown. The limits are a team's, not a conversation's: with many runs at once
// each is shown less often, and what must be said (answers, cards) finds room.

const minuteMs = 60_000

export interface Pace {
  /** Takes a place for a call and resolves to 0, or tells in how many milliseconds there may be one. */
  take(team: string, method: string, aMinute: number): number
  /** Slack said when it wants the next call. */
  hold(team: string, method: string, milliseconds: number): void
}

export function createPace(now: () => number = Date.now): Pace {
  const calls = new Map<string, number[]>()
  const held = new Map<string, number>()
  return {
    take(team, method, aMinute) {
      const key = `${team} ${method}`
      const moment = now()
      const until = held.get(key) ?? 0
      if (until > moment) return until - moment
      held.delete(key)
      const recent = (calls.get(key) ?? []).filter((at) => at > moment - minuteMs)
      calls.set(key, recent)
      if (recent.length >= aMinute) return (recent[recent.length - aMinute] as number) + minuteMs - moment
      recent.push(moment)
      return 0
    },
    hold(team, method, milliseconds) {
      const key = `${team} ${method}`
      held.set(key, Math.max(held.get(key) ?? 0, now() + milliseconds))
    },
  }
}
