// Transitions of many runs at once. A transition is a long statement over a few rows: most of what it costs PostgreSQL is
// to begin it, to commit it and to answer. So what waits for the same transition at the same moment is one statement.
//
// Nobody waits for others to come: with a lane free, a transition goes out at the end of this turn of the event loop.
// While all lanes are busy the rest gathers, and goes out together when one of them is free. So one alone is as quick as
// ever, and the more there is to do, the less each of them costs. What no run waits for may say that it rests a while after
// each statement (`restMs`).
//
// Together or one by one is the same to whoever asks: a statement that fails has done nothing, and then each is done by
// itself, so that what is wrong with one of them (or who holds its rows) is nobody else's trouble. Only where the
// connection broke is it not known what was done, and all of them hear of that as they would have alone.
import pg from 'pg'
import type { Queryable } from './client.ts'
import { limits } from './limits.ts'
import { prepared } from './prepared.ts'

/** A transition as a statement over any number of items. */
export interface CombinedStatement<Item> {
  /** Each row that it answers has the column `key`. */
  text: string
  /** The statement's parameters: mostly an array for each column. */
  values(items: readonly Item[]): unknown[]
  /** Two items of one key never share a statement. */
  keyOf(item: Item): string
  /** What else two items of a statement must not have in common: they would write the same row. */
  apartBy?(item: Item): readonly string[]
  /** What they must have in common. */
  groupOf?(item: Item): string
  /**
   * Of work that no run waits for: how long after one of these the next may go out, in milliseconds. One alone goes out at
   * once; what comes close behind it gathers.
   */
  restMs?: number
}

export interface Combiner {
  /** The row that answers the item; undefined where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: as pg itself types a row that nobody described.
  run<Item>(statement: CombinedStatement<Item>, item: Item): Promise<any>
  /** The lanes themselves, for a statement that is about many by itself and is to be planned once. */
  lanes: Queryable
  close(): Promise<void>
}

interface Waiting {
  item: unknown
  resolve(row: unknown): void
  reject(error: unknown): void
}

/** `pool` is where each is done by itself. The lanes are connections of their own, opened when they are first needed. */
export function createCombiner(pool: pg.Pool, options: pg.PoolConfig): Combiner {
  const lanes = new pg.Pool({ ...options, max: limits.combineLanes, options: laneSettings })
  lanes.on('error', () => {}) // As for every pool of this package (client.ts).
  lanes.on('connect', (client) => client.on('error', () => {}))
  const waiting = new Map<CombinedStatement<unknown>, Waiting[]>()
  let free: number = limits.combineLanes
  let due = false
  const rests = new WeakMap<CombinedStatement<unknown>, { until: number; timer: NodeJS.Timeout | null }>()

  function look(): void {
    if (due) return
    due = true
    setImmediate(() => {
      due = false
      for (const [statement, items] of waiting) {
        if (!free) return
        if (mustRest(statement, items.length)) continue
        waiting.delete(statement)
        const { batch, rest } = takeBatch(statement, items)
        if (rest.length) waiting.set(statement, rest)
        free--
        void doTogether(statement, batch).finally(() => {
          free++
          look()
        })
      }
    })
  }

  /** If so, we look again when it has rested. Otherwise it goes out now. */
  function mustRest(statement: CombinedStatement<unknown>, count: number): boolean {
    if (!statement.restMs) return false
    const now = performance.now()
    const rest = rests.get(statement) ?? { until: 0, timer: null }
    if (now >= rest.until || count >= limits.combineItems) {
      rests.set(statement, { ...rest, until: now + statement.restMs })
      return false
    }
    if (!rest.timer) {
      const timer = setTimeout(() => {
        rests.set(statement, { until: 0, timer: null })
        look()
      }, rest.until - now)
      rests.set(statement, { ...rest, timer })
    }
    return true
  }

  async function doTogether(statement: CombinedStatement<unknown>, batch: readonly Waiting[]): Promise<void> {
    try {
      await answer(lanes, statement, batch)
    } catch (error) {
      if (!isRefusal(error)) for (const { reject } of batch) reject(error)
      // Not waited for: another may hold its rows for long, and the lane is for those whose rows are free.
      else for (const each of batch) answer(pool, statement, [each]).catch(each.reject)
    }
  }

  return {
    run<Item>(statement: CombinedStatement<Item>, item: Item) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const kind = statement as CombinedStatement<unknown>
      const items = waiting.get(kind)
      if (items) items.push({ item, resolve, reject })
      else waiting.set(kind, [{ item, resolve, reject }])
      look()
      return promise
    },
    lanes,
    close: () => lanes.end(),
  }
}

/** Does each by itself, on this connection or pool: for tests of what happens in one transaction, or to one statement. */
export function oneByOne(on: Queryable): Combiner {
  return {
    run<Item>(statement: CombinedStatement<Item>, item: Item) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      answer(on, statement as CombinedStatement<unknown>, [{ item, resolve, reject }]).catch(reject)
      return promise
    },
    lanes: on,
    close: async () => {},
  }
}

/**
 * Planned once and for any number of items, on tables that may be empty today and long tomorrow: always by the index.
 * Who holds a row for longer than a moment is waited for elsewhere.
 */
const laneSettings = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'jit=off',
  `lock_timeout=${limits.combineLockMs}`,
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

/**
 * An enum's column for a condition on rows that are found by their key. As it is, the condition would let a plan that was
 * made while a table was empty take a partial index instead, and read all that is open or running for each of them.
 */
export const byKey = (column: string) => `${column}::text`

/** Of rows of values the columns: what unnest makes rows of again. */
export const columnsOf = (rows: readonly (readonly unknown[])[]): unknown[] =>
  (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]))

/** An array of texts as PostgreSQL writes one: unnest would make of arrays in an array a single long one. */
export const arrayText = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`

function takeBatch(statement: CombinedStatement<unknown>, items: readonly Waiting[]) {
  const batch: Waiting[] = []
  const rest: Waiting[] = []
  const taken = new Set<string>()
  const groupOf = ({ item }: Waiting) => statement.groupOf?.(item) ?? ''
  const group = groupOf(items[0] as Waiting)
  for (const each of items) {
    const apart = [statement.keyOf(each.item), ...(statement.apartBy?.(each.item) ?? [])]
    const fits = batch.length < limits.combineItems && groupOf(each) === group && !apart.some((key) => taken.has(key))
    if (fits) batch.push(each)
    else rest.push(each)
    // Also of one that has to wait: those after it must not overtake it.
    for (const key of apart) taken.add(key)
  }
  return { batch, rest }
}

async function answer(on: Queryable, statement: CombinedStatement<unknown>, batch: readonly Waiting[]): Promise<void> {
  const { rows } = await prepared(on, statement.text, statement.values(batch.map(({ item }) => item)))
  const byKey = new Map(rows.map((row) => [row.key, row]))
  for (const { item, resolve } of batch) resolve(byKey.get(statement.keyOf(item)))
}

/** The server answered, and nothing was done. Classes 08, 53 and 57 are about the connection, as errors of a socket are. */
const isRefusal = (error: unknown) => error instanceof pg.DatabaseError && !/^(08|53|57)/.test(error.code ?? '')
