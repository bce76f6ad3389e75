import type { PolicyView } from '../../../policy/read-policy.ts'
import { readPolicyView } from '../../../policy/read-policy.ts'
import type { CurrentMember } from '../../../session.ts'

/** Who would be left without a profile if it were deleted, in words. */
export async function usersOfProfile(current: CurrentMember, name: string): Promise<string[]> {
  return usersIn(await readPolicyView(current), name)
}

export function usersIn(view: PolicyView, name: string): string[] {
  const { profile, providers } = view.content.settings
  return [
    ...(profile === name ? ['the workspace'] : []),
    ...Object.entries(providers).flatMap(([provider, layer]) =>
      layer.profile === name ? [`the provider ${provider}`] : [],
    ),
    ...view.agents.flatMap(({ id, name: agent }) =>
      view.stored.config.agents[id]?.profile === name ? [`the agent ${agent}`] : [],
    ),
  ]
}
