import { followQuestionsOf } from '../../../../api/endpoints/questions.ts'
import { serve } from '../../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(followQuestionsOf)
