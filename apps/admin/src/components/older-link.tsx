import Link from 'next/link'
import { Button } from './button.tsx'

/** The way to the next page of a list, which is the newest first where nothing else is said. Nothing on the last one. */
export function OlderLink({ href, label = 'Older ones' }: { href: string | null; label?: string }) {
  if (!href) return null
  return (
    <div className="flex justify-center px-4 py-3">
      <Button asChild>
        <Link href={href}>{label}</Link>
      </Button>
    </div>
  )
}
