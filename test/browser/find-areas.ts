import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AreaUnderTest } from './area.ts'

/** Every area that has a file in areas/, by the file's name. */
export async function findAreas(): Promise<AreaUnderTest[]> {
  const names = readdirSync(join(import.meta.dirname, 'areas')).map((file) => file.replace(/\.ts$/, ''))
  return Promise.all(names.sort().map(async (name) => (await import(`./areas/${name}.ts`)).default as AreaUnderTest))
}

/** One table of all areas; what two of them name is a mistake. */
export function together<Value>(tables: readonly (Record<string, Value> | undefined)[]): Record<string, Value> {
  const all: Record<string, Value> = {}
  for (const [name, value] of tables.flatMap((table) => Object.entries(table ?? {}))) {
    if (name in all) throw new Error(`Two areas name ${name}.`)
    all[name] = value
  }
  return all
}
