// Groups, topics, drafts and what only one person sees, through the real grammY.
import { Bot } from 'grammy'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ManualClock, type Person, startTelegramEmulator, type TelegramEmulator } from './index.ts'

let clock: ManualClock
let telegram: TelegramEmulator
let api: Bot['api']
let ada: Person
let bob: Person

beforeEach(async () => {
  clock = new ManualClock()
  telegram = await startTelegramEmulator({ clock, hasTopics: true })
  api = new Bot(telegram.token, { client: { apiRoot: telegram.apiRoot } }).api
  ada = telegram.user({ firstName: 'Ada', username: 'ada_l' })
  bob = telegram.user({ firstName: 'Bob' })
})

afterEach(() => telegram.close())

const refused = (call: Promise<unknown>, description: string) => expect(call).rejects.toMatchObject({ description })
const heard = () => telegram.updates().map(({ message }) => message?.text)

test('with privacy mode on, a bot in a group hears only what is meant for it', async () => {
  const group = telegram.group({ title: 'Team', members: [ada, bob] })
  ada.say('not for you', { chat: group })
  ada.say('@somebody not you either', { chat: group })
  ada.say('/help@other_bot', { chat: group })
  ada.mention('hello', { chat: group })
  ada.command('stop', { chat: group })
  const sent = await api.sendMessage(group.id, 'yes?')
  ada.reply(sent, 'this is for you')
  expect(heard()).toEqual(['@quartermaster_bot hello', '/stop@quartermaster_bot', 'this is for you'])
  group.promoteBot()
  bob.say('now you hear it', { chat: group })
  expect(heard().at(-1)).toBe('now you hear it')
})

test('with privacy mode off, a bot hears everything', async () => {
  const open = await startTelegramEmulator({ isPrivate: false })
  const eve = open.user()
  eve.say('for all', { chat: open.group({ title: 'Team', members: [eve] }) })
  expect(open.updates()).toHaveLength(1)
  await open.close()
})

test('a bot that was blocked, kicked or never there may not speak, and is told when that changes', async () => {
  await refused(api.sendMessage(ada.id, 'x'), 'Bad Request: chat not found')
  const group = telegram.group({ title: 'Team', members: [ada], bot: 'left' })
  await refused(api.sendMessage(group.id, 'x'), 'Forbidden: bot is not a member of the supergroup chat')
  group.addBot()
  await api.sendMessage(group.id, 'hello')
  group.kickBot()
  await refused(api.sendMessage(group.id, 'x'), 'Forbidden: bot was kicked from the supergroup chat')
  const small = telegram.group({ title: 'Small', members: [ada], type: 'group' })
  small.kickBot()
  await refused(api.sendMessage(small.id, 'x'), 'Forbidden: bot was kicked from the group chat')
  ada.say('hi', { chat: telegram.group({ title: 'Other', members: [ada] }) })
  await refused(api.sendMessage(ada.id, 'x'), "Forbidden: bot can't initiate conversation with a user")
  ada.start()
  ada.block()
  await refused(api.sendMessage(ada.id, 'x'), 'Forbidden: bot was blocked by the user')
  ada.unblock()
  await api.sendMessage(ada.id, 'welcome back')
  const statuses = telegram.updates().flatMap(({ my_chat_member: change }) => change?.new_chat_member.status ?? [])
  expect(statuses).toEqual(['member', 'kicked', 'kicked', 'kicked', 'member'])
})

test('a group that became a supergroup tells its new id', async () => {
  const group = telegram.group({ title: 'Team', members: [ada], type: 'group' })
  const old = group.id
  const id = group.upgrade()
  await expect(api.sendMessage(old, 'x')).rejects.toMatchObject({
    error_code: 400,
    description: 'Bad Request: group chat was upgraded to a supergroup chat',
    parameters: { migrate_to_chat_id: id },
  })
  await api.sendMessage(id, 'x')
})

test('topics of a private chat keep their messages apart', async () => {
  ada.start()
  const { message_thread_id: first } = await api.createForumTopic(ada.id, 'First')
  const second = ada.createTopic('Second')
  await api.sendMessage(ada.id, 'in the first', { message_thread_id: first })
  ada.say('in the second', { topic: second })
  const texts = (topic: number) =>
    telegram.chat(ada, topic).messages.flatMap(({ kind, text }) => (kind === 'text' ? text : []))
  expect(texts(first)).toEqual(['in the first'])
  expect(texts(second)).toEqual(['in the second'])
  expect(telegram.updates().at(-1)?.message).toMatchObject({ message_thread_id: second, is_topic_message: true })
  await api.editForumTopic(ada.id, first, { name: 'Renamed' })
  await refused(api.editForumTopic(ada.id, first, { name: 'Renamed' }), 'Bad Request: TOPIC_NOT_MODIFIED')
  expect(telegram.chat(ada).topics.map(({ name }) => name)).toEqual(['Renamed', 'Second'])
  await api.deleteForumTopic(ada.id, first)
  await refused(api.sendMessage(ada.id, 'x', { message_thread_id: first }), 'Bad Request: message thread not found')
})

test('a person who writes outside of all topics opens one', () => {
  ada.start()
  const message = ada.say('what is the weather?', { topic: 'new' })
  expect(telegram.chat(ada, message.message_thread_id).messages.map(({ text }) => text)).toEqual([
    'created the topic “what is the weather?”',
    'what is the weather?',
  ])
})

test('a forum takes new topics from an administrator only, and closed topics take nothing', async () => {
  const forum = telegram.group({ title: 'Forum', members: [ada], isForum: true })
  await refused(api.createForumTopic(forum.id, 'Mine'), 'Bad Request: not enough rights to create a topic')
  const plain = telegram.group({ title: 'Plain', members: [ada], bot: 'administrator' })
  await refused(api.createForumTopic(plain.id, 'Mine'), 'Bad Request: the chat is not a forum')
  const topic = forum.createTopic('News')
  await api.sendMessage(forum.id, 'x', { message_thread_id: topic })
  forum.promoteBot()
  await api.createForumTopic(forum.id, 'Mine')
  await api.closeForumTopic(forum.id, topic)
  telegram.world.chats.get(forum.id)?.members.set(telegram.bot.id, 'member')
  await refused(api.sendMessage(forum.id, 'x', { message_thread_id: topic }), 'Bad Request: TOPIC_CLOSED')
})

test('a draft is seen for 30 seconds, or until the message comes', async () => {
  ada.start()
  const draft = (text: string) =>
    api.raw.sendRichMessageDraft({ chat_id: ada.id, draft_id: 7, rich_message: { markdown: text } })
  await draft('Once')
  await draft('Once **upon**')
  expect(telegram.chat(ada).drafts).toEqual([{ id: 7, text: 'Once upon', canStop: false, topic: undefined }])
  clock.advance(29_999)
  expect(telegram.chat(ada).drafts).toHaveLength(1)
  clock.advance(1)
  expect(telegram.chat(ada).drafts).toEqual([])
  await draft('Again')
  await api.sendMessage(ada.id, 'Again and done')
  expect(telegram.chat(ada).drafts).toEqual([])
})

test('a draft that the person stopped is reported and not seen again', async () => {
  ada.start()
  const draft = (draft_id: number) =>
    api.raw.sendRichMessageDraft({ chat_id: ada.id, draft_id, rich_message: { markdown: 'On' }, can_stop: true })
  await draft(7)
  ada.pressStop()
  expect(telegram.updates().at(-1)?.stopped_message_generation).toMatchObject({ chat: { id: ada.id }, draft_id: 7 })
  await draft(7)
  expect(telegram.chat(ada).drafts).toEqual([])
  await draft(8)
  expect(telegram.chat(ada).drafts).toMatchObject([{ id: 8, canStop: true }])
})

test('a draft belongs to a private chat and has a number', async () => {
  const group = telegram.group({ title: 'Team', members: [ada] })
  const draft = (chat_id: number, draft_id: number) => api.raw.sendMessageDraft({ chat_id, draft_id, text: 'x' })
  await refused(draft(group.id, 1), 'Bad Request: TEXTDRAFT_PEER_INVALID')
  ada.start()
  await refused(draft(ada.id, 0), 'Bad Request: invalid message draft identifier specified')
})

test('an ephemeral message in a group is seen by one person, who can press its button', async () => {
  const group = telegram.group({ title: 'Team', members: [ada, bob] })
  const sent = await api.raw.sendMessage({
    chat_id: group.id,
    text: 'only you',
    ephemeral_message_parameters: { receiver_user_id: ada.id },
    reply_markup: { inline_keyboard: [[{ text: 'Fine', callback_data: 'fine' }]] },
  })
  expect(sent).toMatchObject({ message_id: 0, receiver_user: { id: ada.id } })
  expect(telegram.ephemerals(group, ada).map(({ text }) => text)).toEqual(['only you'])
  expect(telegram.ephemerals(group, bob)).toEqual([])
  expect(telegram.chat(group).messages).toEqual([])
  ada.click('Fine', { chat: group })
  expect(() => bob.click('Fine', { chat: group })).toThrow('sees no button')
  const target = {
    chat_id: group.id,
    receiver_user_id: ada.id,
    ephemeral_message_id: Number(sent.ephemeral_message_id),
  }
  await api.raw.editEphemeralMessageText({ ...target, text: 'changed' })
  expect(telegram.ephemerals(group, ada)).toMatchObject([{ text: 'changed', keyboard: [] }])
  await api.raw.deleteEphemeralMessage(target)
  expect(telegram.ephemerals(group, ada)).toEqual([])
  const eve = telegram.user()
  await refused(
    api.raw.sendMessage({ chat_id: group.id, text: 'x', ephemeral_message_parameters: { receiver_user_id: eve.id } }),
    'Bad Request: USER_NOT_PARTICIPANT',
  )
})

test('a pressed button is answered once, and in time', async () => {
  ada.start()
  await api.sendMessage(ada.id, 'x', { reply_markup: { inline_keyboard: [[{ text: 'P', callback_data: 'p' }]] } })
  const answer = async () => api.answerCallbackQuery(String(ada.click('P').queryId))
  await answer()
  const { queryId } = ada.click('P')
  clock.advance(15 * 60 * 1000 + 1)
  const late = 'Bad Request: query is too old and response timeout expired or query ID is invalid'
  await refused(api.answerCallbackQuery(String(queryId)), late)
  await refused(api.answerCallbackQuery('1'), late)
})

test('"typing…" is seen for five seconds', async () => {
  ada.start()
  await api.sendChatAction(ada.id, 'typing')
  expect(telegram.chat(ada).actions).toEqual(['typing'])
  clock.advance(5000)
  expect(telegram.chat(ada).actions).toEqual([])
})

test('each person is offered the commands of the narrowest scope', async () => {
  const group = telegram.group({ title: 'Team', members: [ada, bob] })
  ada.start()
  const command = (name: string) => [{ command: name, description: name }]
  await api.setMyCommands(command('all'))
  await api.setMyCommands(command('alone'), { scope: { type: 'all_private_chats' } })
  await api.setMyCommands(command('boss'), { scope: { type: 'all_chat_administrators' } })
  expect(telegram.commandsFor(ada)).toEqual(command('alone'))
  expect(telegram.commandsFor(ada, group)).toEqual(command('boss'))
  expect(telegram.commandsFor(bob, group)).toEqual(command('all'))
  expect(telegram.commands({ type: 'default' })).toEqual(command('all'))
  await api.deleteMyCommands({ scope: { type: 'all_private_chats' } })
  expect(telegram.commandsFor(ada)).toEqual(command('all'))
})

test('an album is several messages with one number', () => {
  const sent = ada.sendAlbum([{}, {}], { caption: 'both' })
  expect(new Set(sent.map(({ media_group_id: group }) => group)).size).toBe(1)
  expect(sent.map(({ caption }) => caption)).toEqual(['both', undefined])
})

test('a member is known by their standing', async () => {
  const group = telegram.group({ title: 'Team', members: [ada, bob] })
  expect((await api.getChatMember(group.id, ada.id)).status).toBe('creator')
  expect((await api.getChatMember(group.id, bob.id)).status).toBe('member')
  expect((await api.getChatMember(group.id, telegram.bot.id)).status).toBe('member')
  expect((await api.getChatMember(group.id, telegram.user().id)).status).toBe('left')
})

test('a reaction of the bot is seen under the message, and is one that Telegram has', async () => {
  const message = ada.say('please do')
  await api.setMessageReaction(ada.id, message.message_id, [{ type: 'emoji', emoji: '👀' }])
  expect(telegram.chat(ada).messages[0]?.reaction).toBe('👀')
  await api.setMessageReaction(ada.id, message.message_id, [])
  expect(telegram.chat(ada).messages[0]?.reaction).toBeUndefined()
  await refused(
    api.setMessageReaction(ada.id, message.message_id, [{ type: 'emoji', emoji: '🐢' as never }]),
    'Bad Request: REACTION_INVALID',
  )
})

test('a reply in a supergroup without topics names a thread that nothing can be sent to', async () => {
  const group = telegram.group({ title: 'Team', members: [ada] })
  const sent = await api.sendMessage(group.id, 'yes?')
  const reply = ada.reply(sent, 'this')
  expect(telegram.updates().at(-1)?.message).toMatchObject({ message_thread_id: sent.message_id })
  expect(reply.is_topic_message).toBeUndefined()
  await refused(
    api.sendMessage(group.id, 'x', { message_thread_id: sent.message_id }),
    'Bad Request: message thread not found',
  )
  expect(telegram.chat(group).messages.map(({ topic }) => topic)).toEqual([undefined, undefined])
})

test('an administrator who speaks as the group is not named', () => {
  const group = telegram.group({ title: 'Team', members: [ada, bob] })
  ada.mention('who am I?', { chat: group, isAnonymous: true })
  expect(telegram.updates().at(-1)?.message).toMatchObject({
    from: { id: 1_087_968_824, is_bot: true },
    sender_chat: { id: group.id },
  })
  expect(() => bob.mention('and I?', { chat: group, isAnonymous: true })).toThrow('may not speak as the group')
})
