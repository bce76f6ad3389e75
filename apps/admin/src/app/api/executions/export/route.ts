import { ApiError, renderError } from '../../../../api/api-error.ts'
import { exportFormats, streamRows } from '../../../../api/stream-rows.ts'
import { exportCalls, exportColumns } from '../../../../executions/export-calls.ts'
import { readCallRequest } from '../../../../executions/read-call-request.ts'

/** All executions that the filters let in, as a file that is written while it is read. */
export async function GET(request: Request): Promise<Response> {
  try {
    const { caller, findAgain, filter, parameters } = await readCallRequest(request)
    const format = exportFormats.find((each) => each === (parameters.get('format') ?? 'csv'))
    if (!format) throw new ApiError('VALIDATION_ERROR', `Not understood: format. Send ${exportFormats.join(' or ')}.`)
    return streamRows({
      name: `executions-${new Date().toISOString().slice(0, 10)}`,
      format,
      columns: exportColumns,
      rows: exportCalls(caller, filter, { signal: request.signal, findAgain }),
      signal: request.signal,
    })
  } catch (error) {
    return renderError(error)
  }
}
