/** How often whoever takes a long answer is looked at again. */
const checkMs = 10_000

/** The rows of an export, for as long as its reader may have them: a revoked key or a lost role ends it in the middle. */
export async function* whileAllowed<Row>(
  rows: AsyncIterable<Row>,
  isStillAllowed: () => Promise<boolean>,
  everyMs = checkMs,
): AsyncGenerator<Row> {
  let checkedAt = Date.now()
  for await (const row of rows) {
    if (Date.now() - checkedAt >= everyMs) {
      if (!(await isStillAllowed())) throw new Error('whoever took an export lost the right to it')
      checkedAt = Date.now()
    }
    yield row
  }
}
