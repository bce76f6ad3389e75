'use client'

import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { toast } from 'sonner'
import { Button } from './button.tsx'

/** Puts a text into the clipboard and says so. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => toast.error('The browser does not let this page copy. Select the text and copy it by hand.'),
    )
  return (
    <Button size="icon" look="ghost" aria-label={copied ? 'Copied' : label} onClick={copy} className="max-sm:size-10">
      {copied ? <Check aria-hidden="true" className="text-ok" /> : <Copy aria-hidden="true" />}
    </Button>
  )
}
