import Link from 'next/link'
import { Button } from './button.tsx'

/** The way to the next page of a list that is the newest first. Nothing on the last one. */
export function OlderLink({ href }: { href: string | null }) {
  if (!href) return null
  return (
    <div className="flex justify-center px-4 py-3">
      <Button asChild>
        <Link href={href}>Older ones</Link>
      </Button>
    </div>
  )
}
