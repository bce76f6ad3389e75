import { describeBuiltinTools, parseConfig } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { configSchemaOf } from './config-schema.ts'

const tools = describeBuiltinTools()
const tool = (name: string) => tools.find((each) => each.name === name)!
const propertiesOf = (name: string) => configSchemaOf(tool(name)).properties as Record<string, Record<string, unknown>>

test('a form offers the settings of the tool and the presets of its arguments', () => {
  expect(Object.keys(propertiesOf('web.fetch'))).toEqual(
    expect.arrayContaining(['allowed_hosts', 'default_url', 'fixed_url']),
  )
  expect(propertiesOf('web.fetch')).not.toHaveProperty('max_url')
  expect(propertiesOf('file.read')).toHaveProperty('max_limit')
})

test('a preset that nobody fills in has no value of its own', () => {
  for (const each of tools)
    for (const [key, schema] of Object.entries(propertiesOf(each.name)))
      if (/^(default|fixed|max)_/.test(key) && !isOwn(each.configSchema, key))
        expect(schema).not.toHaveProperty('default')
})

test('every key that a form offers is one that the tool knows', () => {
  for (const each of tools)
    for (const key of Object.keys(propertiesOf(each.name))) {
      const parsed = parseConfig(each, { [key]: 1 })
      const unknown = parsed.ok ? [] : parsed.errors.filter((error) => error.includes('no such setting'))
      expect([each.name, key, unknown]).toEqual([each.name, key, []])
    }
})

test('the tool’s own settings come first, and each preset says which argument it is about', () => {
  const properties = Object.entries(propertiesOf('web.fetch'))
  const isPreset = properties.map(([, schema]) => 'x-argument' in schema)
  expect(isPreset.indexOf(true)).toBe(isPreset.filter((each) => !each).length)
  expect(propertiesOf('file.read').max_limit).toMatchObject({ 'x-argument': { name: 'limit' } })
  expect(propertiesOf('web.fetch').allowed_hosts).not.toHaveProperty('x-argument')
})

const isOwn = (schema: unknown, key: string) =>
  typeof schema === 'object' &&
  schema !== null &&
  Object.hasOwn((schema as { properties?: object }).properties ?? {}, key)
