import type { CheckEdit } from '@quartermaster/db'
import { type Caller, checkEditedCall, type Policy, type ToolLookup } from '@quartermaster/tools'
import type { CallingRun } from '../tools/compose-caller.ts'

/** For answerQuestion: edited arguments are checked as this process would check a call of the run with them. */
export function createEditCheck(
  registry: ToolLookup,
  composeCaller: (run: CallingRun) => Promise<{ caller: Caller; policy: Policy }>,
): CheckEdit {
  return async (proposed) => {
    const { caller, policy } = await composeCaller(proposed)
    return checkEditedCall(registry, policy, caller, proposed)
  }
}
