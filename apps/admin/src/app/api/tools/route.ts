import { listTools } from '../../../api/endpoints/tools.ts'
import { serve } from '../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(listTools)
