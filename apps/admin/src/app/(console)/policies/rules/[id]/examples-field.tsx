'use client'

import { Check, Plus, X } from 'lucide-react'
import { Button } from '../../../../../components/button.tsx'
import { Input } from '../../../../../components/input.tsx'
import { toolList } from '../../vocabulary.tsx'

export interface TypedExample {
  /** For React alone. */
  key: number
  /** Empty: any that the rule's pattern matches. */
  tool: string
  /** The arguments, as JSON. */
  text: string
}

interface Example {
  tool?: string | undefined
  arguments: Record<string, unknown>
}

let keys = 0
export const typeExample = ({ tool, arguments: args }: Example): TypedExample => ({
  key: ++keys,
  tool: tool ?? '',
  text: JSON.stringify(args),
})

/** Null: it is no JSON object yet. A list of one, so that it can be put among others. */
export function readExample({ tool, text }: TypedExample): [Example] | null {
  try {
    const value: unknown = JSON.parse(text)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
    return [{ ...(tool.trim() ? { tool: tool.trim() } : {}), arguments: value as Record<string, unknown> }]
  } catch {
    return null
  }
}

interface ExamplesFieldProps {
  label: string
  examples: readonly TypedExample[]
  onChange(examples: TypedExample[]): void
  /** Whether each of those that can be read does what it must; undefined: not known yet. */
  hold: readonly boolean[] | undefined
  /** Arguments that the matched tools take: the first of them stands in a new example. */
  paths: readonly string[]
}

/** Calls that a rule must or must not match, each with a mark that follows what is typed. */
export function ExamplesField({ label, examples, onChange, hold, paths }: ExamplesFieldProps) {
  let read = -1
  const put = (at: number, change: Partial<TypedExample>) =>
    onChange(examples.map((each, index) => (index === at ? { ...each, ...change } : each)))
  return (
    <fieldset className="grid content-start gap-2">
      <legend className="mb-1.5 font-medium text-sm">{label}</legend>
      {examples.length === 0 && (
        <p className="text-ink-3 text-xs">No examples. They are checked whenever it is saved.</p>
      )}
      {examples.map((example, at) => {
        const isReadable = readExample(example) !== null
        if (isReadable) read++
        const holds = isReadable ? hold?.[read] : undefined
        const which = `${label}, example ${at + 1}`
        const verdict = !isReadable
          ? 'Expected the arguments as a JSON object.'
          : holds === undefined
            ? ''
            : holds
              ? 'As it must.'
              : label === 'Must match'
                ? 'Does not match, and must.'
                : 'Matches, and must not.'
        return (
          <div key={example.key} className="grid gap-1">
            <div className="flex flex-wrap items-center gap-1 sm:flex-nowrap">
              <Input
                aria-label={`${which}: tool`}
                placeholder="any tool"
                list={toolList}
                value={example.tool}
                onChange={({ target }) => put(at, { tool: target.value })}
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                maxLength={200}
                className="font-mono sm:max-w-40"
              />
              <Input
                aria-label={which}
                aria-invalid={holds === false || !isReadable ? true : undefined}
                value={example.text}
                onChange={({ target }) => put(at, { text: target.value })}
                autoComplete="off"
                spellCheck={false}
                className="min-w-0 flex-1 font-mono"
              />
              <Button
                look="ghost"
                size="icon"
                aria-label={`Take ${which.toLowerCase()} away`}
                onClick={() => onChange(examples.filter((_, index) => index !== at))}
                className="text-ink-3 hover:text-bad max-sm:size-10"
              >
                <X aria-hidden="true" />
              </Button>
            </div>
            <p
              role="status"
              className={`flex min-h-[18px] items-center gap-1 text-xs ${holds ? 'text-ok' : 'text-bad'}`}
            >
              {holds && <Check aria-hidden="true" className="size-3" />}
              {verdict}
            </p>
          </div>
        )
      })}
      <Button
        size="small"
        className="w-fit max-sm:h-10"
        aria-label={`Add an example: ${label.toLowerCase()}`}
        onClick={() => onChange([...examples, { key: ++keys, tool: '', text: begin(paths[0]) }])}
      >
        <Plus aria-hidden="true" /> Add an example
      </Button>
    </fieldset>
  )
}

const begin = (path: string | undefined) => (path ? `{ ${JSON.stringify(path)}: "" }` : '{ }')
