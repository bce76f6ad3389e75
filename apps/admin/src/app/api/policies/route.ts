import { getPolicy } from '../../../api/endpoints/policies.ts'
import { serve } from '../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(getPolicy)
