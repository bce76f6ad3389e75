'use client'

import type { ListedToolCall } from '@quartermaster/db'
import { Download, Pause, Play, SquareTerminal } from 'lucide-react'
import Link from 'next/link'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { LiveMark } from '../../../components/live.tsx'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { OlderLink } from '../../../components/older-link.tsx'
import { useClock } from '../../../components/use-clock.ts'
import { useTail } from '../../../executions/use-tail.ts'
import { writePageKey } from '../../../paging.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { CallTable } from './call-table.tsx'

interface CallListProps {
  calls: ListedToolCall[]
  /** Where the next page begins. */
  next: string | null
  /** How far was looked for what the page shows, where that is not all there is. */
  looked: string | null
  /** As they stand in the address, without the page. */
  filters: string
  isFirstPage: boolean
  now: string
  timezone: string
  /** The row of filters. */
  children: ReactNode
}

export function CallList({ calls, next, looked, filters, isFirstPage, now, timezone, children }: CallListProps) {
  const [paused, setPaused] = useState(false)
  const following = isFirstPage && !paused
  const { rows, connected, fresh, cut } = useTail(calls, following ? `/api/executions/tail?${filters}` : null)
  const clock = useClock(now)
  const last = rows.at(-1)
  // What was pushed off the end of a long look is the first thing of the next page.
  const older = cut && last ? writePageKey({ at: last.requestedAt, id: last.id }) : next
  const olderAddress = older && `/executions?${withParameter(filters, 'after', older)}`
  return (
    <>
      <PageHeader title="Executions">
        <div className="flex items-center gap-2">
          {isFirstPage ? (
            <>
              {paused ? <span className="text-ink-3 text-xs">Paused</span> : <LiveMark connected={connected} />}
              <Button size="small" aria-pressed={paused} onClick={() => setPaused(!paused)} className="max-sm:h-10">
                {paused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />}
                {paused ? 'Go on' : 'Pause'}
              </Button>
            </>
          ) : (
            <Button asChild size="small" className="max-sm:h-10">
              <Link href={`/executions?${filters}`}>Newest</Link>
            </Button>
          )}
          <Menu>
            <MenuTrigger asChild>
              <Button size="small" className="max-sm:h-10">
                <Download aria-hidden="true" /> Export
              </Button>
            </MenuTrigger>
            <MenuContent align="end">
              {(['csv', 'jsonl'] as const).map((format) => (
                <MenuItem key={format} asChild>
                  <a href={`/api/executions/export?${withParameter(filters, 'format', format)}`} download>
                    {format === 'csv' ? 'Everything here as CSV' : 'Everything here as JSONL'}
                  </a>
                </MenuItem>
              ))}
            </MenuContent>
          </Menu>
        </div>
      </PageHeader>
      {children}
      <div className="p-4 max-sm:p-2 md:p-5">
        <Card aria-label="Tool calls">
          {rows.length ? (
            <CallTable rows={rows} fresh={fresh} now={clock} timezone={timezone} />
          ) : (
            <Nothing isFiltered={filters !== ''} looked={looked} />
          )}
        </Card>
        {looked && (
          <p className="mt-3 text-center text-ink-3 text-xs">
            {looked} {rows.length ? 'Older ones may match as well.' : ''}
          </p>
        )}
        {looked ? (
          <div className="flex justify-center px-4 py-3">
            <Button asChild>
              <Link href={olderAddress ?? '/executions'}>Look further back</Link>
            </Button>
          </div>
        ) : (
          <OlderLink href={olderAddress} />
        )}
      </div>
    </>
  )
}

function withParameter(filters: string, name: string, value: string): string {
  const parameters = new URLSearchParams(filters)
  parameters.set(name, value)
  return parameters.toString()
}

function Nothing({ isFiltered, looked }: { isFiltered: boolean; looked: string | null }) {
  if (isFiltered)
    return (
      <EmptyState icon={SquareTerminal} title={looked ? 'Nothing so far' : 'No call matches'}>
        {looked ? 'What is looked for may be further back.' : 'Take a filter away to see more.'}
      </EmptyState>
    )
  return (
    <EmptyState icon={SquareTerminal} title="No tool has been called yet">
      Each time an agent uses a tool, the call is listed here with what was decided and how it ended. Ask one for
      something in the <Link href="/playground">Playground</Link>.
    </EmptyState>
  )
}
