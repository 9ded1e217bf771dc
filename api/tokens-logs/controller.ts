import {
  Body,
  Controller,
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
import { Refusal } from '../../protocol/errors.ts'
import type { Called } from '../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Count, DateTime, Uuid } from '../frame/wire.ts'

interface LogFilterIn {
  /**
   * E.g. did, credential-web-semantic. Empty: all.
   * @maxItems 100
   */
  categories: string[]
  /**
   * E.g. DID_CREATE_SUCCESS. Empty: all. An entry matches by category or by type.
   * @maxItems 100
   */
  types: string[]
  /**
   * Ids of log entries. Empty: all.
   * @maxItems 1000
   */
  ids: Uuid[]
  /**
   * Values of `x-request-id` of responses. Empty: all.
   * @maxItems 1000
   */
  requestIds: Uuid[]
  /**
   * Ids of the objects of entries: DIDs, credentials, templates, batches, revocations, requests, lists. Empty or
   * absent: all.
   * @maxItems 100
   */
  objectIds?: Uuid[]
  /** Inclusive. */
  dateFrom: Date
  /** Inclusive. */
  dateTo: Date
}

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
}

interface LogPageOut {
  data: LogEntryOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

/**
 * The schema accepts ISO 8601 forms that Date cannot read, such as week dates, and zones that leave the four-digit
 * years.
 */
const readable = (date: Date, name: string): Date => {
  const year = date.getUTCFullYear()
  if (year >= 1 && year <= 9999) return date
  throw new Refusal('request.invalid', `${name} is not a date and time.`, [
    { path: name, code: 'date_time', message: 'expected the form 2027-01-31T12:00:00Z' },
  ])
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
    const { dateFrom, dateTo, objectIds = [], ...filter } = body
    const { entries, total } = await this.platform.tokensLogs.listLogs(called.user.tenantId, {
      ...filter,
      objectIds,
      from: readable(dateFrom, 'dateFrom'),
      to: readable(dateTo, 'dateTo'),
      ...page,
    })
    return {
      data: entries.map(({ id, category, type, timestamp, data, metadata, requestId, objectIds }) => ({
        id,
        category,
        type,
        timestamp: timestamp.toISOString(),
        data: JSON.stringify(data),
        metadata: JSON.stringify(metadata),
        requestId,
        objectIds: objectIds ?? [],
      })),
      ...camelTotals(total, page.limit),
    }
  }
}
