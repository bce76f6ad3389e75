import { getRun } from '../../../../api/endpoints/runs.ts'
import { serve } from '../../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(getRun)
