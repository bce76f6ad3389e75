type Config = Readonly<Record<string, unknown>>

/**
 * The attachments' configurations under what the installation fixed. Its values win; where both have a list (of hosts
 * that may be reached), what is left is in both: an attachment narrows, and never widens.
 */
export function narrowConfigs(
  attached: ReadonlyMap<string, Config>,
  fixed: Readonly<Record<string, Config>>,
): Map<string, Config> {
  const configs = new Map(attached)
  for (const [tool, values] of Object.entries(fixed)) {
    const own = attached.get(tool)
    const narrowed = Object.entries(values).map(([key, value]) => {
      const given = own && Object.hasOwn(own, key) ? own[key] : undefined
      if (!Array.isArray(value) || !Array.isArray(given)) return [key, value]
      return [key, given.filter((entry) => value.includes(entry))]
    })
    configs.set(tool, Object.freeze({ ...own, ...Object.fromEntries(narrowed) }))
  }
  return configs
}
