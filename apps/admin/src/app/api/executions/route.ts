import { listExecutions } from '../../../api/endpoints/executions.ts'
import { serve } from '../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(listExecutions)
