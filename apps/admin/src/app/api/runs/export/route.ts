import { exportRuns } from '../../../../api/endpoints/export-runs.ts'
import { serve } from '../../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(exportRuns)
