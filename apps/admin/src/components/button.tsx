import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

const looks = {
  plain: 'border-line-strong bg-panel text-ink hover:bg-sunken shadow-lift',
  primary: 'border-transparent bg-accent text-on-accent hover:bg-accent-strong',
  danger: 'border-line-strong bg-panel text-bad hover:border-bad/40 hover:bg-bad-soft',
  ghost: 'border-transparent text-ink-2 hover:bg-sunken hover:text-ink',
}

const sizes = {
  small: 'h-7 px-2.5 text-xs',
  normal: 'h-8 px-3 text-sm',
  large: 'h-9 px-4 text-sm',
  icon: 'size-8',
}

interface ButtonProps extends ComponentProps<'button'> {
  look?: keyof typeof looks
  size?: keyof typeof sizes
  /** The only child becomes the button, e.g. a link that looks like one. */
  asChild?: boolean
}

export function Button({ look = 'plain', size = 'normal', asChild, className, ...rest }: ButtonProps) {
  const Element = asChild ? Slot.Root : 'button'
  return (
    <Element
      type={asChild ? undefined : 'button'}
      {...rest}
      className={classNames(
        'inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium transition-colors duration-100 disabled:pointer-events-none disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
        looks[look],
        sizes[size],
        className,
      )}
    />
  )
}
