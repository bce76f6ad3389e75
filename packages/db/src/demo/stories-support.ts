import { call, customers, depots, type StoryTeller } from './story.ts'

export const supportStories: StoryTeller[] = [
  {
    weight: 12,
    tell(random) {
      const customer = random.pick(customers)
      const ticket = random.int(48_200, 52_900)
      const tracking = `NW${random.int(100_000_000, 999_999_999)}`
      const depot = random.pick(depots)
      return {
        agent: 'beacon',
        place: 'support',
        title: `${customer}: parcel ${tracking}`,
        turns: [
          {
            ask: random.pick([
              `${customer} asks where ${tracking} is (ticket ${ticket}). What do we know?`,
              `ticket ${ticket}, ${customer}, third mail about the same parcel. Can you put together what happened?`,
              `Need the history for ${ticket} please, ${customer} is on the phone in ten minutes.`,
            ]),
            say: 'I look at the ticket and at the parcel.',
            steps: [
              [
                call(
                  'mcp:helpdesk:get_ticket',
                  { id: ticket },
                  `${customer}, open since ${random.int(2, 6)} days, 3 messages, last: "Our customer needs it by Friday."`,
                ),
                call(
                  'shipment.lookup',
                  { tracking_number: tracking },
                  `picked up Monday 16:20; sorted ${depot} Tuesday 02:11; no scan since; planned delivery was Wednesday`,
                ),
                call(
                  'email.search',
                  { query: tracking, limit: 10 },
                  `2 mails: <mark>${tracking}</mark> address correction (Tuesday), delivery window (Wednesday)`,
                ),
              ],
              [
                call(
                  'email.get',
                  { id: `m-${random.int(10_000, 99_999)}` },
                  'The street number is 14b, not 14. Please change it.',
                ),
                call(
                  'memory.search',
                  { query: `${depot} delays`, limit: 3 },
                  `1 note. "${depot}: address corrections after sorting need a relabel by hand" (fact)`,
                ),
              ],
            ],
            answer: `The parcel was sorted in ${depot} on Tuesday night and then set aside: the address was corrected after sorting, and ${depot} relabels such parcels by hand. It has not moved since. The customer was not told. I can draft a reply that says this without promising a day.`,
          },
          {
            ask: random.pick([
              'Yes, draft and send it.',
              'Please reply to them, and be friendly about the wait.',
              'send the reply',
            ]),
            steps: [
              [
                call(
                  'mcp:helpdesk:reply',
                  {
                    id: ticket,
                    text: `Hello, thank you for your patience. Your parcel ${tracking} is in our depot ${depot}. The corrected address reached us after sorting, so it is being relabelled by hand. We have asked for it to be done first and will write again when it leaves.`,
                  },
                  `Sent to ${customer}.`,
                ),
              ],
            ],
            answer: 'The reply is out. It names the depot and the reason and promises no day.',
          },
          {
            ask: 'Add a note for the depot team and remind me tomorrow.',
            steps: [
              [
                call(
                  'mcp:helpdesk:add_note',
                  { id: ticket, text: `Relabel ${tracking} first, please. Customer waits since Wednesday.` },
                  'Note added.',
                ),
                call(
                  'task.create',
                  { title: `Check ${tracking} (${customer})`, due: 'tomorrow 09:00', assignee: 'me' },
                  'Task t-7f3 created.',
                ),
              ],
            ],
            answer: 'The note is on the ticket, and you have a task for tomorrow at nine.',
          },
          {
            ask: 'Has it moved?',
            steps: [
              [
                call(
                  'shipment.lookup',
                  { tracking_number: tracking },
                  `relabelled ${depot} 06:40; out for delivery 08:05`,
                ),
              ],
            ],
            answer: `Yes: relabelled at 06:40 and out for delivery since 08:05.`,
          },
        ],
      }
    },
  },
  {
    weight: 8,
    tell(random) {
      const customer = random.pick(customers)
      const count = random.int(6, 38)
      return {
        agent: 'beacon',
        place: 'support',
        title: `Webhooks missing at ${customer}`,
        turns: [
          {
            ask: random.pick([
              `${customer} says our webhooks stopped. Are they the only one?`,
              `Is there a pattern behind the webhook complaints since this morning?`,
            ]),
            steps: [
              [
                call(
                  'mcp:helpdesk:search',
                  { query: 'webhook', status: 'open' },
                  `${count} tickets in 24 hours, ${random.int(3, 9)} customers; usual is ${random.int(1, 4)}`,
                ),
                call(
                  'email.search',
                  { query: 'webhook signature', limit: 20 },
                  `${random.int(4, 12)} mails, most say "signature does not match"`,
                ),
                call(
                  'memory.search',
                  { query: 'webhook signature', limit: 5 },
                  '1 note. "Signing keys are rolled on the 15th; old ones stay valid for 24 hours" (fact)',
                ),
              ],
            ],
            answer: `They are not the only one: ${count} open tickets since yesterday, and most say that the signature does not match. The signing keys were rolled, and the old ones were valid for 24 hours. These customers did not take over the new key. It is in their settings page.`,
          },
          {
            ask: 'Which customers? Make me a list.',
            steps: [
              [
                call(
                  'mcp:helpdesk:search',
                  { query: 'webhook signature', status: 'open' },
                  customers.slice(0, random.int(3, 6)).join('\n'),
                ),
              ],
            ],
            answer: `${customers.slice(0, 4).join(', ')} and ${count - 4} tickets from smaller accounts. I put the ticket numbers in the thread’s file.`,
          },
          {
            ask: `Answer ${customer} first, with the steps.`,
            steps: [
              [
                call(
                  'mcp:helpdesk:reply',
                  {
                    id: random.int(48_200, 52_900),
                    text: 'Hello, your webhook key changed on the 15th. Please copy the new one from Settings → Webhooks; events of the last 72 hours can be sent again from the same page.',
                  },
                  'Sent.',
                ),
              ],
            ],
            answer: `${customer} has the steps, and knows that events of the last 72 hours can be sent again.`,
          },
        ],
      }
    },
  },
  {
    weight: 5,
    tell(random) {
      const customer = random.pick(customers)
      return {
        agent: 'beacon',
        place: 'support',
        title: `Damaged goods: ${customer}`,
        turns: [
          {
            ask: `${customer} reports three broken parcels this week. Is that one depot?`,
            steps: [
              [
                call(
                  'mcp:helpdesk:search',
                  { query: `${customer} damaged`, status: 'all' },
                  `3 this week, 1 last month`,
                ),
                call(
                  'shipment.lookup',
                  { tracking_number: `NW${random.int(100_000_000, 999_999_999)}` },
                  `sorted ${depots[2]}, delivered damaged`,
                ),
                call(
                  'shipment.lookup',
                  { tracking_number: `NW${random.int(100_000_000, 999_999_999)}` },
                  `sorted ${depots[2]}, delivered damaged`,
                ),
                call(
                  'shipment.lookup',
                  { tracking_number: `NW${random.int(100_000_000, 999_999_999)}` },
                  `sorted ${depots[4]}, delivered damaged`,
                ),
              ],
            ],
            answer: `Two of three went through ${depots[2]}, one through ${depots[4]}. Too few to blame a depot. All three are flat boxes over 20 kg, which the packing guide advises against.`,
          },
          {
            ask: 'What does the packing guide say exactly?',
            steps: [
              [
                call(
                  'web.fetch',
                  { url: 'https://help.northwind.example/packing' },
                  'Flat boxes (height under 8 cm) up to 12 kg. Heavier goods need a double-walled box.',
                ),
              ],
            ],
            answer: 'Flat boxes, lower than 8 cm, only up to 12 kg; heavier goods need a double-walled box.',
          },
        ],
      }
    },
  },
  {
    weight: 4,
    tell(random) {
      const topic = random.pick([
        'customs rules for lithium batteries',
        'opening hours of depots over the holidays',
        'VAT numbers on return labels',
        'the new postal codes in Portugal',
      ])
      return {
        agent: 'scout',
        place: 'playground',
        title: `Research: ${topic}`,
        turns: [
          {
            ask: `What do we have to know about ${topic}? With sources, please.`,
            steps: [
              [
                call('web.search', { query: topic, count: 8 }, '8 results, 3 of them official'),
                call('memory.search', { query: topic, limit: 3 }, 'No notes.'),
              ],
              [
                call(
                  'web.research',
                  { action: 'read', url: 'https://customs.example/guide' },
                  '2,140 words. Updated in September.',
                ),
                call('web.fetch', { url: 'https://post.example/notices' }, 'Notice of 3 November, valid from January.'),
              ],
            ],
            answer: `Two things matter. The official guide was changed in September, and a notice of 3 November is valid from January. I could not find a source for what other forums claim about exceptions. Links are below each point.`,
          },
          {
            ask: 'Remember the January date for us.',
            steps: [
              [
                call(
                  'memory.add',
                  { text: `${topic}: new notice valid from January.`, type: 'fact', importance: 0.6 },
                  'Noted.',
                ),
              ],
            ],
            answer: 'Noted.',
          },
        ],
      }
    },
  },
]
