'use client'

import { useId } from 'react'

interface OptionsProps {
  legend: string
  options: string[]
  chosen: string[]
  multiple: boolean
  onChange: (chosen: string[]) => void
}

/** Options to tick; one of them, or several. */
export function Options({ legend, options, chosen, multiple, onChange }: OptionsProps) {
  const name = useId()
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-ink-3 text-xs">{legend}</legend>
      {options.map((option) => (
        <label key={option} className="flex min-h-7 items-center gap-2 rounded-md px-2 hover:bg-sunken max-sm:min-h-10">
          <input
            type={multiple ? 'checkbox' : 'radio'}
            name={name}
            value={option}
            checked={chosen.includes(option)}
            onChange={(event) => {
              if (!multiple) return onChange([option])
              onChange(event.target.checked ? [...chosen, option] : chosen.filter((other) => other !== option))
            }}
            className="size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0 break-words">{option}</span>
        </label>
      ))}
    </fieldset>
  )
}
