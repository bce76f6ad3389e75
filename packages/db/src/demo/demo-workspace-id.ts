import { Random } from './random.ts'

/** The moment in ids that must not depend on the day the demo is made. */
export const founding = new Date('2026-06-01T08:00:00Z')

/** There is one demo at most, and it is made again in the same place. */
export const demoWorkspaceId = new Random(1).id('wsp', founding)
