import type { ReactNode } from 'react'
import { areas } from '../../areas.ts'
import { data } from '../../data.ts'
import { requireMember } from '../../session.ts'
import { Shell } from '../../shell/shell.tsx'

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { session, membership } = await requireMember('viewer')
  return (
    <Shell
      allowed={areas.filter((area) => data.atLeast(membership.role, area.minimumRole)).map((area) => area.href)}
      workspace={{ id: membership.workspaceId, name: membership.workspaceName }}
      workspaces={session.memberships.map(({ workspaceId, workspaceName }) => ({
        id: workspaceId,
        name: workspaceName,
      }))}
      person={{ name: membership.memberName, email: session.login.email, role: membership.role }}
    >
      {children}
    </Shell>
  )
}
