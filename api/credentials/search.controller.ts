import {
  Body,
  Controller,
  Get,
  OperationId,
  Path,
  Post,
  Queries,
  Request,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { CredentialSummary } from '../../activities/credentials/search.ts'
import type { Platform } from '../../activities/index.ts'
import { formatOf } from '../../protocol/credentials/formats.ts'
import { Refusal } from '../../protocol/errors.ts'
import { uuidOfId } from '../../protocol/uuid.ts'
import type { Called } from '../frame/authentication.ts'
import { snakeTotals, toPage } from '../frame/pagination.ts'
import { inLowerCase } from '../frame/wire.ts'
import { allowedFormats } from './scopes.ts'
import {
  type CredentialId,
  type CredentialSearch,
  type CredentialSearchIn,
  type CredentialSummaryOut,
  type CredentialSummaryPageOut,
  eventToWire,
  summaryToWire,
  type TimelineOut,
  type TimelineQuery,
} from './search.wire.ts'

@Route('v1/credentials')
@Tags('Credentials of all formats')
export class CredentialSearchController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  private async find(called: Called & HttpRequest, id: string): Promise<CredentialSummary> {
    allowedFormats(called, 'read')
    const uuid = uuidOfId(id)
    if (!uuid) throw new Refusal('credential.not_found', 'There is no such credential.')
    const summary = await this.platform.credentialSearch.summary(called.user.tenantId, uuid)
    allowedFormats(called, 'read', [summary.row.format])
    return summary
  }

  private async searched(
    called: Called & HttpRequest,
    { limit, page: number, format, issuer, templateId, batchId, ...filter }: CredentialSearch & { subject?: string },
  ): Promise<CredentialSummaryPageOut> {
    const page = toPage(limit, number)
    const readable = allowedFormats(called, 'read', format && [formatOf(format)])
    const search = {
      ...filter,
      templateId: templateId && inLowerCase(templateId),
      batchId: batchId && inLowerCase(batchId),
      issuer: issuer && inLowerCase(issuer),
      ...page,
    }
    const { credentialSearch } = this.platform
    const { credentials, total } = await credentialSearch.searchCredentials(called.user.tenantId, readable, search)
    return { data: credentials.map(summaryToWire), ...snakeTotals(total, page.limit) }
  }

  /**
   * Returns the tenant's credentials of all formats whose scope to read the token has, newest first, without their
   * documents.
   * @summary Find credentials
   */
  @Get()
  @OperationId('listCredentials')
  @Security('bearerAuth', [])
  async list(
    @Request() called: Called & HttpRequest,
    @Queries() query: CredentialSearch,
  ): Promise<CredentialSummaryPageOut> {
    return this.searched(called, query)
  }

  /**
   * Returns the tenant's credentials as listCredentials does, also by the id of a subject, which stands in the body because
   * it is personal data. Credentials of a release that did not keep digests of subjects are found once the hourly
   * maintenance has indexed them; mobile credentials name no subject.
   * @summary Search credentials, also by subject
   */
  @Post('search')
  @OperationId('searchCredentials')
  @Security('bearerAuth', [])
  @SuccessResponse(200)
  async search(
    @Request() called: Called & HttpRequest,
    @Body() body: CredentialSearchIn,
  ): Promise<CredentialSummaryPageOut> {
    const given = Object.entries(body).filter(([, value]) => value !== null)
    return this.searched(called, Object.fromEntries(given))
  }

  /**
   * Returns a credential of any format without its document, which `url` leads to. The token needs the scope to read its
   * format.
   * @summary Read a credential of any format
   */
  @Get('{id}')
  @OperationId('getCredential')
  @Security('bearerAuth', [])
  async read(@Request() called: Called & HttpRequest, @Path() id: CredentialId): Promise<CredentialSummaryOut> {
    return summaryToWire(await this.find(called, id))
  }

  /**
   * Returns what happened to a credential, oldest first: its batch, its signing, its status entries, each revocation and
   * suspension with the first published list that shows it, notifications, QR codes and PDFs. Each event names the request
   * and the workflow that caused it, where there is one.
   * @summary Read the timeline of a credential
   */
  @Get('{id}/timeline')
  @OperationId('getCredentialTimeline')
  @Security('bearerAuth', [])
  async timeline(
    @Request() called: Called & HttpRequest,
    @Path() id: CredentialId,
    @Queries() query: TimelineQuery,
  ): Promise<TimelineOut> {
    const page = toPage(query.limit, query.page)
    const { row } = await this.find(called, id)
    const { events, total } = await this.platform.credentialTimeline.readTimeline(called.user.tenantId, row.id, page)
    return { data: events.map(eventToWire), ...snakeTotals(total, page.limit) }
  }
}
