import {
  Body,
  Controller,
  Example,
  Get,
  OperationId,
  Path,
  Post,
  Queries,
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
import { ACCEPTANCE, LEGAL_POLICY } from './examples.ts'
import {
  type AcceptanceIn,
  type AcceptanceOut,
  type AcceptancesOut,
  acceptanceToWire,
  type LegalPolicyIn,
  type LegalPolicyOut,
  type LegalPolicyPageOut,
  type LegalPolicyVersionIn,
  type PolicyVersion,
  policyLineToWire,
  policyToWire,
} from './legal.wire.ts'
import { publish } from './published.ts'

@Route('v1/legal/policies')
@Tags('Content')
export class LegalController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the legal policies by slug, each with its newest version and without its text. Public.
   * @summary List legal policies
   */
  @Get()
  @OperationId('listLegalPolicies')
  @Response(304, 'unchanged')
  async list(@Request() request: HttpRequest, @Queries() query: PageQuery): Promise<LegalPolicyPageOut | undefined> {
    const page = toPage(query.limit, query.page)
    const { policies, total } = await this.platform.legalPolicies.listLegalPolicies(page)
    return publish(this, request, { data: policies.map(policyLineToWire), ...snakeTotals(total, page.limit) })
  }

  /**
   * Creates a legal policy with its first version, which is public at once.
   * @summary Create a legal policy
   */
  @Post()
  @OperationId('createLegalPolicy')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(201)
  @Example<LegalPolicyOut>(LEGAL_POLICY)
  @Response<Problem>(409, 'the slug is taken')
  async create(@Request() called: Called, @Body() body: LegalPolicyIn): Promise<LegalPolicyOut> {
    const created = await this.platform.legalPolicies.createLegalPolicy(called.user, body)
    this.setStatus(201)
    this.setHeader('Location', `/v1/legal/policies/${created.slug}`)
    return policyToWire(created)
  }

  /**
   * Returns the newest version of a legal policy. Public.
   * @summary Read a legal policy
   */
  @Get('{slug}')
  @OperationId('getLegalPolicy')
  @Example<LegalPolicyOut>(LEGAL_POLICY)
  @Response(304, 'unchanged')
  @Response<Problem>(404, 'there is no such policy')
  async read(@Request() request: HttpRequest, @Path() slug: string): Promise<LegalPolicyOut | undefined> {
    return publish(this, request, policyToWire(await this.platform.legalPolicies.readLegalPolicy(slug)))
  }

  /**
   * Adds a version, which replaces the one before at once. No version is ever changed or deleted: people accepted them.
   * @summary Add a version of a legal policy
   */
  @Post('{slug}/versions')
  @OperationId('createLegalPolicyVersion')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(201)
  @Example<LegalPolicyOut>(LEGAL_POLICY)
  @Response<Problem>(404, 'there is no such policy')
  async addVersion(
    @Request() called: Called,
    @Path() slug: string,
    @Body() body: LegalPolicyVersionIn,
  ): Promise<LegalPolicyOut> {
    const created = await this.platform.legalPolicies.createLegalPolicyVersion(called.user, slug, body)
    this.setStatus(201)
    this.setHeader('Location', `/v1/legal/policies/${created.slug}/versions/${created.version}`)
    return policyToWire(created)
  }

  /**
   * Returns the versions of a legal policy, newest first, without their text. Public.
   * @summary List the versions of a legal policy
   */
  @Get('{slug}/versions')
  @OperationId('listLegalPolicyVersions')
  @Response(304, 'unchanged')
  @Response<Problem>(404, 'there is no such policy')
  async versions(
    @Request() request: HttpRequest,
    @Path() slug: string,
    @Queries() query: PageQuery,
  ): Promise<LegalPolicyPageOut | undefined> {
    const page = toPage(query.limit, query.page)
    const { versions, total } = await this.platform.legalPolicies.listLegalPolicyVersions(slug, page)
    return publish(this, request, { data: versions.map(policyLineToWire), ...snakeTotals(total, page.limit) })
  }

  /**
   * Returns one version of a legal policy. Public.
   * @summary Read a version of a legal policy
   */
  @Get('{slug}/versions/{version}')
  @OperationId('getLegalPolicyVersion')
  @Example<LegalPolicyOut>(LEGAL_POLICY)
  @Response(304, 'unchanged')
  @Response<Problem>(404, 'there is no such policy, or no such version')
  async version(
    @Request() request: HttpRequest,
    @Path() slug: string,
    @Path() version: PolicyVersion,
  ): Promise<LegalPolicyOut | undefined> {
    return publish(this, request, policyToWire(await this.platform.legalPolicies.readLegalPolicy(slug, version)))
  }

  /**
   * Records that the person with this token accepts the newest version. The same again returns the first record.
   * @summary Accept a legal policy
   */
  @Post('{slug}/acceptances')
  @OperationId('acceptLegalPolicy')
  @Security('bearerAuth', ['accounts:write'])
  @SuccessResponse(200)
  @Example<AcceptanceOut>(ACCEPTANCE)
  @Response<Problem>(404, 'there is no such policy, or no such version')
  @Response<Problem>(409, 'another version is in force')
  async accept(@Request() called: Called, @Path() slug: string, @Body() body: AcceptanceIn): Promise<AcceptanceOut> {
    return acceptanceToWire(await this.platform.legalPolicies.acceptLegalPolicy(called.user, slug, body.version))
  }

  /**
   * Returns which versions the person with this token accepted, newest first.
   * @summary List own acceptances of a legal policy
   */
  @Get('{slug}/acceptances')
  @OperationId('listLegalPolicyAcceptances')
  @Security('bearerAuth', ['accounts:read'])
  @Example<AcceptancesOut>({ data: [ACCEPTANCE] })
  @Response<Problem>(404, 'there is no such policy')
  async acceptances(@Request() called: Called, @Path() slug: string): Promise<AcceptancesOut> {
    const found = await this.platform.legalPolicies.listLegalPolicyAcceptances(called.user, slug)
    return { data: found.map(acceptanceToWire) }
  }
}
