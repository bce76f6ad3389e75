/** `/status`, `/agent@our_bot writer`; null for what is no command. `/start CODE` is how Telegram's links bring a code. */
export function parseSlashCommand(text: string): { name: string; argument: string } | null {
  const [, name, argument = ''] = /^\/([a-z][a-z0-9_]{0,31})(?:@\w+)?(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? []
  if (!name) return null
  const called = { name: name.toLowerCase(), argument: argument.trim() }
  if (called.name !== 'start') return called
  return called.argument ? { ...called, name: 'link' } : { name: 'help', argument: '' }
}
