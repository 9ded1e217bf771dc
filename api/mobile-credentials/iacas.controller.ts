import {
  Body,
  Controller,
  Delete,
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
import { Refusal } from '../../protocol/errors.ts'
import type { Called } from '../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import { type IacaIn, type IacaOut, type IacaPageOut, type IacaUpdateIn, iacaToWire } from './wire.ts'

const invalid = (path: string, code: string, message: string, detail: string) =>
  new Refusal('request.invalid', detail, [{ path, code, message }])

@Route('v1/credentials/mobile/iacas')
@Tags('Mobile credentials')
export class IacasController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Creates an issuing authority certificate authority (ISO/IEC 18013-5, annex B) with its key in the key store, or
   * imports the certificate of one whose key is elsewhere.
   * @summary Create or import an IACA
   */
  @Post()
  @OperationId('createMobileCredentialsIaca')
  @Security('bearerAuth', ['mobile-credentials:write'])
  @SuccessResponse(201)
  @Response<Problem>(409, 'the tenant has this certificate already, or as many IACAs as it may have')
  @Response<Problem>(503, 'the key store is not available; see Retry-After')
  async create(@Request() called: Called, @Body() body: IacaIn): Promise<IacaOut> {
    this.setStatus(201)
    const { certificatePem, country, ...request } = body
    if (certificatePem !== undefined) {
      const [other] = Object.keys(body).filter((name) => name !== 'certificatePem')
      if (other)
        throw invalid(other, 'unknown', 'expected none beside certificatePem', 'An import has only a certificate.')
      return iacaToWire(await this.platform.iacas.importIaca(called.user, certificatePem))
    }
    if (country === undefined)
      throw invalid('country', 'required', 'expected a country, or certificatePem', 'An IACA needs a country.')
    return iacaToWire(await this.platform.iacas.createIaca(called.user, { ...request, country }))
  }

  /**
   * Returns the tenant's IACAs, newest first.
   * @summary List IACAs
   */
  @Get()
  @OperationId('listMobileCredentialsIacas')
  @Security('bearerAuth', ['mobile-credentials:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<IacaPageOut> {
    const page = toPage(query.limit, query.page)
    const { iacas, total } = await this.platform.iacas.listIacas(called.user.tenantId, page)
    return { data: iacas.map(iacaToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Returns an IACA with its certificate.
   * @summary Read an IACA
   */
  @Get('{id}')
  @OperationId('getMobileCredentialsIaca')
  @Security('bearerAuth', ['mobile-credentials:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<IacaOut> {
    return iacaToWire(await this.platform.iacas.readIaca(called.user.tenantId, id))
  }

  /**
   * Activates or deactivates an IACA.
   * @summary Update an IACA
   */
  @Put('{id}')
  @OperationId('updateMobileCredentialsIaca')
  @Security('bearerAuth', ['mobile-credentials:write'])
  async update(@Request() called: Called, @Path() id: Uuid, @Body() body: IacaUpdateIn): Promise<IacaOut> {
    return iacaToWire(await this.platform.iacas.updateIaca(called.user, id, body))
  }

  /**
   * Deletes an IACA that has no document signers, and destroys its key.
   * @summary Delete an IACA
   */
  @Delete('{id}')
  @OperationId('deleteMobileCredentialsIaca')
  @Security('bearerAuth', ['mobile-credentials:write'])
  @SuccessResponse(204)
  @Response<Problem>(409, 'the IACA has document signers')
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.iacas.deleteIaca(called.user, id)
  }
}
