/** What a form learns from its action. */
export type ActionResult =
  | { ok: true; message: string }
  /** `fields`: what is wrong with which field, by its name. */
  | { ok: false; message: string; fields?: Record<string, string> }
