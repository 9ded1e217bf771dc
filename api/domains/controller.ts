import {
  Body,
  Controller,
  Delete,
  Example,
  Get,
  OperationId,
  Path,
  Post,
  Put,
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
import type { Uuid } from '../frame/wire.ts'
import {
  type DomainIn,
  type DomainOut,
  type DomainPageOut,
  type DomainUpdateIn,
  domainToWire,
  NEW_DOMAIN,
  VERIFIED_DOMAIN,
} from './wire.ts'

@Route('v1/config/domain')
@Tags('Custom domains')
export class DomainsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's domains, newest first.
   * @summary List custom domains
   */
  @Get()
  @OperationId('getListOfDomains')
  @Security('bearerAuth', ['domains:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<DomainPageOut> {
    const page = toPage(query.limit, query.page)
    const { domains, total } = await this.platform.domains.listDomains(called.user.tenantId, page)
    return { domains: domains.map(domainToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Creates a custom domain with a token. Publish the token as a TXT record at the domain, or at `_countersign.` followed
   * by the domain. A workflow looks for the record for 7 days; then the domain is verified and serves the tenant's public
   * addresses.
   * @summary Create a custom domain
   */
  @Post()
  @OperationId('createDomain')
  @Security('bearerAuth', ['domains:write'])
  @SuccessResponse(200)
  @Example<DomainOut>(NEW_DOMAIN)
  @Response<Problem>(409, 'the tenant has this domain or too many domains already, or it is verified by another owner')
  async create(@Request() called: Called, @Body() body: DomainIn): Promise<DomainOut> {
    return domainToWire(await this.platform.domains.createDomain(called.user, body))
  }

  /**
   * Returns a domain. While it is not verified, `waiting` says why, and when the platform looks again.
   * @summary Read a custom domain
   */
  @Get('{id}')
  @OperationId('getDomain')
  @Security('bearerAuth', ['domains:read'])
  @Example<DomainOut>(VERIFIED_DOMAIN)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<DomainOut> {
    return domainToWire(await this.platform.domains.readDomain(called.user.tenantId, id))
  }

  /**
   * Changes the name. For another domain, create another one.
   * @summary Update a custom domain
   */
  @Put('{id}')
  @OperationId('updateDomain')
  @Security('bearerAuth', ['domains:write'])
  @Example<DomainOut>(VERIFIED_DOMAIN)
  async update(@Request() called: Called, @Path() id: Uuid, @Body() body: DomainUpdateIn): Promise<DomainOut> {
    return domainToWire(await this.platform.domains.updateDomain(called.user, await this.chosen(called, id), body))
  }

  /**
   * Deletes a domain. It serves nothing any more in any process within 10 seconds. Remove its TXT record from DNS.
   * @summary Delete a custom domain
   */
  @Delete('{id}')
  @OperationId('deleteDomain')
  @Security('bearerAuth', ['domains:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.domains.deleteDomain(called.user, await this.chosen(called, id))
  }

  /**
   * Looks for the TXT record now. A domain that was given up waits for its record again. 400 says what DNS has at which
   * name; a verified domain stays verified then, for as long as the 7 days last.
   * @summary Verify a custom domain
   */
  @Post('{id}/verify')
  @OperationId('verifyDomain')
  @Security('bearerAuth', ['domains:write'])
  @SuccessResponse(204)
  @Response<Problem>(400, 'no TXT record is the token; the detail says what was found')
  @Response<Problem>(409, 'the domain is verified already by another owner')
  async verify(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.domainVerification.verifyDomain(called.user, await this.chosen(called, id))
  }

  /**
   * Takes the verification back. The domain gets a new token, waits for a TXT record with it, and serves nothing any more
   * in any process within 10 seconds.
   * @summary Invalidate a custom domain
   */
  @Post('{id}/invalidate')
  @OperationId('invalidateDomain')
  @Security('bearerAuth', ['domains:write'])
  @SuccessResponse(200)
  @Example<DomainOut>(NEW_DOMAIN)
  async invalidate(@Request() called: Called, @Path() id: Uuid): Promise<DomainOut> {
    return domainToWire(await this.platform.domains.invalidateDomain(called.user, await this.chosen(called, id)))
  }

  private chosen({ user }: Called, id: string): Promise<string> {
    return this.platform.domains.chosenDomain(user.tenantId, id)
  }
}
