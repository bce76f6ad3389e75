import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest. On a fresh clone nothing is known of how long a file takes, and a long one that comes
 * last runs alone while the other worker has nothing to do.
 */
const slow = ['guard/paths/races', 'browser/accessibility', 'e2e/working-day', 'e2e/slack-working-day', 'chaos/']

const isSlow = ({ moduleId }: TestSpecification) => slow.some((part) => moduleId.includes(part))

/** What takes longest begins first, whatever is remembered of earlier runs. */
export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
