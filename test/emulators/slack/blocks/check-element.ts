import type { Json } from '../model.ts'
import { anyText, checkConfirm, checkInitial, checkOptions, checkText } from './check-parts.ts'
import type { Problems } from './problems.ts'

/** Where an element stands decides which elements may stand there. */
export type Place = 'actions' | 'section' | 'input' | 'context' | 'context_actions' | 'card'

const selects = ['static', 'external', 'users', 'conversations', 'channels'].flatMap((source) => [
  `${source}_select`,
  `multi_${source}_select`,
])
const pickers = ['checkboxes', 'radio_buttons', 'datepicker', 'timepicker', ...selects]
const places: Record<Place, readonly string[]> = {
  actions: ['button', 'overflow', 'datetimepicker', 'workflow_button', 'rich_text_input', ...pickers],
  section: ['button', 'overflow', 'image', 'workflow_button', ...pickers],
  input: [
    'plain_text_input',
    'email_text_input',
    'url_text_input',
    'number_input',
    'rich_text_input',
    'file_input',
    'datetimepicker',
    ...pickers,
  ],
  context: ['image', 'plain_text', 'mrkdwn'],
  context_actions: ['feedback_buttons', 'icon_button'],
  card: ['button'],
}

/** Checks one element and answers its `action_id`, which must be its block's only one of that name. */
export function checkElement(problems: Problems, at: string, value: unknown, place: Place): string | null {
  const element = problems.object(at, value, true)
  if (!element) return null
  const type = String(element.type)
  if (!places[place].includes(type)) {
    problems.add(`${at}/type`, `unsupported type: ${type}`)
    return null
  }
  problems.string(`${at}/action_id`, element.action_id, { min: 1, max: 255 })
  checkConfirm(problems, `${at}/confirm`, element.confirm)
  if (element.placeholder !== undefined) checkText(problems, `${at}/placeholder`, element.placeholder, { max: 150 })
  checks[type]?.(problems, at, element)
  return typeof element.action_id === 'string' ? element.action_id : null
}

type Check = (problems: Problems, at: string, element: Json) => void

function checkButtonLook(problems: Problems, at: string, element: Json): void {
  checkText(problems, `${at}/text`, element.text, { max: 75, required: true })
  problems.string(`${at}/accessibility_label`, element.accessibility_label, { max: 75 })
  problems.string(`${at}/value`, element.value, { max: 2000 })
}

const checkButton: Check = (problems, at, element) => {
  checkButtonLook(problems, at, element)
  problems.oneOf(`${at}/style`, element.style, ['primary', 'danger'])
  const url = problems.string(`${at}/url`, element.url, { max: 3000 })
  if (url && !/^[a-z][a-z0-9+.-]*:/i.test(url)) problems.add(`${at}/url`, 'must be a valid url')
}

const checkSelect: Check = (problems, at, element) => {
  const groups = element.option_groups
  if (groups !== undefined && element.options !== undefined)
    problems.add(at, 'must define either `options` or `option_groups`')
  if (groups === undefined) checkOptions(problems, `${at}/options`, element.options, { max: 100 })
  const all = problems.list(`${at}/option_groups`, groups, { min: 1, max: 100, required: false })
  all.forEach((value, index) => {
    const group = problems.object(`${at}/option_groups/${index}`, value, true)
    if (!group) return
    checkText(problems, `${at}/option_groups/${index}/label`, group.label, { max: 75, required: true })
    checkOptions(problems, `${at}/option_groups/${index}/options`, group.options, { max: 100 })
  })
  const options = [...asList(element.options), ...asList(groups).flatMap((group) => asList((group as Json).options))]
  checkInitial(problems, `${at}/initial_option`, element.initial_option, options)
  asList(element.initial_options).forEach((initial, index) => {
    checkInitial(problems, `${at}/initial_options/${index}`, initial, options)
  })
  if (Array.isArray(element.initial_options))
    problems.list(`${at}/initial_options`, element.initial_options, { min: 1 })
  problems.number(`${at}/max_selected_items`, element.max_selected_items, 1, 100)
}

const checkBoxes: Check = (problems, at, element) => {
  checkOptions(problems, `${at}/options`, element.options, { max: 10, types: anyText })
  checkInitial(problems, `${at}/initial_option`, element.initial_option, asList(element.options))
  if (Array.isArray(element.initial_options))
    problems.list(`${at}/initial_options`, element.initial_options, { min: 1 })
  asList(element.initial_options).forEach((initial, index) => {
    checkInitial(problems, `${at}/initial_options/${index}`, initial, asList(element.options))
  })
}

const checkImage: Check = (problems, at, element) => {
  problems.string(`${at}/alt_text`, element.alt_text, { min: 1, max: 2000, required: true })
  if ((element.image_url === undefined) === (element.slack_file === undefined))
    problems.add(at, 'must define either `image_url` or `slack_file`')
  problems.string(`${at}/image_url`, element.image_url, { max: 3000 })
}

const checks: Record<string, Check> = {
  button: checkButton,
  workflow_button: checkButtonLook,
  static_select: checkSelect,
  multi_static_select: checkSelect,
  checkboxes: checkBoxes,
  radio_buttons: checkBoxes,
  image: checkImage,
  overflow: (problems, at, element) => checkOptions(problems, `${at}/options`, element.options, { max: 5 }),
  plain_text: (problems, at, element) => checkText(problems, at, element),
  mrkdwn: (problems, at, element) => checkText(problems, at, element, { types: anyText }),
  plain_text_input(problems, at, element) {
    problems.string(`${at}/initial_value`, element.initial_value, { max: Number(element.max_length ?? 3000) })
    problems.number(`${at}/min_length`, element.min_length, 0, 3000)
    problems.number(`${at}/max_length`, element.max_length, 1, 3000)
  },
  number_input(problems, at, element) {
    if (typeof element.is_decimal_allowed !== 'boolean')
      problems.add(`${at}/is_decimal_allowed`, 'missing required field: is_decimal_allowed')
    for (const key of ['initial_value', 'min_value', 'max_value'])
      if (element[key] !== undefined && (typeof element[key] !== 'string' || Number.isNaN(Number(element[key]))))
        problems.add(`${at}/${key}`, 'must be a string that is a number')
  },
  feedback_buttons(problems, at, element) {
    for (const key of ['positive_button', 'negative_button']) {
      const button = problems.object(`${at}/${key}`, element[key], true)
      if (!button) continue
      checkButtonLook(problems, `${at}/${key}`, button)
      problems.string(`${at}/${key}/value`, button.value, { min: 1, required: true })
    }
  },
  icon_button(problems, at, element) {
    checkButtonLook(problems, at, element)
    problems.oneOf(`${at}/icon`, element.icon, ['trash'], true)
  },
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
