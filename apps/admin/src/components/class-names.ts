import { type ClassValue, clsx } from 'clsx'
import { twMerge } from 'tailwind-merge'

/** Class names in which a later one of the same kind wins. */
export const classNames = (...values: ClassValue[]) => twMerge(clsx(values))
