// For tests. A guard's test proves something only if it fails without the guard: each assertion runs against the guard
// and against a variant with a bug planted in it, and must tell the two apart.
import { expect } from 'vitest'

export async function holdsUnlikePlantedBug<Guard>(
  guard: Guard,
  planted: Guard,
  assertion: (guard: Guard) => void | Promise<void>,
): Promise<void> {
  await assertion(guard)
  const caught = await Promise.resolve()
    .then(() => assertion(planted))
    .then(
      () => false,
      () => true,
    )
  expect(caught, 'the assertion passes with the planted bug, so it proves nothing').toBe(true)
}
