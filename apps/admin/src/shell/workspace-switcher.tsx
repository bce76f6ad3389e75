'use client'

import { Check, ChevronsUpDown } from 'lucide-react'
import { useTransition } from 'react'
import { Mark } from '../components/mark.tsx'
import { Menu, MenuContent, MenuItem, MenuLabel, MenuTrigger } from '../components/menu.tsx'
import { chooseWorkspace } from './choose-workspace.ts'
import type { ShellProps } from './shell-props.ts'

export function WorkspaceSwitcher({ workspace, workspaces }: Pick<ShellProps, 'workspace' | 'workspaces'>) {
  const [busy, start] = useTransition()
  const name = <span className="min-w-0 flex-1 truncate text-left font-semibold">{workspace.name}</span>
  if (workspaces.length < 2)
    return (
      <div className="flex h-9 items-center gap-2 px-3">
        <Mark />
        {name}
      </div>
    )
  return (
    <Menu>
      <MenuTrigger asChild>
        <button
          type="button"
          disabled={busy}
          aria-label={`Workspace: ${workspace.name}. Choose another`}
          className="mx-1 flex h-9 items-center gap-2 rounded-md px-2 hover:bg-line/50 data-[state=open]:bg-line/50"
        >
          <Mark />
          {name}
          <ChevronsUpDown aria-hidden="true" className="size-3.5 text-ink-3" />
        </button>
      </MenuTrigger>
      <MenuContent align="start">
        <MenuLabel>Workspaces</MenuLabel>
        {workspaces.map((candidate) => (
          <MenuItem key={candidate.id} onSelect={() => start(() => chooseWorkspace(candidate.id))}>
            <span className="min-w-0 flex-1 truncate">{candidate.name}</span>
            {candidate.id === workspace.id && <Check aria-label="current" className="text-accent" />}
          </MenuItem>
        ))}
      </MenuContent>
    </Menu>
  )
}
