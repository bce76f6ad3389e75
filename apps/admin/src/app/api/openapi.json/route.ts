import { describeApi } from '../../../api/openapi.ts'
import { endpoints } from '../../../api/registry.ts'
import { runtime } from '../../../runtime.ts'

let text: string | null = null

/** For everybody: it tells how the API is, and nothing of any workspace. */
export async function GET(): Promise<Response> {
  text ??= JSON.stringify(describeApi(endpoints, runtime().version))
  return new Response(text, {
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache' },
  })
}
