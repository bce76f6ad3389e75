/** packages/tools, loaded by Node itself like packages/db (see data.ts): its tools and policy are the bot's own. */
export const toolKit: typeof import('@quartermaster/tools') = await import(
  /* turbopackIgnore: true */ '@quartermaster/tools'
)
