// Each event in words: what was done, to what. Who did it stands before. A new action without a line here is shown by
// its own name, and the data is one click away in any case.
import type { ListedAuditEvent } from '@quartermaster/db'
import type { Names } from './read-names.ts'

type Event = Pick<ListedAuditEvent, 'actor' | 'action' | 'subject' | 'data'>

/** Who did it, for people. */
export function describeActor({ actor }: Pick<Event, 'actor'>, names: Names): string {
  if (actor.kind !== 'system') return names.get(actor.id) ?? actor.id
  const parts: Record<string, string> = {
    'sign-in': 'The sign-in',
    slack: 'Slack',
    telegram: 'Telegram',
    'another-workspace': 'Somebody of another workspace',
    'secrets-rotate': 'The key rotation',
  }
  return parts[actor.id] ?? `The system (${actor.id})`
}

export function describeEvent(event: Event, names: Names): string {
  const describe = descriptions[event.action]
  const words: Words = {
    subject: names.get(event.subject.id) ?? event.subject.id,
    isSelf: event.actor.id === event.subject.id,
    get: (key) => textOf(event.data[key], names),
    before: (key) => textOf((event.data[key] as { before?: unknown } | undefined)?.before, names),
    after: (key) => textOf((event.data[key] as { after?: unknown } | undefined)?.after, names),
    data: event.data,
  }
  if (describe) return describe(words)
  const policy = /^policy\.([a-z-]+)-(add|change|delete)$/.exec(event.action)
  if (policy) {
    const did = { add: 'added', change: 'changed', delete: 'removed' }[policy[2] as 'add' | 'change' | 'delete']
    return `${did} the ${policy[1] === 'settings' ? 'policy settings' : `${policy[1]} “${words.subject}”`}`
  }
  return `${event.action.replace('.', ': ').replaceAll('-', ' ')} · ${words.subject}`
}

interface Words {
  subject: string
  isSelf: boolean
  get(key: string): string
  before(key: string): string
  after(key: string): string
  data: Record<string, unknown>
}

function textOf(value: unknown, names: Names): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'string') return names.get(value) ?? value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const who = ({ isSelf, subject }: Words) => (isSelf ? 'themselves' : subject)
const verdicts: Record<string, string> = { approve: 'approved', deny: 'denied', answer: 'answered' }

const descriptions: Record<string, (words: Words) => string> = {
  'agent.create': ({ subject }) => `made the agent ${subject}`,
  'agent.publish': ({ subject, get, data }) =>
    `published version ${get(data.version === undefined ? 'number' : 'version')} of ${subject}`,
  'agent.roll-back': ({ subject }) => `rolled ${subject} back`,
  'agent.save-draft': ({ subject }) => `changed the draft of ${subject}`,
  'agent.discard-draft': ({ subject }) => `discarded the draft of ${subject}`,
  'agent.rename': ({ subject }) => `changed the name or description of ${subject}`,
  'agent.archive': ({ subject }) => `archived ${subject}`,
  'agent.restore': ({ subject }) => `restored ${subject}`,
  'api-key.create': ({ get }) => `made the API key “${get('name')}” (${get('prefix')}_…)`,
  'api-key.revoke': ({ get }) => `revoked the API key “${get('name')}” (${get('prefix')}_…)`,
  'binding.save': ({ get }) => `let ${get('agentId')} answer in ${get('place')}`,
  'binding.remove': ({ get }) => `unbound ${get('place')} from ${get('agentId')}`,
  'channel.create': ({ subject, get }) => `connected ${subject} (${get('kind')})`,
  'channel.install': ({ subject }) => `installed the app in ${subject}`,
  'channel.uninstall': ({ subject }) => `uninstalled the app from ${subject}`,
  'channel.change-admission': ({ subject }) => `changed who may talk in ${subject}`,
  'channel.set-default-agent': ({ subject, after }) => `let ${after('agentId')} answer by default in ${subject}`,
  'channel.send-test-message': ({ subject }) => `sent a test message to ${subject}`,
  'conversation.delete': ({ subject }) => `deleted the conversation ${subject}`,
  'demo.create': () => 'made the demo',
  'demo.replace': () => 'made the demo again',
  'file.edit': ({ subject }) => `edited the file ${subject}`,
  'file.delete': ({ subject }) => `deleted the file ${subject}`,
  'grant.add': ({ subject, get }) => `granted the scope ${get('scope')} to ${subject}`,
  'grant.revoke': ({ subject, get }) => `took the scope ${get('scope')} from ${subject}`,
  'invitation.create': ({ get }) => `invited ${get('email')} as ${get('role')}`,
  'invitation.renew': ({ get }) => `made a new link for the invitation of ${get('email')}`,
  'invitation.revoke': ({ get }) => `revoked the invitation of ${get('email')}`,
  'lease.grant': ({ get }) => `approved ${get('toolName')} for a thread, ${get('maxUses')} times at most`,
  'lease.revoke': ({ subject }) => `took back the approval of ${subject} for a thread`,
  'master-key.rotate': () => 'gave the secrets over to a new master key',
  'member.change-role': (words) => `made ${who(words)} ${words.after('role')} (was ${words.before('role')})`,
  'member.create-link-code': () => 'made a code to link another account',
  'member.disable': (words) => `disabled ${who(words)}`,
  'member.enable': (words) => `enabled ${who(words)}`,
  'member.join': ({ subject, isSelf, get }) =>
    isSelf ? `joined as ${get('role')}, by an invitation` : `let ${subject} join from ${get('kind')}`,
  'member.link-identity': ({ get }) => `linked an account of theirs on ${get('kind')}`,
  'member.unlink-identity': (words) => `unlinked an account of ${who(words)} on ${words.get('kind')}`,
  'member.rename': ({ get }) => `is called ${get('name')} now`,
  'member.set-password': ({ isSelf, subject }) => (isSelf ? 'set a new password' : `set a password for ${subject}`),
  'member.sign-in': ({ get }) => `signed in (${get('with')})`,
  'member.sign-in-refused': ({ subject, get }) => `refused ${subject} (${get('reason')})`,
  'member.sign-out': () => 'signed out',
  'policy.draft-edit': () => 'changed the draft of the policy',
  'policy.draft-discard': () => 'discarded the draft of the policy',
  'policy.draft-rebase': () => 'put the draft of the policy on what is live',
  'policy.publish': () => 'published the draft of the policy',
  'prices.change': () => 'changed the prices of models',
  'question.answer': ({ subject, get, data }) =>
    `${verdicts[String(data.verdict)] ?? `answered (${get('verdict')})`} ${subject}`,
  'question.edit': ({ subject }) => `edited the arguments of ${subject} before answering`,
  'question.escalate': ({ subject }) => `asked more people about ${subject}`,
  'question.expire': ({ subject }) => `let the question about ${subject} expire: nobody answered in time`,
  'question.withdraw': () => 'withdrew what was still asked',
  'run.stop': ({ subject }) => `stopped the run “${subject}”`,
  'run.fork': ({ subject }) => `forked the run “${subject}”`,
  'run.repeat': ({ subject }) => `ran “${subject}” again`,
  'rule.change': ({ subject }) => `changed the rule “${subject}”`,
  'scope.create': ({ subject }) => `made the secret scope ${subject}`,
  'scope.describe': ({ subject }) => `changed what is said of the secret scope ${subject}`,
  'scope.delete': ({ get }) => `deleted the secret scope ${get('name')}`,
  'secret.store': ({ get }) => `stored the secret ${get('name')}`,
  'secret.rotate': ({ get }) => `stored version ${get('version')} of the secret ${get('name')}`,
  'secret.expire': ({ get, data }) =>
    data.expiresAt === null
      ? `took the expiry off the secret ${get('name')}`
      : `let the secret ${get('name')} expire on ${String(data.expiresAt).slice(0, 10)}`,
  'secret.retire': ({ get }) => `retired the secret ${get('name')}`,
  'session.revoke': (words) => (words.isSelf ? 'signed out another browser of theirs' : `signed out ${words.subject}`),
  'settings.change': ({ data }) => `changed the settings (${Object.keys(data).join(', ')})`,
  'tool.attach': ({ subject, get }) => `attached ${get('toolId')} to ${subject}`,
  'tool.detach': ({ subject, get }) => `detached ${get('toolId')} from ${subject}`,
  'tool.switch-on': ({ subject }) => `switched the tool ${subject} on`,
  'tool.switch-off': ({ subject }) => `switched the tool ${subject} off`,
  'workspace.create': () => 'made the workspace',
  'workspace.rename': ({ before, after }) => `renamed the workspace from ${before('name')} to ${after('name')}`,
}
