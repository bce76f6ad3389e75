import { call, customers, depots, type StoryTeller } from './story.ts'

export const officeStories: StoryTeller[] = [
  {
    weight: 8,
    tell(random) {
      const depot = random.pick(depots)
      const week = random.int(43, 47)
      return {
        agent: 'ledger',
        place: 'numbers',
        title: `Parcels of ${depot} in week ${week}`,
        turns: [
          {
            ask: random.pick([
              `How many parcels did ${depot} handle in week ${week}, and how many were late?`,
              `${depot}, week ${week}: volume and late share, please.`,
            ]),
            steps: [
              [
                call('warehouse.schema', { table: 'scans' }, 'scans(parcel_id, depot, kind, at)'),
                call(
                  'memory.search',
                  { query: 'definition late', limit: 2 },
                  '"Late: delivered after the promised day" (decision)',
                ),
              ],
              [
                call(
                  'warehouse.query',
                  {
                    sql: `SELECT count(*), count(*) FILTER (WHERE late) FROM deliveries WHERE depot = '${depot}' AND week = ${week}`,
                  },
                  `${random.int(38_000, 61_000)} | ${random.int(900, 2600)}`,
                ),
                call(
                  'warehouse.query',
                  {
                    sql: `SELECT day, count(*) FROM deliveries WHERE depot = '${depot}' AND week = ${week} GROUP BY day`,
                  },
                  'Mon 8,911 Tue 9,204 Wed 9,020 Thu 8,877 Fri 10,410 Sat 2,118',
                ),
              ],
            ],
            answer: `${depot} delivered about ${random.int(38, 61)},000 parcels in week ${week}; ${random.int(2, 5)}.${random.int(0, 9)} % were late, that is after the promised day. From warehouse.deliveries, as of this morning.`,
          },
          {
            ask: 'Compare with the week before and make a chart.',
            steps: [
              [
                call(
                  'warehouse.query',
                  {
                    sql: `SELECT week, late_share FROM depot_weeks WHERE depot = '${depot}' ORDER BY week DESC LIMIT 8`,
                  },
                  '8 rows',
                ),
                call(
                  'python.exec',
                  { code: 'import json\nrows = json.loads(data)\nprint(chart(rows))' },
                  'chart.svg, 8 points',
                ),
              ],
              [
                call(
                  'vfs.write',
                  { path: `/reports/${depot.toLowerCase()}-week-${week}.svg`, content: '<svg …>' },
                  'Written, 14 KB.',
                ),
                call(
                  'media.send',
                  { path: `/reports/${depot.toLowerCase()}-week-${week}.svg`, caption: 'Late share, last eight weeks' },
                  'Sent.',
                ),
              ],
            ],
            answer:
              'Here is the chart: the late share is a little lower than the week before and lower than the average of eight weeks.',
          },
          {
            ask: 'Put the numbers into the depot sheet.',
            steps: [
              [
                call(
                  'google.sheets',
                  {
                    action: 'append',
                    spreadsheet: 'Depots 2026',
                    range: `${depot}!A:D`,
                    values: [[week, 'see report']],
                  },
                  'Appended 1 row.',
                ),
              ],
            ],
            answer: 'The row is in “Depots 2026”.',
          },
        ],
      }
    },
  },
  {
    weight: 4,
    tell(random) {
      const customer = random.pick(customers)
      return {
        agent: 'ledger',
        place: 'numbers',
        title: `Invoice question of ${customer}`,
        turns: [
          {
            ask: `${customer} says we billed them twice in October. True?`,
            steps: [
              [
                call(
                  'warehouse.query',
                  {
                    sql: `SELECT id, amount, created_at FROM invoices WHERE customer = '${customer}' AND month = '2026-10'`,
                  },
                  `2 rows: ${random.int(700, 4200)}.40 on 1 November, ${random.int(700, 4200)}.40 on 3 November`,
                ),
                call(
                  'warehouse.query',
                  {
                    sql: `SELECT invoice_id, count(*) FROM invoice_lines WHERE customer = '${customer}' GROUP BY invoice_id`,
                  },
                  '412 lines and 37 lines, none in common',
                ),
              ],
            ],
            answer:
              'No: there are two invoices for October, but no line is in both. The second one holds 37 parcels that were scanned after the first was made.',
          },
          {
            ask: 'Thanks. Which 37?',
            steps: [
              [
                call(
                  'warehouse.query',
                  {
                    sql: `SELECT parcel_id FROM invoice_lines WHERE customer = '${customer}' AND invoice_no = 2`,
                    limit: 50,
                  },
                  '37 rows',
                ),
                call('vfs.write', { path: '/invoice-lines.csv', content: 'parcel_id\n…' }, 'Written, 1 KB.'),
              ],
            ],
            answer: 'They are in /invoice-lines.csv of this thread.',
          },
        ],
      }
    },
  },
  {
    weight: 7,
    tell(random) {
      const day = random.pick(['Tuesday', 'Wednesday', 'Thursday'])
      const topic = random.pick([
        'rates v3',
        'the holiday freeze',
        'depot onboarding',
        'the support backlog',
        'the label printer pilot',
      ])
      return {
        agent: 'quill',
        place: 'general',
        title: `Meeting about ${topic}`,
        turns: [
          {
            ask: `Find half an hour on ${day} for Jonas, Aiko and me about ${topic}.`,
            steps: [
              [
                call(
                  'google.calendar',
                  { action: 'list', start: `${day} 08:00`, end: `${day} 18:00` },
                  'free for all three: 10:30–11:15, 15:00–16:00',
                ),
                call('memory.read', { namespace: 'project-state', key: topic }, 'Open: dates and owner.'),
              ],
              [
                call(
                  'google.calendar',
                  {
                    action: 'create',
                    title: topic,
                    start: `${day} 10:30`,
                    end: `${day} 11:00`,
                    attendees: ['jonas', 'aiko', 'me'],
                  },
                  'Created.',
                ),
              ],
            ],
            answer: `${day} 10:30 to 11:00; all three of you are free, and the invitation is out. Open points from last time: dates and owner.`,
          },
          {
            ask: random.pick([
              'Write the minutes: we agreed on the 2nd, Jonas owns it, Aiko tells customers.',
              'Minutes please: start on the 2nd, Jonas is the owner, Aiko informs customers.',
            ]),
            steps: [
              [
                call(
                  'google.docs',
                  {
                    action: 'create',
                    title: `Minutes: ${topic}`,
                    content: 'Start on the 2nd. Owner: Jonas. Aiko informs customers.',
                  },
                  'Created in Team/Minutes.',
                ),
                call(
                  'task.create',
                  { title: `Tell customers about ${topic}`, assignee: 'Aiko Brandt', due: 'the 1st' },
                  'Task t-91c created.',
                ),
                call(
                  'memory.write',
                  { namespace: 'project-state', key: topic, value: 'Starts on the 2nd, owner Jonas.' },
                  'Noted.',
                ),
              ],
            ],
            answer: 'The minutes are in Team/Minutes, and Aiko has a task until the 1st.',
          },
          {
            ask: 'What is still open this week?',
            steps: [
              [
                call(
                  'task.list',
                  { filter: 'due this week' },
                  `${random.int(3, 9)} tasks, ${random.int(0, 2)} overdue`,
                ),
                call('system.info', {}, 'Quartermaster, today'),
              ],
            ],
            answer: `${random.int(3, 9)} tasks are due this week, the oldest is the depot checklist. Shall I remind people tomorrow morning?`,
          },
        ],
      }
    },
  },
  {
    weight: 3,
    tell(random) {
      const choice = random.pick(['Rostock', 'Gent', 'Porto'])
      return {
        agent: 'quill',
        place: 'general',
        title: 'Where the team days take place',
        turns: [
          {
            ask: 'Collect where people want to go for the team days, and write it down.',
            steps: [
              [
                call(
                  'ask_user',
                  { question: 'Where should the team days be?', options: ['Rostock', 'Gent', 'Porto'] },
                  choice,
                ),
              ],
              [
                call('memory.write', { namespace: 'decisions', key: 'team days', value: choice }, 'Noted.'),
                call('task.create', { title: `Ask for rooms in ${choice}`, due: 'next Monday' }, 'Task t-2b7 created.'),
              ],
            ],
            answer: `${choice} it is. I noted it and made a task for the rooms.`,
          },
        ],
      }
    },
  },
]
