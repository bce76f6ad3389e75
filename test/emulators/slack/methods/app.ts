// What an app asks about itself: who it is, where it may listen, what it may do.
import { Refusal } from '../refusal.ts'
import { knownChannel, type Methods, needString } from './method.ts'

export const appMethods: Methods = {
  'api.test': { token: 'none', tier: 4, run: ({ args }) => ({ args }) },
  'auth.test': {
    token: 'bot',
    tier: 4,
    run: ({ team, bot }) => ({
      url: `https://${team.domain}.slack.com/`,
      team: team.name,
      user: 'quartermaster',
      team_id: team.id,
      user_id: bot.userId,
      bot_id: bot.botId,
      is_enterprise_install: false,
    }),
  },
  'auth.revoke': {
    token: 'bot',
    tier: 3,
    run({ core, team, bot }) {
      core.revokedTokens.set(bot.token, 'token_revoked')
      core.emit(team.id, 'tokens_revoked', { type: 'tokens_revoked', tokens: { oauth: [], bot: [bot.userId] } })
      return { revoked: true }
    },
  },
  'apps.connections.open': {
    token: 'app',
    tier: 1,
    run: ({ sockets }) => ({ url: sockets.newUrl() }),
  },
  'apps.event.authorizations.list': {
    token: 'app',
    tier: 4,
    run: ({ core }) => ({
      authorizations: [...core.world.teams.values()].flatMap(({ id, bot }) =>
        bot ? [{ enterprise_id: null, team_id: id, user_id: bot.userId, is_bot: true }] : [],
      ),
    }),
  },
  'bots.info': {
    token: 'bot',
    scope: 'users:read',
    tier: 3,
    run({ core, args, bot }) {
      if (args.bot !== undefined && args.bot !== bot.botId) throw new Refusal('bot_not_found')
      return { bot: { id: bot.botId, deleted: false, name: 'Quartermaster', app_id: core.appId, user_id: bot.userId } }
    },
  },
  'team.info': {
    token: 'bot',
    scope: 'team:read',
    tier: 3,
    run: ({ team }) => ({ team: { id: team.id, name: team.name, domain: team.domain, email_domain: '' } }),
  },
  'reactions.add': {
    token: 'bot',
    scope: 'reactions:write',
    tier: 3,
    run(call) {
      const { core, args, bot } = call
      const channel = knownChannel(call, needString(args, 'channel'))
      if (channel.archived) throw new Refusal('is_archived')
      const message = core.world.message(channel.id, needString(args, 'timestamp'))
      if (!message) throw new Refusal('message_not_found')
      const name = needString(args, 'name')
      if (!/^[a-z0-9_+'-]+$/.test(name)) throw new Refusal('invalid_name')
      message.reactions ??= []
      const reactions = message.reactions
      const reaction = reactions.find((each) => each.name === name)
      if (reaction?.users.includes(bot.userId)) throw new Refusal('already_reacted')
      if (reaction) reaction.users.push(bot.userId)
      else reactions.push({ name, users: [bot.userId] })
      core.world.changed()
      return {}
    },
  },
  'reactions.remove': {
    token: 'bot',
    scope: 'reactions:write',
    tier: 2,
    run(call) {
      const { core, args, bot } = call
      const channel = knownChannel(call, needString(args, 'channel'))
      const message = core.world.message(channel.id, needString(args, 'timestamp'))
      if (!message) throw new Refusal('message_not_found')
      const reaction = message.reactions?.find((each) => each.name === args.name)
      if (!reaction?.users.includes(bot.userId)) throw new Refusal('no_reaction')
      reaction.users = reaction.users.filter((id) => id !== bot.userId)
      message.reactions = message.reactions?.filter(({ users }) => users.length)
      core.world.changed()
      return {}
    },
  },
}
