import { toolKit } from './tool-kit.ts'

/**
 * All arguments of a call, as people read them before and after they decide: what is invisible, or turns the direction of
 * the text around it, stands there as its code.
 */
export const describeArguments = (given: unknown): string =>
  toolKit.escapeLinesForDisplay(JSON.stringify(given, null, 2) ?? '')
