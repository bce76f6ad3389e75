import { search } from '../../../api/endpoints/search.ts'
import { serve } from '../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(search)
