/**
 * Calls `tell` at once, and then at most every `restMs` however often it is called: the first of many is heard without
 * delay, and after the last one there is always one more.
 */
export function tellWithRest(tell: () => void, restMs: number): { call: () => void; end: () => void } {
  let resting: NodeJS.Timeout | undefined
  let again = false
  const rest = () => {
    resting = setTimeout(() => {
      resting = undefined
      if (!again) return
      again = false
      tell()
      rest()
    }, restMs)
  }
  return {
    call() {
      if (resting) {
        again = true
        return
      }
      tell()
      rest()
    },
    end: () => clearTimeout(resting),
  }
}
