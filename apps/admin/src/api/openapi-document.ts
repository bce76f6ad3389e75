// The part of an OpenAPI 3.1 document that ours is made of.

export type JsonSchema = Record<string, unknown>

export interface OpenApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
}

export interface OpenApiAnswer {
  description: string
  content?: Record<string, { schema: JsonSchema }>
  headers?: Record<string, { $ref: string }>
}

export interface OpenApiOperation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: Record<string, string[]>[]
  parameters: ({ $ref: string } | OpenApiParameter)[]
  requestBody?: { required: true; content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, OpenApiAnswer>
}

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, OpenApiOperation>>
  components: {
    securitySchemes: Record<string, unknown>
    parameters: Record<string, OpenApiParameter>
    headers: Record<string, unknown>
    schemas: Record<string, JsonSchema>
  }
}
