import { hash } from 'node:crypto'
import type { AnyTool } from './contract.ts'
import { canonicalJson } from './executor/digest.ts'

const versions = new WeakMap<AnyTool, string>()

/**
 * The digest of everything a tool declares. What an approval was given for, and what a review of a stranger's tool has
 * seen: with another description, schema or effect it is another tool. The code is not part of it, so that a deploy
 * does not undo approvals.
 */
export function toolVersion(tool: AnyTool): string {
  const known = versions.get(tool)
  if (known !== undefined) return known
  const declared = Object.fromEntries(Object.entries(tool).filter(([, value]) => typeof value !== 'function'))
  const version = hash('sha256', canonicalJson(declared), 'hex')
  versions.set(tool, version)
  return version
}
