import type { AnyTool } from '../../contract.ts'
import type { Outbound } from '../../guard/outbound-request.ts'
import { createHttpRequestTool } from './http-request.ts'
import { createWebFetchTool } from './web-fetch.ts'
import { createWebSearchTool, type SearchSettings } from './web-search.ts'

export type { SearchSettings } from './web-search.ts'

export interface WebToolsPorts {
  outbound: Outbound
  /** Without it the search says that it is not set up. */
  search?: SearchSettings | null
}

export function createWebTools({ outbound, search = null }: WebToolsPorts): AnyTool[] {
  return [createWebFetchTool(outbound), createHttpRequestTool(outbound), createWebSearchTool(search)]
}
