import { hash, verify } from '@node-rs/argon2'
import { Problem } from './problem.ts'

/** Longer is stronger; the upper end only keeps a request from handing us a book to hash. */
export const passwordLength = { min: 12, max: 256 } as const

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. @node-rs/argon2 makes argon2id by default. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** The same password typed on another keyboard may come as other code points; NFKC makes them one. */
const normalise = (password: string) => password.normalize('NFKC')
const lengthOf = (password: string) => [...password].length

/** Throws a Problem that says what is wrong with a new password, and never repeats it. */
export function checkNewPassword(password: string): void {
  const length = lengthOf(normalise(password))
  if (length < passwordLength.min)
    throw new Problem(
      `The password is too short: it has ${length} characters, expected at least ${passwordLength.min}.`,
      'Choose a longer one; a few unrelated words are easy to keep in mind.',
    )
  if (length > passwordLength.max)
    throw new Problem(
      `The password is too long: it has ${length} characters, expected at most ${passwordLength.max}.`,
      'Choose a shorter one.',
    )
}

/** argon2id as a PHC string. Throws a Problem when the password does not keep the rules. */
export async function hashPassword(password: string): Promise<string> {
  checkNewPassword(password)
  return await hash(normalise(password), cost)
}

let dummyHash: Promise<string> | null = null

/**
 * Whether this is the password. Where there is none to compare with (`hashed` is null) the same work is done on a
 * dummy, so that the time taken does not tell whether the e-mail is known.
 */
export async function verifyPassword(hashed: string | null, password: string): Promise<boolean> {
  const tooLong = password.length > passwordLength.max * 4 || lengthOf(normalise(password)) > passwordLength.max
  if (hashed === null || tooLong) {
    dummyHash ??= hash('no login has this password', cost)
    await verify(await dummyHash, 'and nobody typed this one')
    return false
  }
  return await verify(hashed, normalise(password))
}
