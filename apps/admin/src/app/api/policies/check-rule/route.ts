import { checkRule } from '../../../../api/endpoints/policy-draft.ts'
import { serve } from '../../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(checkRule)
