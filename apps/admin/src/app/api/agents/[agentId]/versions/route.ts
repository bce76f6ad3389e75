import { listAgentVersions } from '../../../../../api/endpoints/agents.ts'
import { serve } from '../../../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(listAgentVersions)
