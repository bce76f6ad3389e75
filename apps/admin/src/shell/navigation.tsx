'use client'

import { type LucideIcon, Search } from 'lucide-react'
import Link, { useLinkStatus } from 'next/link'
import { usePathname } from 'next/navigation'
import { areas } from '../areas.ts'
import { classNames } from '../components/class-names.ts'
import { Kbd } from '../components/kbd.tsx'
import { waiting as onItsWay } from '../components/waiting.ts'
import { PersonMenu } from './person-menu.tsx'
import type { ShellProps } from './shell-props.ts'
import { mostWaiting } from './waiting-event.ts'
import { WorkspaceSwitcher } from './workspace-switcher.tsx'

interface NavigationProps extends ShellProps {
  /** Questions that wait for whoever looks. */
  waiting: number
  onSearch: () => void
  /** A link was followed, also where it leads to the page that is open already. */
  onFollow?: () => void
}

export function Navigation({ waiting, onSearch, onFollow, ...props }: NavigationProps) {
  const pathname = usePathname()
  const shown = areas.filter((area) => props.allowed.includes(area.href))
  const groups = [...new Set(shown.map((area) => area.group))]
  return (
    <div className="flex h-full flex-col gap-2 p-2">
      <WorkspaceSwitcher workspace={props.workspace} workspaces={props.workspaces} />
      <button
        type="button"
        onClick={onSearch}
        aria-keyshortcuts="Meta+K Control+K"
        className="mx-1 mb-1 flex h-7 items-center gap-2 rounded-md border border-line bg-panel px-2 text-ink-3 hover:border-line-strong hover:text-ink-2 max-md:h-9"
      >
        <Search aria-hidden="true" className="size-3.5" />
        <span className="flex-1 text-left">Search</span>
        <Kbd>⌘K</Kbd>
      </button>
      <nav aria-label="Areas" className="flex min-h-0 flex-1 flex-col gap-px overflow-y-auto px-1 pb-2">
        {groups.map((group) => (
          <div key={group} className="contents">
            {group && <p className="px-2 pt-3 pb-1 text-2xs text-ink-3">{group}</p>}
            {shown
              .filter((area) => area.group === group)
              .map(({ href, label, icon: Icon }) => {
                const here = pathname === href || pathname.startsWith(`${href}/`)
                return (
                  <Link
                    key={href}
                    href={href}
                    onClick={onFollow}
                    aria-current={here ? 'page' : undefined}
                    className={classNames(
                      'flex h-7 items-center gap-2 rounded-md px-2 text-ink-2 hover:bg-line/50 hover:text-ink max-md:h-10',
                      here && 'bg-panel font-medium text-ink shadow-[0_0_0_1px_var(--line)] hover:bg-panel',
                    )}
                  >
                    <AreaName icon={Icon} label={label} here={here} />
                    {href === '/approvals' && waiting > 0 && <Waiting count={waiting} />}
                  </Link>
                )
              })}
          </div>
        ))}
      </nav>
      <PersonMenu person={props.person} />
    </div>
  )
}

/** Of the area that is on its way the name pulses, where it takes long enough to be noticed. */
function AreaName({ icon: Icon, label, here }: { icon: LucideIcon; label: string; here: boolean }) {
  const { pending } = useLinkStatus()
  return (
    <span className={classNames('flex items-center gap-2', pending && onItsWay)}>
      <Icon
        aria-hidden="true"
        strokeWidth={1.75}
        className={classNames('size-4', here ? 'text-accent' : 'text-ink-3')}
      />
      {label}
    </span>
  )
}

function Waiting({ count }: { count: number }) {
  const text = count > mostWaiting ? `${mostWaiting}+` : String(count)
  return (
    <span className="ml-auto min-w-5 rounded-full bg-wait-soft px-1.5 text-center font-semibold text-2xs text-wait tabular-nums">
      {text}
      <span className="sr-only"> waiting for you</span>
    </span>
  )
}
