import type { Role } from '@quartermaster/db'

/** What each role is for, in a sentence; each may also do what the ones after it may. */
export const roleAbout: Record<Role, string> = {
  owner: 'Everything, and makes other owners.',
  admin: 'Configures agents, secrets, channels and members.',
  approver: 'Answers what agents ask approvers.',
  member: 'Talks with agents and answers what they ask them.',
  viewer: 'Looks, and changes nothing.',
}

export const roleOptions = (Object.keys(roleAbout) as Role[]).map((role) => ({
  value: role,
  label: `${role[0]?.toUpperCase()}${role.slice(1)}`,
}))
