// Every endpoint of the REST API. A route.ts serves them; a test fails where one of the two has what the other has not.
import type { Endpoint } from './endpoint.ts'
import { attachAgentTool, detachAgentTool, listAgentTools } from './endpoints/agent-tools.ts'
import { getTool, getToolDetail, listTools } from './endpoints/tools.ts'

export const endpoints: readonly Endpoint[] = [
  listTools,
  getTool,
  getToolDetail,
  listAgentTools,
  attachAgentTool,
  detachAgentTool,
]
