'use client'

import { DropdownMenu } from 'radix-ui'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

/** Not modal: the page behind it stays what it is for a screen reader, and a click there closes it. */
export function Menu(props: ComponentProps<typeof DropdownMenu.Root>) {
  return <DropdownMenu.Root modal={false} {...props} />
}

export const MenuTrigger = DropdownMenu.Trigger

/** It stays beside its button in the document, and so inside the same landmark or dialog. */
export function MenuContent({ className, ...rest }: ComponentProps<typeof DropdownMenu.Content>) {
  return (
    <DropdownMenu.Content
      sideOffset={6}
      collisionPadding={8}
      {...rest}
      className={classNames(
        'z-50 min-w-52 animate-appear rounded-lg bg-panel p-1 text-sm shadow-float outline-none',
        className,
      )}
    />
  )
}

export function MenuItem({ className, ...rest }: ComponentProps<typeof DropdownMenu.Item>) {
  return (
    <DropdownMenu.Item
      {...rest}
      className={classNames(
        'flex h-8 select-none items-center gap-2 rounded-md px-2 text-ink-2 outline-none data-highlighted:bg-sunken data-highlighted:text-ink max-sm:h-10 [&_svg]:size-4 [&_svg]:shrink-0',
        className,
      )}
    />
  )
}

export function MenuLabel(props: ComponentProps<typeof DropdownMenu.Label>) {
  return <DropdownMenu.Label {...props} className="px-2 pt-1.5 pb-1 text-2xs text-ink-3" />
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="-mx-1 my-1 h-px bg-line" />
}
