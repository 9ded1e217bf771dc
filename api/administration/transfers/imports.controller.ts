import {
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
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import { createImport } from './receive.ts'
import {
  CREATED_TENANT_IMPORT,
  type CreatedTenantImportOut,
  createdImportToWire,
  type ImportQuery,
  importToWire,
  TENANT_IMPORT,
  type TenantImportOut,
  toNewImport,
} from './wire.ts'

@Route('v1/tenants/imports')
@Tags('Administration')
export class TenantImportsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Makes a tenant of the file of an export (docs/transfers.md). The response comes when the file is stored; a workflow then checks each line, and writes the rows. The tenant is found when all of it is there. The same file by the same client under the same subdomain is imported once. For operators.
   * @summary Import a tenant
   */
  @Post()
  @OperationId('createTenantImport')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(202)
  @Example<CreatedTenantImportOut>(CREATED_TENANT_IMPORT)
  @Response<Problem>(404, 'there is no such environment, or no such organization')
  @Response<Problem>(409, 'a tenant has this subdomain, or had it within a year')
  @Response<Problem>(413, 'the file is too large')
  @Response<Problem>(415, 'the body is no file of a tenant')
  async create(
    @Request() called: Called & HttpRequest,
    @Queries() query: ImportQuery,
  ): Promise<CreatedTenantImportOut> {
    const created = await createImport(this.platform, called, toNewImport(query))
    this.setStatus(202)
    this.setHeader('Location', `/v1/tenants/imports/${created.id}`)
    return createdImportToWire(created)
  }

  /**
   * Returns how far an import is, what it made, and what needs new keys or secrets. For operators.
   * @summary Read an import of a tenant
   */
  @Get('{importId}')
  @OperationId('getTenantImport')
  @Security('bearerAuth', ['platform:read'])
  @Example<TenantImportOut>(TENANT_IMPORT)
  async read(@Path() importId: Uuid): Promise<TenantImportOut> {
    return importToWire(await this.platform.tenantImports.readTenantImport(importId))
  }
}
