import { ArrowLeft, Download, FileQuestion } from 'lucide-react'
import Link from 'next/link'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Facts } from '../../../components/facts.tsx'
import { TextBlock } from '../../../components/text-block.tsx'
import { When } from '../../../components/when.tsx'
import { PageHeader } from '../../../shell/page-header.tsx'
import { removeFile } from './actions.ts'
import { EditFile } from './edit-file.tsx'
import { formatBytes } from './format-bytes.ts'
import type { ShownContent } from './read-content.ts'

interface FileViewProps {
  where: 'work' | 'virtual'
  /** What the actions and the download call it. */
  file: string
  version: string
  /** As it may be shown. */
  path: string
  size: number
  changed: Date
  of: string | null
  content: ShownContent
  /** Why nobody may change it here; null where an admin may. */
  locked: string | null
  mayChange: boolean
  back: { href: string; label: string }
  now: Date
  timezone: string
}

/** One file: what it says, and for an admin to edit and delete. */
export function FileView(props: FileViewProps) {
  const { where, file, version, path, content, mayChange, locked, back } = props
  const raw = `/api/files/raw?${new URLSearchParams({ in: where, file })}`
  const changeable = mayChange && locked === null
  return (
    <>
      <PageHeader title={path.split('/').at(-1) || path}>
        <div className="flex flex-wrap gap-2">
          <Button asChild>
            <a href={`${raw}&download=1`} download>
              <Download aria-hidden="true" />
              Download
            </a>
          </Button>
          {changeable && (
            <ConfirmButton
              action={removeFile}
              fields={{ where, file, version }}
              title={`Delete ${path}?`}
              about="Agents that read it find nothing there from then on. There is no copy of it here."
              confirm="Delete it"
              trigger={<Button look="danger">Delete</Button>}
            />
          )}
        </div>
      </PageHeader>
      <div className="mx-auto grid w-full max-w-4xl grid-cols-[minmax(0,1fr)] gap-4 p-4 md:p-5">
        <Link href={back.href} className="flex w-fit items-center gap-1 text-ink-3 hover:text-ink">
          <ArrowLeft aria-hidden="true" className="size-3.5" />
          {back.label}
        </Link>
        <Facts
          facts={[
            [
              'Path',
              <code className="break-all font-mono text-xs" key="path">
                {path}
              </code>,
            ],
            ['Of', props.of],
            ['Size', formatBytes(props.size)],
            ['Changed', <When key="when" date={props.changed} now={props.now} timezone={props.timezone} />],
            ['Locked', mayChange && locked],
          ]}
        />
        <h2 className="sr-only">Content</h2>
        {content.kind === 'text' &&
          (changeable && content.whole ? (
            <EditFile where={where} file={file} version={version} text={content.text} />
          ) : (
            <TextBlock
              title={content.whole ? 'Content' : 'Its beginning; the whole is a download'}
              text={content.text}
            />
          ))}
        {content.kind === 'image' && (
          // biome-ignore lint/performance/noImgElement: it is read with the session's own rights and never resized.
          <img src={raw} alt={path} className="max-h-[70vh] max-w-full rounded-lg border border-line" />
        )}
        {content.kind === 'bytes' && (
          <Card>
            <EmptyState icon={FileQuestion} title="This is neither text nor a picture">
              It looks like {content.type}. Download it to look at it with a program of your own.
            </EmptyState>
          </Card>
        )}
      </div>
    </>
  )
}
