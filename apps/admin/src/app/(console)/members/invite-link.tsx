import { ShownOnce } from '../../../components/shown-once.tsx'

export function InviteLink({ link, email }: { link: string; email: string }) {
  return (
    <ShownOnce label={`The link for ${email}`} text={link}>
      Give it to them yourself: there is no mail server here. It works once, within seven days, and is not shown again.
      Whoever opens it becomes this member.
    </ShownOnce>
  )
}
