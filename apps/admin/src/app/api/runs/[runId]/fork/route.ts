import { forkRun } from '../../../../../api/endpoints/run-changes.ts'
import { serve } from '../../../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(forkRun)
