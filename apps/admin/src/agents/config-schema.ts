import type { AnyTool, JSONSchema } from '@quartermaster/tools'

type ObjectSchema = { [keyword: string]: unknown; properties?: Record<string, JSONSchema> }

/**
 * The schema of everything that an attachment of a tool may be configured with: the tool's own settings, and for each of
 * its arguments what it is when the model leaves it out, what it always is, and the most that a number may be
 * (packages/tools/src/config.ts). `x-argument` says which argument a preset is about, so that a form can put those of one
 * together.
 */
export function configSchemaOf(tool: AnyTool): ObjectSchema {
  const own = propertiesOf(tool.configSchema)
  const presets = Object.entries(propertiesOf(tool.inputSchema)).flatMap(([argument, schema]) => {
    const plain = typeof schema === 'object' ? withoutDefault(schema) : {}
    const of = { name: argument, about: plain.description ?? '' }
    const about = (text: string) => ({ ...plain, title: undefined, description: text, 'x-argument': of })
    return [
      [`default_${argument}`, about(`What ${argument} is when the model leaves it out.`)] as const,
      [`fixed_${argument}`, about(`What ${argument} always is, whatever the model says.`)] as const,
      ...(isNumber(plain)
        ? [
            [
              `max_${argument}`,
              {
                type: 'number',
                description: `The most that ${argument} may be; more is lowered to it.`,
                'x-argument': of,
              },
            ] as const,
          ]
        : []),
    ]
  })
  const definitions = tool.inputSchema as ObjectSchema
  return {
    type: 'object',
    ...(definitions.$defs ? { $defs: definitions.$defs } : {}),
    properties: { ...own, ...Object.fromEntries(presets.filter(([key]) => !Object.hasOwn(own, key))) },
    required: (tool.configSchema as ObjectSchema | undefined)?.required ?? [],
    additionalProperties: false,
  }
}

const isNumber = ({ type }: ObjectSchema) => [type].flat().some((each) => each === 'number' || each === 'integer')

const propertiesOf = (schema: JSONSchema | undefined): Record<string, JSONSchema> =>
  (typeof schema === 'object' && (schema as ObjectSchema).properties) || {}

/** A preset that nobody fills in is not there; the argument's own default must not fill it in. */
function withoutDefault(schema: ObjectSchema): ObjectSchema {
  const { default: _, ...rest } = schema
  return rest
}
