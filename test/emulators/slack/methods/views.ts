import { randomBytes } from 'node:crypto'
import { parseView, type View } from '../blocks/check-view.ts'
import { withId } from '../blocks/parse-message.ts'
import type { Core } from '../core.ts'
import type { Json, OpenView } from '../model.ts'
import { invalidArguments, Refusal } from '../refusal.ts'
import { type Call, type Methods, needString } from './method.ts'

/** So many views may lie on one another. */
const mostViews = 3

/** A view as Slack shows it to an app. */
export function viewObject(core: Core, open: OpenView): Json {
  const { view } = open
  const bot = core.world.teams.get(open.teamId)?.bot
  return {
    id: open.id,
    team_id: open.teamId,
    app_id: core.appId,
    app_installed_team_id: open.teamId,
    bot_id: bot?.botId,
    title: view.title ?? { type: 'plain_text', text: 'View Title', emoji: true },
    type: view.type,
    submit: view.submit ?? null,
    close: view.close ?? null,
    blocks: view.blocks,
    private_metadata: view.private_metadata ?? '',
    callback_id: view.callback_id ?? '',
    external_id: view.external_id ?? '',
    state: { values: open.values },
    hash: open.hash,
    clear_on_close: view.clear_on_close ?? false,
    notify_on_close: view.notify_on_close ?? false,
    root_view_id: open.rootId,
    previous_view_id: open.previousId,
  }
}

function newHash(core: Core): string {
  return `${Math.floor(core.clock.now() / 1000)}.${randomBytes(4).toString('hex')}`
}

export function openView(core: Core, teamId: string, userId: string, given: View, previous: OpenView | null): OpenView {
  const id = core.world.id('V')
  const view = { ...given, blocks: given.blocks.map(withId) }
  const open: OpenView = {
    id,
    teamId,
    userId,
    view,
    hash: newHash(core),
    rootId: previous?.rootId ?? id,
    previousId: previous?.id ?? null,
    values: initialValues(view),
    errors: {},
  }
  return open
}

/** Puts a new view in the place of one that is open. What people typed stays where the blocks are the same. */
export function replaceView(core: Core, open: OpenView, given: View): void {
  open.view = { ...given, blocks: given.blocks.map(withId) }
  open.hash = newHash(core)
  open.errors = {}
  const initial = initialValues(open.view)
  for (const [block, actions] of Object.entries(initial))
    for (const action of Object.keys(actions)) {
      const kept = open.values[block]?.[action]
      if (kept) (initial[block] as Record<string, Json>)[action] = kept
    }
  open.values = initial
  core.world.changed()
}

export function pushView(core: Core, teamId: string, userId: string, view: View): OpenView {
  const stack = core.world.modals.get(userId) ?? []
  if (!stack.length) throw new Refusal('not_found')
  if (stack.length >= mostViews) throw new Refusal('push_limit_reached')
  const open = openView(core, teamId, userId, view, stack.at(-1) ?? null)
  core.world.modals.set(userId, [...stack, open])
  core.world.changed()
  return open
}

/** What each input says before anybody has touched it. */
function initialValues(view: Json & { blocks: Json[] }): OpenView['values'] {
  const values: OpenView['values'] = {}
  for (const block of view.blocks) {
    const elements =
      block.type === 'input'
        ? [block.element]
        : block.type === 'actions'
          ? (block.elements as Json[])
          : [block.accessory]
    for (const value of elements) {
      const element = value as Json | undefined
      const state = element && initialValue(element)
      const id = String(block.block_id)
      if (state) values[id] = { ...values[id], [String(element.action_id)]: state }
    }
  }
  return values
}

function initialValue(element: Json): Json | null {
  const type = String(element.type)
  if (type.endsWith('_input')) return { type, value: element.initial_value ?? null }
  if (type === 'checkboxes' || type.startsWith('multi_static') || type.startsWith('multi_external'))
    return { type, selected_options: element.initial_options ?? [] }
  if (['static_select', 'external_select', 'radio_buttons'].includes(type))
    return { type, selected_option: element.initial_option ?? null }
  if (type === 'users_select') return { type, selected_user: element.initial_user ?? null }
  if (type === 'multi_users_select') return { type, selected_users: element.initial_users ?? [] }
  if (type.endsWith('conversations_select') && !type.startsWith('multi'))
    return { type, selected_conversation: element.initial_conversation ?? null }
  if (type === 'channels_select') return { type, selected_channel: element.initial_channel ?? null }
  if (type === 'datepicker') return { type, selected_date: element.initial_date ?? null }
  if (type === 'timepicker') return { type, selected_time: element.initial_time ?? null }
  if (type === 'datetimepicker') return { type, selected_date_time: element.initial_date_time ?? null }
  return null
}

function allViews(core: Core): OpenView[] {
  return [...core.world.homes.values(), ...[...core.world.modals.values()].flat()]
}

function checkExternalId(core: Core, view: View, own: OpenView | null): void {
  const { external_id: id } = view
  if (id && allViews(core).some((open) => open !== own && open.view.external_id === id))
    throw new Refusal('duplicate_external_id')
}

function checkHash(open: OpenView, hash: unknown): void {
  if (hash !== undefined && hash !== open.hash) throw new Refusal('hash_conflict')
}

function open(call: Call, show: (userId: string, view: View) => OpenView): Json {
  const { core, args, team } = call
  if (args.trigger_id === undefined)
    throw invalidArguments('missing required field: trigger_id [json-pointer:/trigger_id]')
  const trigger = core.useTrigger(args.trigger_id, team.id)
  const view = parseView(args.view, 'modal')
  checkExternalId(core, view, null)
  trigger.used = true
  const opened = show(trigger.userId, view)
  core.world.changed()
  return { view: viewObject(core, opened) }
}

export const viewMethods: Methods = {
  'views.open': {
    token: 'bot',
    tier: 4,
    run: (call) =>
      open(call, (userId, view) => {
        const opened = openView(call.core, call.team.id, userId, view, null)
        call.core.world.modals.set(userId, [opened])
        return opened
      }),
  },
  'views.push': {
    token: 'bot',
    tier: 4,
    run: (call) => open(call, (userId, view) => pushView(call.core, call.team.id, userId, view)),
  },
  'views.update': {
    token: 'bot',
    tier: 4,
    run({ core, args, team }) {
      if (args.view_id === undefined && args.external_id === undefined)
        throw invalidArguments('missing required field: view_id [json-pointer:/view_id]')
      const found = allViews(core).find(
        (each) =>
          each.teamId === team.id &&
          (args.view_id === undefined ? each.view.external_id === args.external_id : each.id === args.view_id),
      )
      if (!found) throw new Refusal('not_found')
      checkHash(found, args.hash)
      const view = parseView(args.view, found.view.type as 'modal' | 'home')
      checkExternalId(core, view, found)
      replaceView(core, found, view)
      return { view: viewObject(core, found) }
    },
  },
  'views.publish': {
    token: 'bot',
    tier: 4,
    run({ core, args, team }) {
      const user = core.world.users.get(needString(args, 'user_id'))
      if (!user || user.teamId !== team.id) throw new Refusal('user_not_found')
      const view = parseView(args.view, 'home')
      const before = core.world.homes.get(user.id) ?? null
      if (before) checkHash(before, args.hash)
      checkExternalId(core, view, before)
      if (before) replaceView(core, before, view)
      const home = before ?? openView(core, team.id, user.id, view, null)
      core.world.homes.set(user.id, home)
      core.world.changed()
      return { view: viewObject(core, home) }
    },
  },
}
