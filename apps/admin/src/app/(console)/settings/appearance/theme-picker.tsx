'use client'

import { useTheme } from 'next-themes'
import { useEffect, useState } from 'react'
import { classNames } from '../../../../components/class-names.ts'
import { themes } from '../../../../shell/themes.ts'

export function ThemePicker() {
  const { theme, setTheme } = useTheme()
  // The server does not know the browser's choice; nothing is marked until the browser has said it.
  const [known, setKnown] = useState(false)
  useEffect(() => setKnown(true), [])
  return (
    <fieldset className="grid gap-3 px-4 pt-2 pb-4 sm:grid-cols-3">
      <legend className="sr-only">Theme</legend>
      {themes.map(({ id, label, icon: Icon }) => (
        <label
          key={id}
          className={classNames(
            'grid cursor-pointer gap-2 rounded-lg border border-line p-2 text-ink-2 hover:border-line-strong has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2',
            known && theme === id && 'border-accent text-ink shadow-[0_0_0_1px_var(--accent)] hover:border-accent',
          )}
        >
          <input
            type="radio"
            name="theme"
            value={id}
            checked={known && theme === id}
            onChange={() => setTheme(id)}
            className="sr-only"
          />
          <Preview id={id} />
          <span className="flex items-center gap-2 px-1 font-medium">
            <Icon aria-hidden="true" className="size-4 text-ink-3" /> {label}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** The look in small: navigation, a bar, two cards. */
function Preview({ id }: { id: (typeof themes)[number]['id'] }) {
  const grounds = id === 'system' ? ['#fbfbfd', '#101215'] : id === 'dark' ? ['#101215'] : ['#fbfbfd']
  return (
    <span aria-hidden="true" className="flex h-20 overflow-hidden rounded-md border border-line">
      {grounds.map((ground) => {
        const ink = ground === '#101215' ? '#ffffff' : '#14161c'
        return (
          <span key={ground} className="flex flex-1 gap-1.5 p-1.5" style={{ background: ground }}>
            <span className="w-1/4 rounded-sm" style={{ background: `${ink}14` }} />
            <span className="grid flex-1 content-start gap-1.5">
              <span className="h-2 w-1/2 rounded-sm" style={{ background: `${ink}2e` }} />
              <span className="h-5 rounded-sm" style={{ background: `${ink}14` }} />
              <span className="h-5 rounded-sm" style={{ background: `${ink}14` }} />
            </span>
          </span>
        )
      })}
    </span>
  )
}
