import type { Block, Json } from './model.ts'

/** Something in blocks that a person can use, with the block it stands in. */
export interface Control {
  block: Block
  element: Json
  /** What is written on it or over it. */
  label: string
  /** Which half of a pair of feedback buttons it is. */
  half?: 'positive_button' | 'negative_button'
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : String((value as Json | undefined)?.text ?? '')
}

/** Everything that can be clicked, chosen or filled in, in the order in which it is seen. */
export function findControls(blocks: readonly Block[]): Control[] {
  return blocks.flatMap((block): Control[] => {
    if (block.type === 'input') return [{ block, element: block.element as Json, label: textOf(block.label) }]
    if (block.type === 'container') return findControls((block.child_blocks as Block[]) ?? [])
    if (block.type === 'carousel') return findControls((block.elements as Block[]) ?? [])
    const elements =
      block.type === 'section' && block.accessory
        ? [block.accessory as Json]
        : ['actions', 'context_actions'].includes(block.type)
          ? (block.elements as Json[])
          : block.type === 'card'
            ? ((block.actions as Json[] | undefined) ?? [])
            : []
    return elements.filter(({ type }) => type !== 'image').flatMap((element) => controlsOf(block, element))
  })
}

function controlsOf(block: Block, element: Json): Control[] {
  if (element.type !== 'feedback_buttons')
    return [{ block, element, label: textOf(element.text) || textOf(element.placeholder) || textOf(block.text) }]
  return (['positive_button', 'negative_button'] as const).map((half) => ({
    block,
    element,
    half,
    label: textOf((element[half] as Json).text),
  }))
}

/** The one that a person means by what is written on it, or a test by its ids. */
export function findControl(blocks: readonly Block[], which: string): Control {
  const controls = findControls(blocks)
  const found =
    controls.find(({ label }) => label === which) ??
    controls.find(({ element }) => element.action_id === which) ??
    controls.find(({ block }) => block.block_id === which) ??
    controls.find(({ label }) => label.toLowerCase().startsWith(which.toLowerCase()))
  if (found) return found
  const there = controls.map(({ label, element }) => `"${label}" (${element.action_id})`).join(', ')
  throw new Error(`There is no "${which}" here; there is ${there || 'nothing to use'}.`)
}

/** All options of a menu, those of groups too. */
export function optionsOf(element: Json): Json[] {
  const groups = (element.option_groups as { options: Json[] }[] | undefined) ?? []
  return [...((element.options as Json[] | undefined) ?? []), ...groups.flatMap(({ options }) => options)]
}
