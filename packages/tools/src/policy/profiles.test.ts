import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readOnlyWhenAutonomous } from './autonomy.ts'
import { checkPolicyConfig } from './check-policy-config.ts'
import { builtinGroups } from './groups.ts'
import { parsePattern } from './pattern.ts'
import { Policy } from './policy.ts'
import { builtinProfiles, notByDefault } from './profiles.ts'
import { outboundGroups, programRunners, webTools } from './taint.ts'

/** Every tool of the five systems, by the first profile that has it. */
const minimal = 'file.read file.list file.glob file.grep vfs.read vfs.list web.fetch system.info'.split(' ')
const messaging = [
  ...'web.search web_search web.research memory.read memory.write memory.search memory.add memory.forget'.split(' '),
  ...'ask_user task.create task.update task.list email.search email.get'.split(' '),
  ...'google.gmail google.sheets google.drive google.calendar google.docs'.split(' '),
]
const coding = [
  ...'file.write file.edit file.batch vfs.write shell.exec process.start process.status process.kill'.split(' '),
  ...'python.exec git.status git.diff git.commit browser.navigate browser.screenshot browser.click'.split(' '),
  ...'browser.type browser.content browser.eval'.split(' '),
]
const full = [
  ...'http.request api.setup minio.share minio.ingest minio.sync k8s.pods k8s.deployments k8s.logs'.split(' '),
  ...'media.send image.analyze audio.transcribe agent.spawn plan.task pipeline.run process.capture'.split(' '),
  ...'process.promote sessions.list sessions.delete tool.list tool.run tool.create mcp:github:search'.split(' '),
]
const all = [...minimal, ...messaging, ...coding, ...full]

test.each([
  ['minimal', minimal],
  ['messaging', [...minimal, ...messaging]],
  ['coding', [...minimal, ...messaging, ...coding]],
  ['full', all],
])('%s has exactly its tools', (profile, expected) => {
  const policy = new Policy({ profile })
  expect(all.filter((name) => policy.isAllowed(name, all, { attachments: all }))).toEqual(expected)
})

test('every pattern of the built-in profiles and groups can be read, and a group never names a group', () => {
  for (const { tools, reads = [] } of builtinProfiles.values())
    for (const text of [...tools, ...reads]) parsePattern(text)
  for (const text of notByDefault) parsePattern(text)
  for (const members of builtinGroups.values())
    for (const text of members) expect(['name', 'prefix']).toContain(parsePattern(text).kind)
})

test('every group that the code itself goes by is a built-in one, so that nobody’s own can be taken for it', () => {
  const named = [...notByDefault, ...outboundGroups, ...programRunners, ...webTools, ...readOnlyWhenAutonomous]
  for (const text of [
    ...named,
    ...[...builtinProfiles.values()].flatMap(({ tools, reads = [] }) => [...tools, ...reads]),
  ]) {
    const pattern = parsePattern(text)
    if (pattern.kind === 'group') expect([...builtinGroups.keys()]).toContain(pattern.group)
  }
})

test('the examples of docs/policy.md are policies', () => {
  const page = readFileSync(new URL('../../../../docs/policy.md', import.meta.url), 'utf8')
  const examples = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => JSON.parse(text!))
  expect(examples).toHaveLength(3)
  expect(checkPolicyConfig(examples[0])).toEqual([])
  expect(checkPolicyConfig(examples[1])).toEqual([])
  expect(checkPolicyConfig({ profile: 'full', rules: [examples[2]] })).toEqual([])
  for (const group of builtinGroups.keys()) expect(page).toContain(`\`${group}\``)
})
