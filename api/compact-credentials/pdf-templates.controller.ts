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
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'
import { type PageQuery, snakeTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import {
  type PdfTemplateIn,
  type PdfTemplateNewIn,
  type PdfTemplateOut,
  type PdfTemplatePageOut,
  pdfTemplateToWire,
  toUpload,
} from './pdf-templates.wire.ts'

@Route('v1/credentials/compact/pdf/templates')
@Tags('Compact credentials')
export class CompactPdfTemplatesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's PDF templates, newest first.
   * @summary List PDF templates
   */
  @Get()
  @OperationId('listCompactCredentialPdfTemplates')
  @Security('bearerAuth', ['compact-credentials:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<PdfTemplatePageOut> {
    const page = toPage(query.limit, query.page)
    const { templates, total } = await this.platform.pdfTemplates.listPdfTemplates(called.user.tenantId, page)
    return { data: templates.map(pdfTemplateToWire), ...snakeTotals(total, page.limit) }
  }

  /**
   * Creates a template of PDFs: a PDF with fields, and the claims that fill them. As JSON, or as a ZIP archive of
   * template.pdf, config.json and fonts.
   * @summary Create a PDF template
   */
  @Post()
  @OperationId('createCompactCredentialPdfTemplate')
  @Security('bearerAuth', ['compact-credentials:write'])
  @SuccessResponse(200)
  @Response<Problem>(409, 'the tenant has 100 PDF templates')
  @Response<Problem>(413, 'a file of the template is too large')
  @Response<Problem>(503, 'the machine is too busy to read the PDF; see Retry-After')
  async create(@Request() called: Called & HttpRequest, @Body() body?: PdfTemplateNewIn): Promise<PdfTemplateOut> {
    const upload = toUpload(body, called.rawBody)
    return pdfTemplateToWire(await this.platform.pdfTemplates.createPdfTemplate(called.user, upload))
  }

  /**
   * Returns a PDF template without its files.
   * @summary Read a PDF template
   */
  @Get('{id}')
  @OperationId('getCompactCredentialPdfTemplateById')
  @Security('bearerAuth', ['compact-credentials:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<PdfTemplateOut> {
    return pdfTemplateToWire(await this.platform.pdfTemplates.readPdfTemplate(called.user.tenantId, id))
  }

  /**
   * Replaces a PDF template. Of a change as JSON, files that it leaves out stay as they are.
   * @summary Update a PDF template
   */
  @Put('{id}')
  @OperationId('updateCompactCredentialPdfTemplate')
  @Security('bearerAuth', ['compact-credentials:write'])
  @Response<Problem>(413, 'a file of the template is too large')
  @Response<Problem>(503, 'the machine is too busy to read the PDF; see Retry-After')
  async update(
    @Request() called: Called & HttpRequest,
    @Path() id: Uuid,
    @Body() body?: PdfTemplateIn,
  ): Promise<PdfTemplateOut> {
    const upload = toUpload(body, called.rawBody)
    return pdfTemplateToWire(await this.platform.pdfTemplates.updatePdfTemplate(called.user, id, upload))
  }

  /**
   * Deletes a PDF template and its files.
   * @summary Delete a PDF template
   */
  @Delete('{id}')
  @OperationId('deleteCompactCredentialPdfTemplate')
  @Security('bearerAuth', ['compact-credentials:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.pdfTemplates.deletePdfTemplate(called.user, id)
  }
}
