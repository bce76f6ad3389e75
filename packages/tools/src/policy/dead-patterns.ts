// What an owner wrote down and does not get: patterns that match no tool, and lists that change nothing.
import type { AnyTool } from '../contract.ts'
import { skillPatterns } from './layers.ts'
import { PatternIndex } from './pattern.ts'
import type { Layer, PolicyConfig } from './policy-config.ts'

export interface DeadPattern {
  /** Where it stands: `agents.fast.deny[0]`. */
  path: string
  pattern: string
  reason: string
}

/** The built-in profiles are left out: they name tools that may not be built or connected. */
export function findDeadPatterns(config: PolicyConfig, tools: readonly AnyTool[]): DeadPattern[] {
  const written = [...writtenPatterns(config)]
  const index = new PatternIndex(config.groups)
  for (const { pattern } of written) index.add(pattern)
  const alive = new Set<string>()
  for (const tool of tools) for (const id of index.lookUp(tool).patterns) alive.add(index.text(id))
  const dead = written
    .filter(({ pattern }) => !alive.has(pattern))
    .map(({ path, pattern }) => ({ path, pattern, reason: 'matches no tool' }))
  return [...dead, ...withoutEffect(config)]
}

function* writtenPatterns(config: PolicyConfig): Generator<{ path: string; pattern: string }> {
  const listed = function* (path: string, patterns: readonly string[] | undefined) {
    for (const [i, pattern] of (patterns ?? []).entries()) yield { path: `${path}[${i}]`, pattern }
  }
  const layer = function* (path: string, { allow, deny }: Layer) {
    yield* listed(`${path}allow`, allow)
    yield* listed(`${path}deny`, deny)
  }
  yield* layer('', config)
  for (const [name, profile] of Object.entries(config.profiles ?? {})) {
    yield* listed(`profiles.${name}.tools`, profile.tools)
    yield* listed(`profiles.${name}.reads`, profile.reads)
  }
  for (const [name, group] of Object.entries(config.groups ?? {})) yield* listed(`groups.${name}.tools`, group.tools)
  for (const [name, agent] of Object.entries(config.agents ?? {})) yield* layer(`agents.${name}.`, agent)
  for (const [name, provider] of Object.entries(config.providers ?? {})) yield* layer(`providers.${name}.`, provider)
  for (const [name, skill] of Object.entries(config.skills ?? {}))
    yield* listed(`skills.${name}.${skill.tools ? 'tools' : 'toolGroups'}`, skillPatterns(skill))
  for (const [i, { pattern }] of (config.hooks ?? []).entries()) yield { path: `hooks[${i}].pattern`, pattern }
  for (const [i, { pattern }] of (config.rules ?? []).entries()) yield { path: `rules[${i}].pattern`, pattern }
}

function* layersOf(config: PolicyConfig): Generator<[string, Layer]> {
  for (const [name, layer] of Object.entries(config.agents ?? {})) yield [`agents.${name}`, layer]
  for (const [name, layer] of Object.entries(config.providers ?? {})) yield [`providers.${name}`, layer]
}

/** An `allow` adds to a profile; without one there is nothing to add to, for everything is there already. */
function withoutEffect(config: PolicyConfig): DeadPattern[] {
  const found: DeadPattern[] = []
  for (const [path, layer] of layersOf(config))
    if (layer.profile === undefined)
      for (const [i, pattern] of (layer.allow ?? []).entries())
        found.push({
          path: `${path}.allow[${i}]`,
          pattern,
          reason: 'changes nothing: without a profile this layer starts from every tool',
        })
  return found
}
