/** Text as it is, in a frame that scrolls. */
export function TextBlock({ title, text }: { title: string; text: string }) {
  return (
    <div className="min-w-0">
      <p className="mb-1 text-2xs text-ink-3">{title}</p>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard (WCAG 2.1.1).
        tabIndex={0}
        className="max-h-72 overflow-auto whitespace-pre-wrap break-words rounded-md bg-sunken px-2.5 py-2 font-mono text-xs"
      >
        {text}
      </pre>
    </div>
  )
}
