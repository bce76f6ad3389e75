import { useTestDatabase } from '@quartermaster/db/testing'
import type { InputRichBlock } from 'grammy/types'
import { type ChannelUnderTest, describeChannel } from './channel-contract.ts'
import { startTelegramParts } from './telegram-parts.ts'

const database = useTestDatabase()

const states: Record<string, string> = { '⏳': 'running', '⏸': 'waiting', '✅': 'done', '❌': 'failed' }

describeChannel('Telegram', async (): Promise<ChannelUnderTest> => {
  const { db } = database
  const { telegram, channel, ada, place, questionId, deny, stall, close } = await startTelegramParts(db)

  /** The last draft of each number, in the order in which they began: one a step. */
  function drafts(): InputRichBlock[][] {
    const last = new Map<number, InputRichBlock[]>()
    for (const { fields } of telegram.calls('sendRichMessageDraft')) {
      const draft = fields as unknown as { draft_id: number; rich_message: { blocks: InputRichBlock[] } }
      last.set(draft.draft_id, draft.rich_message.blocks)
    }
    return [...last.entries()].sort(([one], [other]) => one - other).map(([, blocks]) => blocks)
  }
  const isText = (block: InputRichBlock) => block.type === 'paragraph'

  return {
    db,
    channel,
    place,
    questionId,
    answer: deny,
    async seen() {
      const { messages } = telegram.chat(ada)
      return messages
        .filter(({ isBot }) => isBot)
        .map(({ text, fileName }) => [text, fileName].filter(Boolean).join('\n'))
    },
    shownText(step) {
      const texts = drafts().map((blocks) => blocks.filter(isText).map((block) => ('text' in block ? block.text : '')))
      return String(texts.filter((text) => text.length)[step - 1]?.join('') ?? '')
    },
    shownActivities() {
      const quotes = drafts().flatMap((blocks) =>
        blocks.flatMap((block) => (block.type === 'blockquote' ? block.blocks : [])),
      )
      const lines = quotes.map((block) => ('text' in block ? String(block.text) : ''))
      return Object.fromEntries(
        lines.map((line) => {
          const [, mark = '', title = ''] = /^(\S+) (.*?)(?: — .*)?$/u.exec(line) ?? []
          return [title, states[mark] ?? mark]
        }),
      )
    },
    stall,
    refuseNext(retryAfterMs) {
      const description =
        retryAfterMs === null ? 'Forbidden: bot was blocked by the user' : 'Too Many Requests: retry later'
      telegram.failNext({
        method: 'sendMessage',
        refuse:
          retryAfterMs === null
            ? { code: 403, description }
            : { code: 429, description, parameters: { retry_after: retryAfterMs / 1000 } },
      })
    },
    close,
  }
})
