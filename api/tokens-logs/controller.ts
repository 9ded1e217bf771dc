import {
  Body,
  Controller,
  Example,
  Get,
  OperationId,
  Post,
  Queries,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Count, DateTime, Uuid } from '../frame/wire.ts'
import { COUNTS, type CountsQuery, countsToWire, type LogCountsOut, toHours } from './counts.wire.ts'
import { type LogFilterIn, toFilter } from './wire.ts'

interface LogEntryOut {
  id: Uuid
  category: string
  type: string
  timestamp: DateTime
  /** A JSON object, as text. */
  data: string
  /** A JSON object, as text. */
  metadata: string
  requestId: Uuid
  /** Ids of the objects of the entry. */
  objectIds: Uuid[]
  /** Its place in the tenant's chain, from 1; null for about a second, until it is chained. */
  position: Count | null
  /** SHA-256 over the entry, its position and the hash before it, in hexadecimal: see docs/logs.md. */
  hash: string | null
}

interface LogPageOut {
  data: LogEntryOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

@Route('v1')
@Tags('Tokens and logs')
export class LogsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's log entries, newest first.
   * @summary Search the log
   */
  @Post('analytics/events')
  @OperationId('getListOfLogs')
  @Security('bearerAuth', ['logs:read'])
  @SuccessResponse(200)
  @Response<Problem>(400, 'a filter is not valid')
  async listLogs(
    @Request() called: Called,
    @Body() body: LogFilterIn,
    @Queries() query: PageQuery,
  ): Promise<LogPageOut> {
    const page = toPage(query.limit, query.page)
    const filter = { ...toFilter(body), ...page }
    const { entries, total } = await this.platform.tokensLogs.listLogs(called.user.tenantId, filter)
    return {
      data: entries.map(({ id, category, type, timestamp, data, metadata, requestId, objectIds, position, hash }) => ({
        id,
        category,
        type,
        timestamp: timestamp.toISOString(),
        data: JSON.stringify(data),
        metadata: JSON.stringify(metadata),
        requestId,
        objectIds: objectIds ?? [],
        position,
        hash,
      })),
      ...camelTotals(total, page.limit),
    }
  }

  /**
   * Counts the tenant's log entries by hour, of each kind those that succeeded and those that failed: what was signed, verified,
   * delivered, and whatever else happened. Every hour of the span is there, in UTC, also with 0. At most 168 hours, which begin
   * at most 30 days ago. Entries that retention has removed are counted still.
   * @summary Count log entries by hour
   */
  @Get('analytics/events/counts')
  @OperationId('getLogCounts')
  @Security('bearerAuth', ['logs:read'])
  @Example<LogCountsOut>(COUNTS)
  @Response<Problem>(400, 'a time cannot be read, or the span is too long or too old')
  async countLogs(@Request() called: Called, @Queries() query: CountsQuery): Promise<LogCountsOut> {
    const { from, hours } = toHours(query, new Date())
    return countsToWire(from, hours, await this.platform.tokensLogs.countLogs(called.user.tenantId, from, hours))
  }
}
