import type { KnownBlock, PlainTextOption } from '@slack/types'
import type { CommandReply } from '../../../chat/chat-services.ts'

/** A menu's action is named after the command that a choice in it means. */
export const chooseAction = 'qm_choose:'

const longest = 11_900
const optionsAtMost = 100
const optionText = 75

/** What a command answered, for the person who gave it. */
export function renderReply({ markdown, choices }: CommandReply): { text: string; blocks: KnownBlock[] } {
  const text = markdown.length > longest ? `${markdown.slice(0, longest - 1)}…` : markdown
  const blocks: KnownBlock[] = [{ type: 'markdown', text: text || '…' }]
  const options = choices?.options.filter((one) => one.value.length <= optionText).slice(0, optionsAtMost) ?? []
  if (choices && options.length) {
    const rendered = options.map(({ label, value }): PlainTextOption => ({ text: plain(label), value }))
    const chosen = rendered[options.findIndex((one) => one.chosen)]
    blocks.push({
      type: 'actions',
      elements: [
        {
          type: 'static_select',
          action_id: `${chooseAction}${choices.command}`,
          placeholder: plain('Choose…'),
          options: rendered,
          ...(chosen ? { initial_option: chosen } : {}),
        },
      ],
    })
  }
  return { text, blocks }
}

const plain = (text: string) => ({
  type: 'plain_text' as const,
  text: (text.length > optionText ? `${text.slice(0, optionText - 1)}…` : text) || '…',
})
