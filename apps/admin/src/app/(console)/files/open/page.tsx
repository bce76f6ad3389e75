import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { data } from '../../../../data.ts'
import { requireMember } from '../../../../session.ts'
import { toolKit } from '../../../../tool-kit.ts'
import { readZone } from '../../../../viewer-zone.ts'
import { findWorkFolder } from '../../../../work-folder.ts'
import { FileView } from '../file-view.tsx'
import { fileLimits } from '../limits.ts'
import { readShown } from '../read-content.ts'

export const metadata: Metadata = { title: 'A file' }

/** One file of the work folder. */
export default async function OpenFilePage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('member')
  const { workspaceId, role } = membership
  const { path } = await searchParams
  const folder = await findWorkFolder(workspaceId)
  if (typeof path !== 'string' || folder.state !== 'there') notFound()
  const file = await toolKit.browseFile(folder.path, path, fileLimits.textBytes).catch((error: unknown) => {
    if (error instanceof toolKit.PathProblem) notFound()
    throw error
  })
  const [content, timezone] = await Promise.all([readShown(file.bytes, file.size), readZone(workspaceId)])
  const above = file.path.split('/').slice(0, -1).join('/')
  return (
    <FileView
      where="work"
      file={file.path}
      version={file.version}
      path={toolKit.escapeForDisplay(file.path)}
      size={file.size}
      changed={file.modifiedAt}
      of={null}
      content={content}
      locked={file.readOnly ? 'It is read-only, or belongs to git itself.' : null}
      mayChange={data.atLeast(role, 'admin')}
      back={{
        href: above ? `/files?path=${encodeURIComponent(above)}` : '/files',
        label: above ? toolKit.escapeForDisplay(above) : 'Work folder',
      }}
      now={new Date()}
      timezone={timezone}
    />
  )
}
