import { listRunQuestions } from '../../../../../api/endpoints/runs.ts'
import { serve } from '../../../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(listRunQuestions)
