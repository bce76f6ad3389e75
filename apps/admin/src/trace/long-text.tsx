'use client'

import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { TextBlock } from '../components/text-block.tsx'
import { formatCount } from '../format.ts'

/** Characters of a text that are shown before somebody asks for all of it. */
const shortLength = 4_000

export function LongText({ title, text }: { title: string; text: string }) {
  const [all, showAll] = useState(false)
  const isShort = all || text.length <= shortLength
  return (
    <div className="grid min-w-0 gap-1.5">
      <TextBlock title={title} text={isShort ? text : `${text.slice(0, shortLength)}…`} />
      {!isShort && (
        <div>
          <Button size="small" onClick={() => showAll(true)} className="max-sm:h-10">
            Show all {formatCount(text.length)} characters
          </Button>
        </div>
      )}
    </div>
  )
}
