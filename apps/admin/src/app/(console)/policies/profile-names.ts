import type { PolicyView } from '../../../policy/read-policy.ts'
import { toolKit } from '../../../tool-kit.ts'

/** Every profile that a layer can name: the built-in ones, then the workspace's own. */
export const profileNames = ({ content }: PolicyView): string[] => [
  ...toolKit.builtinProfiles.keys(),
  ...content.profiles.map(({ name }) => name),
]
