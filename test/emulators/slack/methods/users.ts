import type { Json, User } from '../model.ts'
import { Refusal } from '../refusal.ts'
import { type Call, type Methods, needString } from './method.ts'

function userObject({ core, team, bot }: Call, user: User): Json {
  const stranger = user.teamId !== team.id
  return {
    id: user.id,
    team_id: user.teamId,
    name: user.name.toLowerCase().replace(/\W+/g, '.'),
    deleted: user.deactivated,
    real_name: user.name,
    tz: user.timezone,
    is_admin: false,
    is_owner: false,
    is_bot: user.isBot,
    is_app_user: false,
    is_restricted: user.guest !== null,
    is_ultra_restricted: user.guest === 'single',
    ...(stranger ? { is_stranger: true } : {}),
    updated: Math.floor(core.clock.now() / 1000),
    profile: {
      real_name: user.name,
      real_name_normalized: user.name,
      display_name: user.name.split(' ')[0],
      display_name_normalized: user.name.split(' ')[0],
      team: user.teamId,
      ...(user.email && !stranger && bot.scopes.includes('users:read.email') ? { email: user.email } : {}),
    },
  }
}

/** People of the team, and those of other teams who are in a channel with the bot. */
function visible({ core, team, bot }: Call, user: User): boolean {
  if (user.teamId === team.id) return true
  return [...core.world.channels.values()].some(({ members }) => members.has(user.id) && members.has(bot.userId))
}

export const userMethods: Methods = {
  'users.info': {
    token: 'bot',
    scope: 'users:read',
    tier: 4,
    run(call) {
      const user = call.core.world.users.get(needString(call.args, 'user'))
      if (!user) throw new Refusal('user_not_found')
      if (!visible(call, user)) throw new Refusal('user_not_visible')
      return { user: userObject(call, user) }
    },
  },
  'users.lookupByEmail': {
    token: 'bot',
    scope: 'users:read.email',
    tier: 3,
    run(call) {
      const email = needString(call.args, 'email').toLowerCase()
      for (const user of call.core.world.users.values())
        if (user.teamId === call.team.id && user.email?.toLowerCase() === email && !user.deactivated)
          return { user: userObject(call, user) }
      throw new Refusal('users_not_found')
    },
  },
  'users.list': {
    token: 'bot',
    scope: 'users:read',
    tier: 2,
    run(call) {
      const members = [...call.core.world.users.values()].filter(({ teamId }) => teamId === call.team.id)
      return { members: members.map((user) => userObject(call, user)), response_metadata: { next_cursor: '' } }
    },
  },
}
