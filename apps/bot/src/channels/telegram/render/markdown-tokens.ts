import type { MarkedToken, Token, Tokens } from 'marked'

/** marked's own tokens; what an extension of it would add does not come up, for there is none. */
export const known = (tokens: readonly Token[]) => tokens as readonly MarkedToken[]

/** Where a link may lead; any other address is shown instead of followed. */
export const isSafeLink = (href: string): boolean => /^(https?:\/\/|mailto:)/i.test(href)

export const languageOf = ({ lang }: Tokens.Code): string | undefined => /^[\w+#-]{1,30}/.exec(lang ?? '')?.[0]
