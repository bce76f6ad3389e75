import { exportAudit } from '../../../../api/endpoints/audit-export.ts'
import { serve } from '../../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(exportAudit)
