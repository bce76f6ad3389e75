import { ApiError, renderError } from '../../../api/api-error.ts'

/** What is no address of the API is said in its own words, and not as a page. */
async function handle(): Promise<Response> {
  return renderError(new ApiError('NOT_FOUND', 'There is no such address. /api/openapi.json says which there are.'))
}

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT }
