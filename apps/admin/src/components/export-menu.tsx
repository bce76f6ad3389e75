'use client'

import { Download } from 'lucide-react'
import { Button } from './button.tsx'
import { Menu, MenuContent, MenuItem, MenuLabel, MenuTrigger } from './menu.tsx'

interface ExportMenuProps {
  /** The route that streams it; it gets `format` and the filters. */
  address: string
  /** The filters of the list, as a query string. */
  chosen: string
}

/** The list that is shown, all its pages, as a file. */
export function ExportMenu({ address, chosen }: ExportMenuProps) {
  const href = (format: string) =>
    `${address}?${new URLSearchParams([...new URLSearchParams(chosen), ['format', format]])}`
  return (
    <Menu>
      <MenuTrigger asChild>
        <Button size="small" className="max-sm:h-10">
          <Download aria-hidden="true" /> Export
        </Button>
      </MenuTrigger>
      <MenuContent align="end">
        <MenuLabel>All that the filters leave</MenuLabel>
        <MenuItem asChild>
          <a href={href('csv')} download>
            CSV, for a spreadsheet
          </a>
        </MenuItem>
        <MenuItem asChild>
          <a href={href('jsonl')} download>
            JSONL, for a program
          </a>
        </MenuItem>
      </MenuContent>
    </Menu>
  )
}
