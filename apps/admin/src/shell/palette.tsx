'use client'

import { Command } from 'cmdk'
import { Bot, Building2, Inbox, LogOut, Play, Search, SquareTerminal, Wrench } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useTheme } from 'next-themes'
import { type ReactNode, useState } from 'react'
import { areas } from '../areas.ts'
import { chooseWorkspace } from './choose-workspace.ts'
import { leave } from './leave.ts'
import { fitOf } from './palette-filter.ts'
import type { ShellProps } from './shell-props.ts'
import { themes } from './themes.ts'
import { useSearch } from './use-search.ts'

interface PaletteProps extends ShellProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

const kinds = { run: Play, call: SquareTerminal, question: Inbox, agent: Bot, tool: Wrench }

/** What the server found fits by itself, and stands behind whatever here has the letters in its name. */
const foundValue = 'found '
const filter = (value: string, typed: string, keywords?: string[]) =>
  value.startsWith(foundValue) ? 0.001 : fitOf(value, typed, keywords)

/** Everything by name: ⌘K, a few letters, return. */
export function Palette({ open, onOpenChange, allowed, workspace, workspaces }: PaletteProps) {
  const router = useRouter()
  const { setTheme } = useTheme()
  const [text, setText] = useState('')
  const found = useSearch(open ? text : '')
  const others = workspaces.filter((candidate) => candidate.id !== workspace.id)
  const run = (work: () => unknown) => () => {
    onOpenChange(false)
    setText('')
    void work()
  }
  return (
    <Command.Dialog
      open={open}
      onOpenChange={onOpenChange}
      label="Go to, or do"
      filter={filter}
      overlayClassName="fixed inset-0 z-40 animate-appear bg-[oklch(15%_0.02_262/0.35)] dark:bg-[oklch(0%_0_0/0.55)]"
      contentClassName="fixed top-[14vh] left-1/2 z-50 w-[min(560px,calc(100vw-24px))] -translate-x-1/2 overflow-hidden rounded-xl bg-panel shadow-float outline-none"
    >
      <div className="flex items-center gap-2.5 border-line border-b px-4">
        <Search aria-hidden="true" className="size-4 text-ink-3" />
        <Command.Input
          value={text}
          onValueChange={setText}
          placeholder="Where to, what to do, a name or an id"
          className="h-12 flex-1 bg-transparent text-base outline-none placeholder:text-ink-3"
        />
      </div>
      <Command.List className="max-h-[min(440px,60vh)] overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-8 text-center text-ink-3">Nothing has that name.</Command.Empty>
        <Group heading="Go to">
          {areas
            .filter((area) => allowed.includes(area.href))
            .map(({ href, label, keywords, icon: Icon }) => (
              <Item key={href} keywords={keywords} onSelect={run(() => router.push(href))}>
                <Icon aria-hidden="true" /> {label}
              </Item>
            ))}
        </Group>
        <Group heading="Theme">
          {themes.map(({ id, label, icon: Icon }) => (
            <Item key={id} keywords={['theme', 'appearance', 'mode']} onSelect={run(() => setTheme(id))}>
              <Icon aria-hidden="true" /> {label}
            </Item>
          ))}
        </Group>
        {others.length > 0 && (
          <Group heading="Workspace">
            {others.map(({ id, name }) => (
              <Item key={id} keywords={['workspace', 'switch']} onSelect={run(() => chooseWorkspace(id))}>
                <Building2 aria-hidden="true" /> {name}
              </Item>
            ))}
          </Group>
        )}
        <Group heading="Account">
          <Item keywords={['log out', 'leave']} onSelect={run(leave)}>
            <LogOut aria-hidden="true" /> Sign out
          </Item>
        </Group>
        {found.length > 0 && (
          <Group heading="Found">
            {found.map(({ kind, label, about, href }) => {
              const Icon = kinds[kind]
              return (
                <Item key={href} value={foundValue + href} keywords={[]} onSelect={run(() => router.push(href))}>
                  <Icon aria-hidden="true" />
                  <span className="truncate">{label}</span>
                  <span className="ml-auto shrink-0 text-2xs text-ink-3">{about}</span>
                </Item>
              )
            })}
          </Group>
        )}
      </Command.List>
    </Command.Dialog>
  )
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-ink-3"
    >
      {children}
    </Command.Group>
  )
}

function Item(props: { value?: string; keywords: string[]; onSelect: () => void; children: ReactNode }) {
  return (
    <Command.Item
      {...props}
      className="flex h-9 select-none items-center gap-2.5 rounded-md px-2.5 text-ink-2 data-[selected=true]:bg-sunken data-[selected=true]:text-ink [&_svg]:size-4 [&_svg]:text-ink-3"
    />
  )
}
