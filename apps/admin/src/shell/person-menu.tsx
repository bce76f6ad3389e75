'use client'

import { Check, ChevronsUpDown, LogOut, UserRound } from 'lucide-react'
import Link from 'next/link'
import { useTheme } from 'next-themes'
import { Menu, MenuContent, MenuItem, MenuLabel, MenuSeparator, MenuTrigger } from '../components/menu.tsx'
import { leave } from './leave.ts'
import type { ShellProps } from './shell-props.ts'
import { themes } from './themes.ts'

export function PersonMenu({ person }: Pick<ShellProps, 'person'>) {
  const { theme, setTheme } = useTheme()
  return (
    <Menu>
      <MenuTrigger asChild>
        <button
          type="button"
          className="mx-1 flex h-11 items-center gap-2.5 rounded-md px-2 text-left hover:bg-line/50 data-[state=open]:bg-line/50"
        >
          <span
            aria-hidden="true"
            className="grid size-6 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-2xs text-accent-strong"
          >
            {initialsOf(person.name)}
          </span>
          <span className="min-w-0 flex-1 leading-4">
            <span className="block truncate font-medium">{person.name}</span>
            <span className="block truncate text-2xs text-ink-3">{person.role}</span>
          </span>
          <span className="sr-only">Account, theme, sign out</span>
          <ChevronsUpDown aria-hidden="true" className="size-3.5 text-ink-3" />
        </button>
      </MenuTrigger>
      <MenuContent align="start" side="top" className="w-[200px]">
        <MenuLabel>{person.email}</MenuLabel>
        <MenuItem asChild>
          <Link href="/settings/account">
            <UserRound aria-hidden="true" /> Your account
          </Link>
        </MenuItem>
        <MenuSeparator />
        <MenuLabel>Theme</MenuLabel>
        {themes.map(({ id, label, icon: Icon }) => (
          <MenuItem key={id} onSelect={() => setTheme(id)}>
            <Icon aria-hidden="true" />
            <span className="flex-1">{label}</span>
            {theme === id && <Check aria-label="chosen" className="text-accent" />}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem onSelect={leave}>
          <LogOut aria-hidden="true" /> Sign out
        </MenuItem>
      </MenuContent>
    </Menu>
  )
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean)
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words
  return letters.map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '').join('')
}
