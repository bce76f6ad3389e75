'use client'

import dynamic from 'next/dynamic'
import type { ChartProps } from './chart.tsx'

// The drawing library is as large as the rest of the page together: it comes after it, into a space of its own height.
const Chart = dynamic(() => import('./chart.tsx').then((module) => module.Chart), { ssr: false })

export function LazyChart({ summary, ...props }: ChartProps & { summary: string }) {
  return (
    <figure className="h-[168px] px-2 pb-2">
      <figcaption className="sr-only">{summary}</figcaption>
      <div aria-hidden="true" className="h-full">
        <Chart {...props} />
      </div>
    </figure>
  )
}
