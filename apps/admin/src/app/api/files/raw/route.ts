import { getFile } from '../../../../api/endpoints/files.ts'
import { serve } from '../../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(getFile)
