import {
  Controller,
  Example,
  Get,
  OperationId,
  Path,
  Post,
  Produces,
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
import type { Problem } from '../../frame/problem.ts'
import { responseTo, sendFile } from '../../frame/streams.ts'
import type { Uuid } from '../../frame/wire.ts'
import { exportToWire, TENANT_EXPORT, type TenantExportOut } from './wire.ts'

@Route('v1/tenants/{id}/exports')
@Tags('Administration')
export class TenantExportsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Writes what the tenant has into one file, to import it elsewhere (docs/transfers.md): rows, templates, credentials and public keys, and no private key and no secret. The file holds personal data; it is kept encrypted for 7 days. For operators.
   * @summary Export a tenant
   */
  @Post()
  @OperationId('createTenantExport')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(202)
  @Example<TenantExportOut>(TENANT_EXPORT)
  @Response<Problem>(409, 'an export of the tenant is being written')
  async create(@Request() called: Called, @Path() id: Uuid): Promise<TenantExportOut> {
    const created = await this.platform.tenantExports.createTenantExport(called.user, id)
    this.setStatus(202)
    this.setHeader('Location', `/v1/tenants/${id}/exports/${created.id}`)
    return exportToWire(created)
  }

  /**
   * Returns how far an export is. For operators.
   * @summary Read an export of a tenant
   */
  @Get('{exportId}')
  @OperationId('getTenantExport')
  @Security('bearerAuth', ['platform:read'])
  @Example<TenantExportOut>(TENANT_EXPORT)
  async read(@Path() id: Uuid, @Path() exportId: Uuid): Promise<TenantExportOut> {
    return exportToWire(await this.platform.tenantExports.readTenantExport(id, exportId))
  }

  /**
   * Returns the file of an export: JSON lines in gzip. It holds personal data, so that the token needs platform:write. For operators.
   * @summary Download the file of an export
   */
  @Get('{exportId}/content')
  @OperationId('downloadTenantExport')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(200)
  @Produces('application/gzip')
  @Response<Problem>(409, 'the file is not whole yet, or cannot be made')
  async download(@Request() called: Called & HttpRequest, @Path() id: Uuid, @Path() exportId: Uuid): Promise<void> {
    const file = { type: 'application/gzip', name: `tenant-${id}.ndjson.gz` }
    await sendFile(responseTo(called), file, this.platform.tenantExports.tenantExportContent(id, exportId))
  }
}
