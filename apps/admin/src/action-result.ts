/** What a form learns from its action. */
export type ActionResult =
  /** `once`: what is shown to this person now and to nobody ever again, e.g. a code. */
  | { ok: true; message: string; once?: Record<string, string> }
  /** `fields`: what is wrong with which field, by its name. */
  | { ok: false; message: string; fields?: Record<string, string> }
