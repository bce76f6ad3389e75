import { detachAgentTool } from '../../../../../../api/endpoints/agent-tools.ts'
import { serve } from '../../../../../../api/serve.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(detachAgentTool)
