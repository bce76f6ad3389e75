/** What a member may do, the most first. Each role may do what the ones after it may. */
export const roles = ['owner', 'admin', 'approver', 'member', 'viewer'] as const

export type Role = (typeof roles)[number]

export function atLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(needed)
}
