'use client'

import { useState, useTransition } from 'react'
import { Button } from '../../../components/button.tsx'
import { chooseWorkspace } from '../../../shell/choose-workspace.ts'
import { leave } from '../../../shell/leave.ts'
import { joinWorkspace } from './actions.ts'

export function JoinButton({ token, workspaceName }: { token: string; workspaceName: string }) {
  const [mistake, setMistake] = useState<string | null>(null)
  const [busy, start] = useTransition()
  const join = () =>
    start(async () => {
      const form = new FormData()
      form.set('token', token)
      const result = await joinWorkspace(null, form)
      if (result.ok) await chooseWorkspace(result.once?.workspaceId ?? '')
      else setMistake(result.message)
    })
  return (
    <div className="grid gap-2">
      <Button look="primary" size="large" disabled={busy} onClick={join} className="max-sm:h-11">
        Join {workspaceName}
      </Button>
      <p role="alert" className="text-bad text-sm empty:hidden">
        {mistake}
      </p>
    </div>
  )
}

export function LeaveButton() {
  return <Button onClick={() => void leave()}>Sign out</Button>
}
