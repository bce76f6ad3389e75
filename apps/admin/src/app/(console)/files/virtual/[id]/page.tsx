import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { data } from '../../../../../data.ts'
import { requireMember } from '../../../../../session.ts'
import { toolKit } from '../../../../../tool-kit.ts'
import { readZone } from '../../../../../viewer-zone.ts'
import { FileView } from '../../file-view.tsx'
import { fileLimits } from '../../limits.ts'
import { readVirtualFile } from '../../queries.ts'
import { readShown } from '../../read-content.ts'

export const metadata: Metadata = { title: 'A file' }

/** One virtual file. */
export default async function VirtualFilePage({ params }: { params: Promise<{ id: string }> }) {
  const { membership } = await requireMember('member')
  const { workspaceId, role } = membership
  const [file, timezone] = await Promise.all([readVirtualFile(workspaceId, (await params).id), readZone(workspaceId)])
  if (!file) notFound()
  const content = await readShown(file.content.subarray(0, fileLimits.textBytes), file.size)
  return (
    <FileView
      where="virtual"
      file={file.id}
      version={file.updatedAt.toISOString()}
      path={toolKit.escapeForDisplay(file.path)}
      size={file.size}
      changed={file.updatedAt}
      of={file.owner.kind === 'agent' ? `the agent ${file.owner.name}` : file.owner.name}
      content={content}
      locked={null}
      mayChange={data.atLeast(role, 'admin')}
      back={{ href: '/files?in=virtual', label: 'Virtual files' }}
      now={new Date()}
      timezone={timezone}
    />
  )
}
