import { listSecrets, storeSecret } from '../../../api/endpoints/secrets.ts'
import { serve } from '../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(listSecrets, storeSecret)
