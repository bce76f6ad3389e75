import { type Database, hashPassword, newId, type Role, roles } from '@quartermaster/db'

export interface Person {
  email: string
  loginId: string
  memberId: string
  role: Role
}

/** Everybody's; how it is stored is the business of sign-in.test.ts in packages/db. */
export const password = 'a password for all the tests'
let passwordHash: Promise<string> | null = null

/** Somebody who signs in to the console, and the workspaces in which they are a member. */
export async function addPerson(
  db: Database,
  input: { name: string; role: Role; workspaceIds: string[]; withPassword?: boolean },
): Promise<Person> {
  passwordHash ??= hashPassword(password)
  const loginId = newId('log')
  const email = `${input.name.toLowerCase().replaceAll(' ', '.')}@people.example`
  await db.pool.query('INSERT INTO logins (id, email, name, password_hash) VALUES ($1, $2, $3, $4)', [
    loginId,
    email,
    input.name,
    input.withPassword === false ? null : await passwordHash,
  ])
  const ids = []
  for (const workspaceId of input.workspaceIds) {
    const memberId = newId('mem')
    await db.pool.query('INSERT INTO members (id, workspace_id, name, email, role) VALUES ($1, $2, $3, $4, $5::role)', [
      memberId,
      workspaceId,
      input.name,
      email,
      input.role,
    ])
    await db.pool.query(
      `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, login_id) VALUES ($1, $2, $3, 'console', $4, $4)`,
      [newId('idn'), workspaceId, memberId, loginId],
    )
    ids.push(memberId)
  }
  return { email, loginId, memberId: ids[0] as string, role: input.role }
}

/** One of each role in a workspace: Olga the owner, Adam the admin … */
export async function addOneOfEach(db: Database, workspaceId: string): Promise<Record<Role, Person>> {
  const names: Record<Role, string> = {
    owner: 'Olga Owner',
    admin: 'Adam Admin',
    approver: 'Anna Approver',
    member: 'Mika Member',
    viewer: 'Vera Viewer',
  }
  const people = {} as Record<Role, Person>
  for (const role of roles) people[role] = await addPerson(db, { name: names[role], role, workspaceIds: [workspaceId] })
  return people
}
