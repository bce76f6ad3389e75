import type { Role } from '@quartermaster/db'

export interface ShellProps {
  /** The addresses of the areas that this member may open. */
  allowed: string[]
  workspace: { id: string; name: string }
  workspaces: { id: string; name: string }[]
  person: { name: string; email: string; role: Role }
}
