// Slack as the stage of a working day: five channels, and direct messages.
import type { User } from '../emulators/slack/index.ts'
import type { SlackSetup } from './slack-setup.ts'
import { type Seen, type Stage, theBot } from './working-day.ts'

export function slackStage({ slack }: Pick<SlackSetup, 'slack'>, users: readonly User[]): Stage {
  const rooms = ['ops', 'sales', 'support', 'design', 'random'].map((name) => slack.addChannel(name, users))
  const bot = slack.bot().userId
  const named = new Map(users.map((user) => [user.name, user]))
  const before = new Map(users.map((user) => [user.name, slack.ephemerals(user).length]))
  const userOf = (name: string) => named.get(name) as User
  const see = (message: ReturnType<typeof slack.thread>[number]): Seen => ({
    from: message.user === bot ? theBot : message.from,
    text: message.text,
    buttons: message.buttons.map(({ text }) => text),
    click: async (person, button) => slack.click(userOf(person), message, button),
  })
  return {
    people: [...named.keys()],
    begin(person, text, number) {
      const isDirect = number % 8 === 7
      const room = isDirect ? slack.dm(userOf(person)) : (rooms[number % rooms.length] as (typeof rooms)[number])
      const { ts } = isDirect ? slack.say(userOf(person), room, text) : slack.mention(userOf(person), room, text)
      const thread = () => slack.thread(room, ts).filter((message) => message.text)
      return {
        isDirect,
        reply: (other, words) => void slack.reply(userOf(other), { channel: room.id, ts }, words),
        seen: () =>
          thread()
            .filter(({ streaming }) => streaming !== 'in_progress')
            .map(see),
        unfinished: () => thread().filter(({ streaming }) => streaming === 'in_progress').length,
      }
    },
    // Of people who do not talk to it there themselves.
    alone: (person) =>
      slack
        .messages(slack.dm(userOf(person)))
        .filter(({ user }) => user === bot)
        .map(see),
    notices: (person) =>
      slack
        .ephemerals(userOf(person))
        .slice(before.get(person))
        .map(({ text }) => text),
  }
}
