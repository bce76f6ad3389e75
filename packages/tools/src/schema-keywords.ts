// The keywords of draft 2020-12 (and what is left of older drafts in it) by what is under them.

export const oneSchema: ReadonlySet<string> = new Set(
  'additionalProperties unevaluatedProperties unevaluatedItems items contains not if then else propertyNames'.split(
    ' ',
  ),
)
export const listOfSchemas: ReadonlySet<string> = new Set('allOf anyOf oneOf prefixItems'.split(' '))
export const mapOfSchemas: ReadonlySet<string> = new Set(
  'properties patternProperties $defs definitions dependentSchemas dependencies'.split(' '),
)
export const references: ReadonlySet<string> = new Set('$ref $dynamicRef $id $anchor $dynamicAnchor'.split(' '))

/** Data. Ajv does not look for schemas in it. */
export const plain: ReadonlySet<string> = new Set(
  (
    'type enum const default format pattern required dependentRequired multipleOf minimum maximum exclusiveMinimum ' +
    'exclusiveMaximum minLength maxLength minItems maxItems uniqueItems minContains maxContains minProperties maxProperties'
  ).split(' '),
)

/**
 * Whether the JSON pointer of a reference (`#/$defs/a`) leads to a place where a schema is, by the keywords on the way.
 * One that leads into data (`#/const/a`, `#/x-own/a`) would bring in a schema that nobody has walked.
 */
export function leadsToSchema(reference: string): boolean {
  const start = reference.indexOf('#/')
  if (start < 0) return true
  const segments = reference
    .slice(start + 2)
    .split('/')
    .map((segment) => decode(segment).replaceAll('~1', '/').replaceAll('~0', '~'))
  for (let index = 0; index < segments.length; index++) {
    const keyword = segments[index]!
    const one = oneSchema.has(keyword)
    if (!one && !listOfSchemas.has(keyword) && !mapOfSchemas.has(keyword)) return false
    if (!one && ++index === segments.length) return false
  }
  return true
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
