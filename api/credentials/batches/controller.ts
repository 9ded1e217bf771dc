import {
  Body,
  Controller,
  Example,
  Get,
  OperationId,
  Path,
  Post,
  Produces,
  Queries,
  Query,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { type PageQuery, snakeTotals, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import { responseTo, sendFile } from '../../frame/streams.ts'
import type { Uuid } from '../../frame/wire.ts'
import { assertRevokes, type BulkRevocation } from '../revocations.controller.ts'
import { formatsOf } from '../scopes.ts'
import { errorsAsCsv, errorsAsLines } from './files.ts'
import { createBatch } from './receive.ts'
import {
  BATCH_EXAMPLE,
  type BatchOut,
  type BatchPageOut,
  type BatchQuery,
  type BatchStatus,
  batchToWire,
} from './wire.ts'

interface BatchListQuery extends PageQuery {
  /** Returns only the batches in this state. */
  status?: BatchStatus
}

interface BatchRevocationIn {
  /** true: a bulk revocation cannot be undone in one request. May be absent. */
  is_revoked?: BulkRevocation
}

@Route('v1/credentials/batches')
@Tags('Batches')
export class CredentialBatchesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Signs up to 1,000,000 credentials from one upload: JSON lines, each with the members of signWebSemanticCredential's
   * body (with templateId, of signWebSemanticCredentialFromTemplate's), or CSV, whose header line names the claims (see
   * docs/batches.md). The query sets the defaults of the rows. The response comes when the last row is stored; an
   * invalid row does not stop the others.
   * @summary Create a batch of credentials
   */
  @Post()
  @OperationId('createCredentialBatch')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(201)
  @Example<BatchOut>(BATCH_EXAMPLE)
  @Response<Problem>(404, 'no such credential template')
  @Response<Problem>(
    409,
    'too many batches are open, or no issuer is named and the tenant has no default issuer that fits',
  )
  @Response<Problem>(413, 'the upload is too large')
  @Response<Problem>(415, 'the upload is neither JSON lines nor CSV')
  async create(@Request() called: Called & HttpRequest, @Queries() query: BatchQuery): Promise<BatchOut> {
    const batch = await createBatch(this.platform, called, query)
    this.setStatus(201)
    this.setHeader('Location', `/v1/credentials/batches/${batch.id}`)
    return batchToWire(batch)
  }

  /**
   * Returns the tenant's batches of all formats whose scope to read the token has, newest first.
   * @summary List batches
   */
  @Get()
  @OperationId('listCredentialBatches')
  @Security('bearerAuth', ['semantic-credentials:read'])
  async list(@Request() called: Called & HttpRequest, @Queries() query: BatchListQuery): Promise<BatchPageOut> {
    const page = toPage(query.limit, query.page)
    const { batches, total } = await this.platform.batches.listBatches(
      called.user.tenantId,
      formatsOf(called, 'read'),
      {
        state: query.status,
        ...page,
      },
    )
    return { data: batches.map(batchToWire), ...snakeTotals(total, page.limit) }
  }

  /**
   * Returns the batch's counts, its rate, and what it waits for. The token needs the scope to read the batch's format as
   * well, as for its errors and results; to pause, resume, cancel or revoke it, the scope to write it.
   * @summary Read a batch
   */
  @Get('{id}')
  @OperationId('getCredentialBatch')
  @Security('bearerAuth', ['semantic-credentials:read'])
  @Response<Problem>(403, "the token does not have the scope of the batch's format")
  async read(@Request() called: Called & HttpRequest, @Path() id: Uuid): Promise<BatchOut> {
    const readable = formatsOf(called, 'read')
    return batchToWire(await this.platform.batches.readBatch(called.user.tenantId, id, readable))
  }

  /**
   * Pauses the batch: no further row starts until it is resumed.
   * @summary Pause a batch
   */
  @Post('{id}/pause')
  @OperationId('pauseCredentialBatch')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @Response<Problem>(403, "the token does not have the scope of the batch's format")
  @SuccessResponse(200)
  @Response<Problem>(409, 'the batch has ended')
  async pause(@Request() called: Called & HttpRequest, @Path() id: Uuid): Promise<BatchOut> {
    return batchToWire(await this.platform.batches.pauseBatch(called.user, id, formatsOf(called, 'write')))
  }

  /**
   * Continues the batch where it paused. If the batch paused because an issuer or the template was deleted, its rows
   * are refused one by one. If it paused for another reason and an issuer or the template was deleted since, it pauses
   * again with that reason before it refuses a row.
   * @summary Resume a batch
   */
  @Post('{id}/resume')
  @OperationId('resumeCredentialBatch')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @Response<Problem>(403, "the token does not have the scope of the batch's format")
  @SuccessResponse(200)
  @Response<Problem>(409, 'the batch has ended')
  async resume(@Request() called: Called & HttpRequest, @Path() id: Uuid): Promise<BatchOut> {
    return batchToWire(await this.platform.batches.resumeBatch(called.user, id, formatsOf(called, 'write')))
  }

  /**
   * Ends the batch: the signed credentials stay valid, the remaining rows are erased.
   * @summary Cancel a batch
   */
  @Post('{id}/cancel')
  @OperationId('cancelCredentialBatch')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @Response<Problem>(403, "the token does not have the scope of the batch's format")
  @SuccessResponse(200)
  @Response<Problem>(409, 'the batch has ended')
  async cancel(@Request() called: Called & HttpRequest, @Path() id: Uuid): Promise<BatchOut> {
    return batchToWire(await this.platform.batches.cancelBatch(called.user, id, formatsOf(called, 'write')))
  }

  /**
   * Revokes every credential of an ended batch that has a status. The response comes at once; the batch shows the
   * progress. The body may be absent.
   * @summary Revoke a batch
   */
  @Post('{id}/revocation')
  @OperationId('revokeCredentialBatch')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(202)
  @Response<Problem>(409, 'the batch has not ended')
  @Response<Problem>(403, "the token does not have the scope of the batch's format")
  async revoke(
    @Request() called: Called & HttpRequest,
    @Path() id: Uuid,
    @Body() body?: BatchRevocationIn,
  ): Promise<BatchOut> {
    assertRevokes(body?.is_revoked ?? true)
    this.setStatus(202)
    this.setHeader('Location', `/v1/credentials/batches/${id}`)
    return batchToWire(await this.platform.batches.revokeBatch(called.user, id, formatsOf(called, 'write')))
  }

  /**
   * Returns the rows refused so far, one line per broken rule: row, field, code, rule, message. The lines repeat no
   * value of a row.
   * @summary Download a batch's errors
   */
  @Get('{id}/errors')
  @OperationId('getCredentialBatchErrors')
  @Security('bearerAuth', ['semantic-credentials:read'])
  @Response<Problem>(403, "the token does not have the scope of the batch's format")
  @SuccessResponse(200)
  @Produces('application/x-ndjson')
  async errors(@Request() called: Called & HttpRequest, @Path() id: Uuid, @Query() format: 'jsonl' | 'csv' = 'jsonl') {
    const { tenantId } = called.user
    await this.platform.batches.readBatch(tenantId, id, formatsOf(called, 'read'))
    const pages = this.platform.batchFiles.rowErrors(tenantId, id)
    const type = format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson'
    const texts = format === 'csv' ? errorsAsCsv(pages) : errorsAsLines(pages)
    await sendFile(responseTo(called), { type, name: `batch-${id}-errors.${format}` }, texts)
  }

  /**
   * Returns the credentials signed so far in the order of the rows, as lines of row, id and credential.
   * @summary Download a batch's credentials
   */
  @Get('{id}/results')
  @OperationId('getCredentialBatchResults')
  @Security('bearerAuth', ['semantic-credentials:read'])
  @Response<Problem>(403, "the token does not have the scope of the batch's format")
  @SuccessResponse(200)
  @Produces('application/x-ndjson')
  async results(@Request() called: Called & HttpRequest, @Path() id: Uuid, @Query() after: RowNumber = 0) {
    const { tenantId } = called.user
    await this.platform.batches.readBatch(tenantId, id, formatsOf(called, 'read'))
    const texts = this.platform.batchFiles.results(tenantId, id, after)
    await sendFile(responseTo(called), { type: 'application/x-ndjson', name: `batch-${id}.jsonl` }, texts)
  }
}

/**
 * Row after which the download starts, to continue an interrupted one.
 * @isInt after must be a whole number
 * @minimum 0 after must be 0 or more
 * @maximum 1000000
 */
export type RowNumber = number
