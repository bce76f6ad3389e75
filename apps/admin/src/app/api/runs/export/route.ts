import { exportRuns } from '../../../../api/endpoints/run-streams.ts'
import { serve } from '../../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(exportRuns)
