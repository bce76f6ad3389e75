// The type of what a JSON Schema literal accepts, after defaults were applied. It knows the keywords that tools use for
// their arguments; whatever else a schema says is `unknown` here and checked at run time all the same.
// (json-schema-to-ts knows more, and TypeScript 7 gives up on it: "excessively deep".)

export type ArgumentsOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Some)[] }
      ? ArgumentsOf<Some>
      : Schema extends { readonly oneOf: readonly (infer One)[] }
        ? ArgumentsOf<One>
        : Schema extends { readonly type: readonly (infer Types)[] }
          ? Types extends string
            ? TypeOf<Types, Schema>
            : unknown
          : Schema extends { readonly type: infer Type extends string }
            ? TypeOf<Type, Schema>
            : unknown

type TypeOf<Type extends string, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? Schema extends { readonly items: infer Items }
            ? ArgumentsOf<Items>[]
            : unknown[]
          : Type extends 'object'
            ? ObjectOf<Schema>
            : unknown

type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      {
        [Key in keyof Properties as Key extends Present<Schema, Properties> ? Key : never]: ArgumentsOf<Properties[Key]>
      } & {
        [Key in keyof Properties as Key extends Present<Schema, Properties> ? never : Key]?: ArgumentsOf<
          Properties[Key]
        >
      }
    >
  : Schema extends { readonly additionalProperties: infer Values extends object }
    ? Record<string, ArgumentsOf<Values>>
    : Record<string, unknown>

/** Required, or filled in by its default. */
type Present<Schema, Properties> =
  | (Schema extends { readonly required: readonly (infer Name)[] } ? Name : never)
  | { [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never }[keyof Properties]

type Flat<Type> = { [Key in keyof Type]: Type[Key] }
