// The entities that texts are written with. One that is not here stays as it is written, which a model reads as well.
/** Name, character, name, character. */
const table = `
  amp & lt < gt > quot " apos ' copy © reg ® trade ™ hellip … mdash — ndash – lsquo ‘ rsquo ’ sbquo ‚ ldquo “
  rdquo ” bdquo „ laquo « raquo » lsaquo ‹ rsaquo › bull • middot · deg ° plusmn ± times × divide ÷ frac12 ½
  frac14 ¼ frac34 ¾ sup1 ¹ sup2 ² sup3 ³ micro µ para ¶ sect § euro € pound £ yen ¥ cent ¢ curren ¤ dagger †
  larr ← rarr → uarr ↑ darr ↓ harr ↔ le ≤ ge ≥ ne ≠ asymp ≈ infin ∞ minus − check ✓ szlig ß iexcl ¡ iquest ¿
  ordm º ordf ª auml ä ouml ö uuml ü Auml Ä Ouml Ö Uuml Ü agrave à aacute á acirc â atilde ã aring å aelig æ
  ccedil ç egrave è eacute é ecirc ê euml ë igrave ì iacute í icirc î iuml ï ntilde ñ ograve ò oacute ó ocirc ô
  otilde õ oslash ø ugrave ù uacute ú ucirc û yacute ý Agrave À Aacute Á Acirc Â Aring Å AElig Æ Ccedil Ç Egrave
  È Eacute É Ecirc Ê Ntilde Ñ Oacute Ó Oslash Ø oelig œ OElig Œ scaron š Scaron Š alpha α beta β gamma γ delta δ
  lambda λ mu μ pi π sigma σ omega ω Delta Δ Omega Ω sum ∑ radic √ part ∂ int ∫
`
const pairs = table.trim().split(/\s+/)
const named = new Map([
  ...['nbsp', 'ensp', 'emsp', 'thinsp'].map((name) => [name, ' '] as const),
  ...['shy', 'zwj', 'zwnj'].map((name) => [name, ''] as const),
  ...pairs.flatMap((name, index) => (index % 2 === 0 ? [[name, pairs[index + 1] as string] as const] : [])),
])

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,8}));?/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return named.get(name) ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : '\ufffd'
  })
}
