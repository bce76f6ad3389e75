import type { Role } from '@quartermaster/db'
import type { ConsoleUnderTest } from './console.ts'
import type { Person } from './people.ts'
import type { TenantIds } from './tenant-ids.ts'

/**
 * What an area of the console puts before the tests that look at all areas alike: who may see and do what
 * (roles.test.ts), and what axe finds (accessibility.test.ts). A file in areas/, named for the area, whose default
 * export this is, is found by itself. What the build has and no area names fails roles.test.ts.
 */
export interface AreaUnderTest {
  /** The least role that opens each page. */
  pages?: Record<string, Role>
  /** Routes that are asked for by an id, or follow what is, and the test file that has its say about each. */
  byId?: Record<string, string>
  /** The address of each page of `byId`, with ids of whatever workspace (tenants.test.ts). */
  foreign?: Record<string, (ids: TenantIds) => string>
  actions?: Record<string, TestedAction>
  /** Addresses beside `pages` that axe looks at, as somebody with the role admin: a detail page, a tab, a filter. */
  looks?: (it: ConsoleUnderTest) => string[] | Promise<string[]>
}

export interface TestedAction {
  /** The least role that it needs. */
  needs: Role
  /** A call of it that succeeds for whoever has the role; made anew for each role, so it may prepare what it changes. */
  form: (own: Person, it: ConsoleUnderTest) => Record<string, string> | Promise<Record<string, string>>
}
