import { getSessionFile } from '../../../../../../../api/endpoints/playground.ts'
import { serve } from '../../../../../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(getSessionFile)
