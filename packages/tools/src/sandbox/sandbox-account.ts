// Under which account programs run. Root is left behind before anything else: a limit on processes does not hold for
// root, and `bwrap` as root alone was escaped from (see docs/sandbox.md).

export interface SandboxAccount {
  uid: number
  gid: number
}

/**
 * A number that nobody else has: between what `useradd` gives out in practice and what distributions and systemd keep
 * for themselves. Not `nobody`, whose processes could read the work folders.
 */
const ownAccount: SandboxAccount = { uid: 48_231, gid: 48_231 }

/** Who must own a work folder so that programs can write there; null where they run under the bot's own account. */
export function sandboxAccount(): SandboxAccount | null {
  return process.getuid?.() === 0 ? ownAccount : null
}
