'use client'

import { type MouseEvent, type ReactNode, useLayoutEffect, useRef } from 'react'

/** How long nobody can have seen yet that the cards have moved, and clicks what was there before. */
const unseenMs = 600

/**
 * The cards come and go by themselves. A click that was on its way to one card when the list moved must not approve what
 * another one asks. Keys are let through: the focus stays with its card.
 */
export function StillList({ order, children }: { order: string; children: ReactNode }) {
  const shown = useRef(order)
  const movedAt = useRef(Number.NEGATIVE_INFINITY)
  useLayoutEffect(() => {
    if (shown.current === order) return
    shown.current = order
    movedAt.current = performance.now()
  }, [order])
  const onClick = (event: MouseEvent) => {
    // By keyboard it is no click of a pointer: it counts none.
    if (event.detail === 0 || performance.now() - movedAt.current > unseenMs) return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div onClickCapture={onClick} className="grid grid-cols-[minmax(0,1fr)] gap-5">
      {children}
    </div>
  )
}
