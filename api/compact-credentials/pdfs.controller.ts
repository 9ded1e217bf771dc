import { once } from 'node:events'
import {
  Body,
  Controller,
  OperationId,
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
import type { Platform } from '../../activities/index.ts'
import type { CompactVerdict } from '../../protocol/compact-credentials/verify.ts'
import type { Called } from '../frame/authentication.ts'
import type { Problem } from '../frame/problem.ts'
import { noteVerdict } from './noted.ts'
import type { PdfIn } from './pdf-templates.wire.ts'

/** As RFC 6266, section 4.3 and appendix D, say: in ASCII, and in UTF-8 where that is not the same. */
function asAttachment(fileName: string): string {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]/g, '_').replaceAll(/["\\]/g, '_')
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${ascii}"${ascii === fileName ? '' : `; filename*=UTF-8''${encoded}`}`
}

@Route('v1/credentials/compact/pdf')
@Tags('Compact credentials')
export class CompactPdfsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Verifies a compact or compact-semantic credential, and fills a PDF template with its claims and its QR code.
   * @summary Make a PDF of a compact credential
   */
  @Post()
  @OperationId('createCompactCredentialPdf')
  @Security('bearerAuth', ['compact-credentials:read'])
  @SuccessResponse(200, 'the PDF')
  @Produces('application/pdf')
  @Response<Problem>(404, 'there is no such PDF template')
  @Response<Problem>(413, 'the credential is too long for a QR code')
  @Response<Problem>(503, 'the machine is too busy to make the PDF; see Retry-After')
  async create(@Request() called: Called & HttpRequest, @Body() body: PdfIn): Promise<void> {
    const noted = (verdict: CompactVerdict) => noteVerdict(called, { ...verdict, encoded: body.payload })
    const { pdf, fileName } = await this.platform.pdfs.makePdf(called.user.tenantId, body, noted)
    const { res } = called
    if (!res) throw new Error('a request came without its response')
    // an answer to an Idempotency-Key is stored before it is sent; until then the generated routes would send their own
    const closed = once(res, 'close')
    res.set({ 'Content-Type': 'application/pdf', 'Content-Disposition': asAttachment(fileName) }).send(pdf)
    await closed
  }
}
