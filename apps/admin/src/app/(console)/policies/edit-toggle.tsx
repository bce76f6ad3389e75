'use client'

import { createContext, type ReactNode, useContext, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'

const Close = createContext<() => void>(() => {})

/** For the form inside an EditToggle: closes it. */
export const useClose = () => useContext(Close)

interface EditToggleProps {
  /** What the button says: "Edit on-call". */
  label: string
  /** What it shows, where the whole label would say a thing twice. */
  short?: ReactNode
  children: ReactNode
}

/** A form that is there only while somebody wants it, so that what it begins with is never old. */
export function EditToggle({ label, short, children }: EditToggleProps) {
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpen(false)
    // What had the focus goes with the form; whoever uses the keyboard goes on from where it was opened.
    button.current?.focus()
  }
  return (
    <Close value={close}>
      <div className="flex justify-end px-4 pb-2.5 sm:-mt-9.5">
        <Button
          ref={button}
          size="small"
          aria-expanded={open}
          aria-label={open ? `Close: ${label}` : label}
          onClick={() => setOpen(!open)}
          className="max-sm:h-10"
        >
          {open ? 'Close' : (short ?? label)}
        </Button>
      </div>
      {open && <div className="border-line border-t pt-2">{children}</div>}
    </Close>
  )
}
