import type { AreaUnderTest } from '../area.ts'
import { restCalls } from '../rest-calls.ts'

/** The routes of the REST API; that these are all of them is checked where they are called. */
const routes = new Set(Object.keys(restCalls).map((key) => key.replace(/^\w+ /, '').replace(/\{(\w+)\}/g, '[$1]')))

export default {
  pages: { '/api-reference': 'viewer' },
  byId: {
    ...Object.fromEntries([...routes].map((route) => [route, 'rest-api.test.ts'])),
    '/api/openapi.json': 'rest-api.test.ts',
    '/api/[[...unknown]]': 'rest-api.test.ts',
  },
} satisfies AreaUnderTest
