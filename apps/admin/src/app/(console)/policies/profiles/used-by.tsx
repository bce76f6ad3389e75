export const UsedBy = ({ users }: { users: readonly string[] }) => (
  <p className="text-ink-3 text-xs">{users.length ? `Used by ${users.join(', ')}.` : 'Used by nobody.'}</p>
)
