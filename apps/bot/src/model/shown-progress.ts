import type { StreamOptions, ToolStart } from './model.ts'

/**
 * Tells a listener what a turn says, over all attempts of that turn, without ever telling the same text twice.
 *
 * A stream that breaks cannot be taken up where it broke (the models take no half-written answer), so the next attempt
 * answers anew. As long as its text is what is shown already, it is swallowed; where it goes beyond, people just read
 * on. Where it departs from what was shown, `onRestart` says once how much of that still holds, and the new text
 * follows. Tools that were told before always end the agreement: a new attempt gives them new ids.
 */
export class ShownProgress {
  readonly #listener: Pick<StreamOptions, 'onText' | 'onToolStart' | 'onRestart'>
  #shown = ''
  #toolsTold = 0
  /** How many characters of `#shown` this attempt has said again; null once it speaks for itself. */
  #repeated: number | null = null

  constructor(listener: Pick<StreamOptions, 'onText' | 'onToolStart' | 'onRestart'>) {
    this.#listener = listener
  }

  beginAttempt(): void {
    this.#repeated = this.#shown || this.#toolsTold ? 0 : null
  }

  text(text: string): void {
    const fresh = this.#repeated === null ? text : this.#withoutRepetition(text, this.#repeated)
    if (!fresh) return
    this.#shown += fresh
    this.#listener.onText?.(fresh)
  }

  toolStart(tool: ToolStart): void {
    if (this.#repeated !== null) this.#depart(this.#repeated)
    this.#toolsTold++
    this.#listener.onToolStart?.(tool)
  }

  /** The attempt is over and whole: what was shown beyond its end does not hold. */
  endTurn(): void {
    if (this.#repeated !== null && (this.#repeated < this.#shown.length || this.#toolsTold))
      this.#depart(this.#repeated)
  }

  #withoutRepetition(text: string, repeated: number): string {
    const expected = this.#shown.slice(repeated, repeated + text.length)
    const same = commonPrefixLength(text, expected)
    this.#repeated = repeated + same
    if (same === text.length) return ''
    if (this.#repeated === this.#shown.length && !this.#toolsTold) this.#repeated = null
    else return this.#depart(this.#repeated) + text.slice(same)
    return text.slice(same)
  }

  /** Returns what has to be told again: half a surrogate pair is no character that could be kept. */
  #depart(keep: number): string {
    const kept = isHighSurrogate(this.#shown, keep - 1) ? keep - 1 : keep
    const cutHalf = this.#shown.slice(kept, keep)
    this.#shown = this.#shown.slice(0, kept)
    this.#toolsTold = 0
    this.#repeated = null
    this.#listener.onRestart?.({ keep: kept })
    return cutHalf
  }
}

function commonPrefixLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let length = 0
  while (length < most && a[length] === b[length]) length++
  return length
}

const isHighSurrogate = (text: string, index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xd800
