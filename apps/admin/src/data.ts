/**
 * packages/db, loaded by Node itself and not bundled into the pages: the console's server and its pages then share one
 * copy of it (one `Problem`, one set of limits), and it finds its migrations where they are. Types are imported from
 * '@quartermaster/db' as anywhere else.
 */
export const data: typeof import('@quartermaster/db') = await import(/* turbopackIgnore: true */ '@quartermaster/db')
