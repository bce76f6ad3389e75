import type { Random } from './random.ts'
import { call, type StoryTeller, services } from './story.ts'

const pod = (random: Random, service: string) => `${service}-${random.hex(9)}-${random.hex(5)}`

const podTable = (random: Random, service: string, bad: string | null) =>
  Array.from({ length: 4 }, (_, index) => {
    const state =
      bad && index === 1 ? `0/1  ${bad.padEnd(18)} ${random.int(4, 19)}` : `1/1  Running            ${random.int(0, 1)}`
    return `${pod(random, service)}  ${state}  ${random.int(2, 30)}h`
  }).join('\n')

export const engineeringStories: StoryTeller[] = [
  {
    weight: 9,
    tell(random) {
      const service = random.pick(services)
      const limit = random.pick([256, 384, 512])
      const name = pod(random, service)
      return {
        agent: 'harbor',
        place: random.pick(['oncall', 'oncall', 'phone']),
        title: `${service} restarts again and again`,
        turns: [
          {
            ask: random.pick([
              `${service} is paging: pods restarting. Can you have a look?`,
              `why is ${service} restarting in production?`,
              `Something is off with ${service}, three restarts in ten minutes. What do the logs say?`,
            ]),
            say: 'I look at the pods and the last deployments first.',
            steps: [
              [
                call(
                  'k8s.pods',
                  { namespace: 'production', selector: `app=${service}` },
                  podTable(random, service, 'CrashLoopBackOff'),
                ),
                call(
                  'k8s.deployments',
                  { namespace: 'production' },
                  `${service}  3/4 ready  image ${service}:2026.11.${random.int(2, 17)}  updated ${random.int(20, 90)} minutes ago`,
                ),
                call(
                  'memory.search',
                  { query: `${service} restarts`, limit: 5 },
                  `2 notes. "${service}: memory grows with the number of open label batches" (decision, 14 October)`,
                ),
              ],
              [
                call(
                  'k8s.logs',
                  { namespace: 'production', pod: name, since: '15m', tail: 200 },
                  `[warn] batch of ${random.int(900, 4200)} labels queued\n[warn] heap at ${random.int(88, 97)} % of ${limit} MiB\n[fatal] out of memory: allocation of 33554432 bytes failed`,
                ),
                call(
                  'mcp:metrics:query',
                  { expression: `container_memory_working_set_bytes{app="${service}"}`, range: '6h' },
                  `rises from ${limit - 140} MiB to ${limit - 4} MiB between restarts, every ${random.int(7, 14)} minutes`,
                ),
              ],
            ],
            answer: `One of four pods of ${service} is killed for memory: it reaches ${limit} MiB, the limit, and starts over. The other three are fine, so customers see slow answers rather than errors. It began after the last deployment. I would raise the limit for now and look at the batch size after that. Shall I restart the bad pod to buy time?`,
          },
          {
            ask: random.pick(['Yes, restart it please.', 'go ahead with the restart', 'Do it. One by one, please.']),
            steps: [
              [
                call(
                  'rollout.restart',
                  { namespace: 'production', deployment: service },
                  `deployment.apps/${service} restarted; 4 of 4 pods ready after ${random.int(38, 140)} s`,
                ),
              ],
            ],
            answer: `Done: all four pods of ${service} are ready again. Memory starts at ${limit - 170} MiB. I will not watch it on my own; ask me in half an hour.`,
          },
          {
            ask: random.pick(['How does it look now?', 'still stable?', 'And now?']),
            steps: [
              [
                call(
                  'k8s.pods',
                  { namespace: 'production', selector: `app=${service}` },
                  podTable(random, service, null),
                ),
                call(
                  'mcp:metrics:query',
                  { expression: `rate(http_requests_errors{app="${service}"}[5m])`, range: '1h' },
                  `0.00${random.int(1, 9)} per second, as before the incident`,
                ),
              ],
            ],
            answer: `Stable: four pods running, no restart since, error rate back to normal. Memory is at ${limit - random.int(60, 120)} MiB and rising slowly, so the cause is still there.`,
          },
          {
            ask: 'Please note what we found so that we have it for the review.',
            steps: [
              [
                call(
                  'memory.add',
                  {
                    text: `${service}: killed for memory at ${limit} MiB after the deployment; large label batches are the likely cause. Restart helped for now.`,
                    type: 'fact',
                    importance: 0.8,
                  },
                  'Noted.',
                ),
              ],
            ],
            answer: 'Noted, with the numbers and the time of the restart.',
          },
        ],
      }
    },
  },
  {
    weight: 6,
    tell(random) {
      const service = random.pick(services)
      const build = `2026.11.${random.int(3, 18)}`
      return {
        agent: 'harbor',
        place: 'deploys',
        title: `Is ${service} ${build} healthy?`,
        turns: [
          {
            ask: random.pick([
              `${service} ${build} is out. Healthy?`,
              `Deployed ${service} ${build} ten minutes ago, can you compare error rates?`,
            ]),
            steps: [
              [
                call(
                  'k8s.deployments',
                  { namespace: 'production' },
                  `${service}  4/4 ready  image ${service}:${build}`,
                ),
                call(
                  'mcp:metrics:query',
                  { expression: `histogram_quantile(0.95, ${service}_latency)`, range: '2h' },
                  `p95 ${random.int(110, 190)} ms before, ${random.int(115, 210)} ms after`,
                ),
                call(
                  'mcp:metrics:query',
                  { expression: `rate(${service}_errors[5m])`, range: '2h' },
                  `0.2 % before, 0.${random.int(1, 3)} % after`,
                ),
                call(
                  'k8s.logs',
                  { namespace: 'production', pod: pod(random, service), since: '10m', tail: 100 },
                  '[info] listening\n[info] ready\n[warn] deprecated header x-depot, 3 times',
                ),
              ],
            ],
            answer: `It looks healthy. Four of four pods are ready, errors and p95 latency are where they were. One new warning: a client still sends the deprecated header x-depot.`,
          },
          {
            ask: 'Who sends that header?',
            steps: [
              [
                call(
                  'k8s.logs',
                  { namespace: 'production', pod: pod(random, service), since: '30m', tail: 500 },
                  'x-depot from depot-sync (user agent depot-sync/4.1)',
                ),
                call(
                  'memory.search',
                  { query: 'x-depot header', limit: 3 },
                  '1 note. "x-depot goes away with rates v3" (decision, 2 October)',
                ),
              ],
            ],
            answer:
              'Our own depot-sync 4.1. The note from 2 October says the header goes away with rates v3, so depot-sync has to be updated before that.',
          },
          {
            ask: 'Check the health page from outside too.',
            steps: [
              [
                call(
                  'http.request',
                  { method: 'GET', url: `https://status.northwind.example/${service}` },
                  '200 {"status":"ok"}',
                ),
              ],
            ],
            answer: 'From outside it answers 200 and says ok.',
          },
        ],
      }
    },
  },
  {
    weight: 5,
    tell(random) {
      const service = random.pick(services)
      return {
        agent: 'harbor',
        place: random.pick(['oncall', 'phone']),
        title: `Page: ${service} queue is growing`,
        turns: [
          {
            ask: `Got paged for ${service}, queue depth. Acknowledge it and tell me how bad it is.`,
            steps: [
              [
                call(
                  'pager.acknowledge',
                  { incident: `INC-${random.int(2100, 2900)}`, note: 'Looking at it.' },
                  'Acknowledged.',
                ),
                call(
                  'mcp:metrics:query',
                  { expression: `queue_depth{app="${service}"}`, range: '3h' },
                  `${random.int(300, 800)} → ${random.int(9_000, 31_000)} since ${random.int(1, 9)}:${random.int(10, 59)}`,
                ),
                call(
                  'k8s.pods',
                  { namespace: 'production', selector: `app=${service}` },
                  podTable(random, service, null),
                ),
              ],
              [
                call(
                  'k8s.logs',
                  { namespace: 'production', pod: pod(random, service), since: '20m', tail: 300 },
                  '[error] upstream timed out after 10 s: carrier gateway\n[info] retry 4 of 8',
                ),
              ],
            ],
            answer: `Acknowledged. The queue of ${service} grows because the carrier gateway answers slowly: every job waits ten seconds and is tried again. Our pods are fine. Nothing is lost, labels come late. I would pause retries to the one carrier rather than add pods.`,
          },
          {
            ask: 'Pause the retries then.',
            steps: [
              [
                call(
                  'http.request',
                  {
                    method: 'POST',
                    url: `https://admin.northwind.example/${service}/carriers/nordlink/pause`,
                    body: '{"minutes": 30}',
                  },
                  '202 {"paused":"nordlink","until":"in 30 minutes"}',
                ),
              ],
            ],
            answer: 'Retries to that carrier are paused for 30 minutes. The queue already drains for the others.',
          },
        ],
      }
    },
  },
  {
    weight: 9,
    tell(random) {
      const service = random.pick(services)
      const file = random.pick([
        'src/address.ts',
        'src/rates/round.ts',
        'src/batch.ts',
        'src/http/retry.ts',
        'src/time-window.ts',
      ])
      const issue = random.int(1180, 1460)
      return {
        agent: 'forge',
        place: 'engineering',
        title: `Fix #${issue} in ${service}`,
        turns: [
          {
            ask: random.pick([
              `Can you take #${issue} in ${service}? Looks like a small one.`,
              `#${issue}: the failing test in ${service} is flaky only on Mondays. Please find out why.`,
            ]),
            say: 'I read the issue and the code around it.',
            steps: [
              [
                call(
                  'mcp:github:search',
                  { query: `repo:northwind/${service} #${issue}` },
                  `#${issue} "Wrong day at the turn of the week" opened by henrik, 4 comments`,
                ),
                call(
                  'file.grep',
                  { pattern: 'getDay\\(\\)', glob: 'src/**/*.ts', output_mode: 'content' },
                  `${file}:41: const day = date.getDay()\n${file}:58: if (date.getDay() === 0)`,
                ),
                call(
                  'file.read',
                  { path: file, offset: 30, limit: 40 },
                  '  // Sunday is 0 here and 7 in the carrier’s table\n  const day = date.getDay()\n  return table[day] ?? table[0]',
                ),
              ],
              [
                call(
                  'file.edit',
                  { path: file, old_string: 'const day = date.getDay()', new_string: 'const day = date.getDay() || 7' },
                  `1 replacement in ${file}`,
                ),
                call(
                  'shell.exec',
                  {
                    command: `npm test -w ${service} -- ${file.replace('src/', '').replace('.ts', '')}`,
                    timeout_ms: 120_000,
                  },
                  `${random.int(12, 48)} passed, 0 failed`,
                ),
                call('git.diff', { staged: false }, `-  const day = date.getDay()\n+  const day = date.getDay() || 7`),
              ],
            ],
            answer: `The carrier’s table counts Sunday as 7 and the code looks it up as 0, so Sundays got Monday’s cut-off. I changed one line in ${file}; the tests of the package pass. Shall I commit it and open a pull request?`,
          },
          {
            ask: random.pick([
              'Yes please.',
              'yes, open the PR',
              'Go ahead, and mention the carrier table in the description.',
            ]),
            steps: [
              [
                call(
                  'git.commit',
                  { message: `${service}: count Sunday as the carriers do`, files: [file] },
                  `[fix-${issue} ${random.hex(7)}] 1 file changed, 1 insertion(+), 1 deletion(-)`,
                ),
              ],
              [
                call(
                  'mcp:github:create_pull_request',
                  {
                    repo: `northwind/${service}`,
                    title: `Count Sunday as the carriers do (#${issue})`,
                    body: 'The carriers count Sunday as 7.',
                    branch: `fix-${issue}`,
                  },
                  `https://github.example/northwind/${service}/pull/${issue + random.int(3, 40)}`,
                ),
              ],
            ],
            answer: `The pull request is open, with the reason and the test in its description. The checks are running.`,
          },
          {
            ask: 'Did the checks pass?',
            steps: [
              [
                call(
                  'mcp:github:get_pull_request',
                  { repo: `northwind/${service}`, number: issue + 12 },
                  'checks: lint ok, types ok, unit ok, e2e ok; reviews: 1 approved',
                ),
                call('git.status', {}, 'nothing to commit, working tree clean'),
              ],
            ],
            answer: 'All four checks passed and one review approves it. It can be merged by a person.',
          },
        ],
      }
    },
  },
  {
    weight: 7,
    tell(random) {
      const service = random.pick(services)
      const number = random.int(1200, 1520)
      return {
        agent: 'forge',
        place: 'reviews',
        title: `Review ${service} pull request ${number}`,
        turns: [
          {
            ask: random.pick([
              `Could you review ${service}#${number} before I do?`,
              `second pair of eyes on ${service}#${number} please, especially the retry part`,
            ]),
            steps: [
              [
                call(
                  'mcp:github:get_pull_request',
                  { repo: `northwind/${service}`, number },
                  `"Retry label uploads" +${random.int(60, 240)} −${random.int(8, 60)}, 6 files, checks ok`,
                ),
                call(
                  'file.read',
                  { path: 'src/http/retry.ts' },
                  'export async function retry(work, times = 5) {\n  for (let i = 0; i < times; i++) {\n    try { return await work() } catch {}\n  }\n}',
                ),
                call(
                  'file.grep',
                  { pattern: 'retry\\(', glob: 'src/**/*.ts', output_mode: 'content' },
                  'src/upload.ts:18: await retry(() => put(label))\nsrc/notify.ts:9: await retry(() => post(hook))',
                ),
                call(
                  'shell.exec',
                  { command: `npm test -w ${service}`, timeout_ms: 180_000 },
                  `${random.int(90, 240)} passed, 0 failed`,
                ),
              ],
            ],
            answer:
              'Three remarks. 1. retry() swallows the last error and returns undefined, so an upload that failed five times looks like a success. 2. There is no pause between attempts. 3. notify.ts posts to customers’ webhooks: without an idempotency key they get it twice. The rest reads well and the tests pass.',
          },
          {
            ask: 'Good catch. Put that on the PR, please.',
            steps: [
              [
                call(
                  'mcp:github:comment',
                  {
                    repo: `northwind/${service}`,
                    number,
                    text: 'retry() swallows the last error: an upload that failed five times looks like a success.',
                  },
                  'Commented.',
                ),
                call(
                  'mcp:github:comment',
                  {
                    repo: `northwind/${service}`,
                    number,
                    text: 'Webhooks need an idempotency key before they may be retried.',
                  },
                  'Commented.',
                ),
              ],
            ],
            answer: 'Both remarks are on the pull request, at the lines they are about.',
          },
        ],
      }
    },
  },
  {
    weight: 3,
    tell(random) {
      const service = random.pick(services)
      return {
        agent: 'forge',
        place: 'engineering',
        title: `Clean up branches of ${service}`,
        turns: [
          {
            ask: `Rebase feature/rates-v3 of ${service} on main and push it.`,
            steps: [
              [
                call('git.status', {}, 'On branch feature/rates-v3, 14 behind, 6 ahead'),
                call('git.diff', { staged: false }, ''),
              ],
              [call('shell.exec', { command: 'git rebase main && git push --force origin feature/rates-v3' }, '')],
            ],
            answer:
              'The branch can be rebased without conflicts, but pushing it needs a force-push, and the rule “Never force-push” refuses that. Somebody with their own hands has to push, or we merge main into the branch instead.',
          },
          {
            ask: 'Then merge main into it.',
            steps: [
              [
                call(
                  'shell.exec',
                  { command: 'git merge --no-edit main' },
                  'Merge made by the ort strategy. 31 files changed',
                ),
                call('shell.exec', { command: `npm test -w ${service}` }, `${random.int(80, 210)} passed, 0 failed`),
              ],
            ],
            answer: 'Merged, and the tests pass. It is committed on the branch and not pushed.',
          },
        ],
      }
    },
  },
]
