// A browser without a mouse: what a test clicks, checks, fills and chooses is reached with Tab and the arrows and done with
// the keys that a person has for it. What cannot be reached so fails the test that wanted it.
import type { Locator, Page } from 'playwright-core'

/** More stops than any page has; then it was not on the way. */
const mostStops = 250

type Where = 'here' | 'group' | 'elsewhere'

/** Whether the focus is on it, or in a group (radios, a menu, a list of options) that arrows move in. */
function whereIsFocus(element: Element): Where {
  const control = element.closest('a[href], button, summary, input, select, textarea, [tabindex], [contenteditable]')
  const focused = document.activeElement
  if (!control || !focused) return 'elsewhere'
  if (focused === control) return 'here'
  const isRadio = (each: Element): each is HTMLInputElement => each instanceof HTMLInputElement && each.type === 'radio'
  if (isRadio(control) && isRadio(focused) && control.name === focused.name && control.form === focused.form)
    return 'group'
  const menu = control.closest('[role=menu], [role=listbox], [role=tablist], [role=radiogroup]')
  if (menu && (menu === focused || menu.contains(focused))) return 'group'
  return 'elsewhere'
}

async function reach(locator: Locator): Promise<void> {
  await locator.waitFor({ state: 'attached' })
  const { keyboard } = locator.page()
  const where = () => locator.evaluate(whereIsFocus)
  for (let stop = 0; stop < mostStops; stop++) {
    const now = await where()
    if (now === 'here') return
    if (now === 'elsewhere') {
      await keyboard.press('Tab')
      continue
    }
    await keyboard.press('ArrowDown')
  }
  const focused = await locator.page().evaluate(() => document.activeElement?.outerHTML.slice(0, 120))
  throw new Error(`${locator} is not reached by keyboard; the focus ended on ${focused}`)
}

/** What a click would do: Enter, and Space for what is on or off. */
async function press(locator: Locator): Promise<void> {
  await reach(locator)
  const isChosen = await locator.evaluate(
    (element) => element instanceof HTMLInputElement && ['checkbox', 'radio'].includes(element.type),
  )
  await locator.page().keyboard.press(isChosen ? 'Space' : 'Enter')
}

async function write(locator: Locator, text: string): Promise<void> {
  await reach(locator)
  const { keyboard } = locator.page()
  const type = await locator.evaluate((element) => (element instanceof HTMLInputElement ? element.type : ''))
  if (type === 'date') {
    const [year = '', month = '', day = ''] = text.split('-')
    await keyboard.type(`${month}${day}${year}`)
    return
  }
  await keyboard.press('ControlOrMeta+a')
  if (text) await keyboard.insertText(text)
  else await keyboard.press('Delete')
}

/** By the first letters of its label, as a person does; a select takes what is typed within a second. */
async function choose(
  locator: Locator,
  wanted: string | { label?: string; value?: string; index?: number },
): Promise<void> {
  await reach(locator)
  const given = typeof wanted === 'string' ? { value: wanted } : wanted
  const label = await locator.evaluate((element, { value, label: text, index }) => {
    const options = [...(element as HTMLSelectElement).options]
    const found = options.find(
      (option, at) => at === index || option.label === text || option.value === value || option.label === value,
    )
    return found?.label ?? null
  }, given)
  if (label === null) throw new Error(`${locator} has no option ${JSON.stringify(given)}`)
  await locator.page().keyboard.type(label)
  const chosen = await locator.evaluate((element) => (element as HTMLSelectElement).selectedOptions[0]?.label)
  if (chosen !== label) throw new Error(`${locator}: typing “${label}” chose “${chosen}”`)
}

/** From now on nothing in this test file is done with a mouse. */
export function keyboardOnly(page: Page): void {
  const prototype = Object.getPrototypeOf(page.locator('body')) as Locator & { isKeyboardOnly?: true }
  if (prototype.isKeyboardOnly) return
  Object.assign(prototype, {
    isKeyboardOnly: true,
    async click(this: Locator) {
      await press(this)
    },
    async check(this: Locator) {
      if (!(await this.isChecked())) await press(this)
    },
    async uncheck(this: Locator) {
      if (await this.isChecked()) await press(this)
    },
    async fill(this: Locator, text: string) {
      await write(this, text)
    },
    async selectOption(this: Locator, wanted: string) {
      await choose(this, wanted)
      return []
    },
    async focus(this: Locator) {
      await reach(this)
    },
    async tap(this: Locator) {
      throw new Error(`${this}: there is nothing to tap with`)
    },
    async hover(this: Locator) {
      throw new Error(`${this}: there is nothing to hover with`)
    },
  })
}
