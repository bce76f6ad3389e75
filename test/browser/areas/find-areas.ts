import { readdirSync } from 'node:fs'
import type { AreaUnderTest } from './area.ts'

const notAreas = ['area', 'find-areas']

/** Every area that has a file in this folder, by the file's name. */
export async function findAreas(): Promise<AreaUnderTest[]> {
  const names = readdirSync(import.meta.dirname).map((file) => file.replace(/\.ts$/, ''))
  const areas = names.filter((name) => !notAreas.includes(name)).sort()
  return Promise.all(areas.map(async (name) => (await import(`./${name}.ts`)).default as AreaUnderTest))
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
