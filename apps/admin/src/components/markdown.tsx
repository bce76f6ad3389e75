'use client'

import type { ComponentProps, ReactNode } from 'react'
import { Streamdown } from 'streamdown'

// What the model writes is drawn in our own elements. Headings are all of one rank, because the page has an outline of
// its own; an image is only named, because loading it would tell its server what was read here.
const components = {
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  p: ({ children }: { children?: ReactNode }) => (
    <p className={isFooter(children) ? 'mt-2 text-ink-3 text-xs' : 'my-2 first:mt-0 last:mb-0'}>{children}</p>
  ),
  a: ({ href, children }: ComponentProps<'a'>) => (
    <a
      href={href}
      target="_blank"
      rel="noreferrer noopener"
      className="text-accent-strong underline underline-offset-2"
    >
      {children}
    </a>
  ),
  ul: ({ children }: { children?: ReactNode }) => <ul className="my-2 list-disc pl-5">{children}</ul>,
  ol: ({ children, start }: ComponentProps<'ol'>) => (
    <ol start={start} className="my-2 list-decimal pl-5">
      {children}
    </ol>
  ),
  li: ({ children }: { children?: ReactNode }) => <li className="my-0.5 pl-0.5">{children}</li>,
  blockquote: ({ children }: { children?: ReactNode }) => (
    <blockquote className="my-2 border-line-strong border-l-2 pl-3 text-ink-2">{children}</blockquote>
  ),
  hr: () => <hr className="my-3 border-line" />,
  strong: ({ children }: { children?: ReactNode }) => <strong className="font-semibold">{children}</strong>,
  pre: ({ children }: { children?: ReactNode }) => (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard (WCAG 2.1.1).
      tabIndex={0}
      className="my-2 overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs [&_code]:bg-transparent [&_code]:p-0"
    >
      {children}
    </pre>
  ),
  code: Code,
  inlineCode: Code,
  table: ({ children }: { children?: ReactNode }) => (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs; this only names what scrolls.
    <div
      role="group"
      aria-label="A table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: as above.
      tabIndex={0}
      className="my-2 overflow-x-auto rounded-md border border-line"
    >
      <table className="w-full border-collapse text-sm">{children}</table>
    </div>
  ),
  thead: ({ children }: { children?: ReactNode }) => <thead className="bg-sunken">{children}</thead>,
  tbody: ({ children }: { children?: ReactNode }) => <tbody>{children}</tbody>,
  tr: ({ children }: { children?: ReactNode }) => <tr className="border-line border-b last:border-0">{children}</tr>,
  th: ({ children }: { children?: ReactNode }) => (
    <th className="whitespace-nowrap px-3 py-1.5 text-left font-medium text-ink-2 text-xs">{children}</th>
  ),
  td: ({ children }: { children?: ReactNode }) => <td className="px-3 py-1.5 align-top">{children}</td>,
  img: ({ alt, src }: ComponentProps<'img'>) => (
    <span className="text-ink-3">[image: {alt || (typeof src === 'string' ? src : 'without a name')}]</span>
  ),
}

/** The line under each answer of the offline model: always there, and never in the way of the answer. */
const isFooter = (children: ReactNode) => [children].flat()[0]?.toString().startsWith('— Offline model:') === true

function Heading({ children }: { children?: ReactNode }) {
  return <h3 className="mt-4 mb-1.5 font-semibold text-base first:mt-0">{children}</h3>
}

function Code({ children }: { children?: ReactNode }) {
  return <code className="break-words rounded bg-sunken px-1 py-0.5 font-mono text-[0.92em]">{children}</code>
}

/** Markdown as the model means it, also while it is still being written. */
export function Markdown({ text, writing }: { text: string; writing?: boolean }) {
  return (
    <Streamdown
      mode={writing ? 'streaming' : 'static'}
      components={components}
      controls={false}
      linkSafety={{ enabled: false }}
      className="min-w-0 break-words"
    >
      {text}
    </Streamdown>
  )
}
