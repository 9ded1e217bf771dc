import {
  Body,
  Controller,
  Example,
  OperationId,
  Post,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from 'tsoa'
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'
import type { Problem } from '../frame/problem.ts'
import type { JsonObject } from '../frame/wire.ts'

interface ConvertOptions {
  /** jsonld, n-quads or cborld: what data is. */
  input_format: string
  /** text or base64; CBOR-LD is base64 alone, and JSON-LD as text is an object. */
  output_encoding: string
  /** jsonld, n-quads (canonical, RDFC-1.0) or cborld (CBOR-LD 1.0). */
  output_format: string
}

interface ConvertIn {
  /** A JSON-LD document; or a LinkedData object {data, metadata {encoding, format}}, as this operation answers it. */
  data: JsonObject
  options: ConvertOptions
}

interface LinkedDataMetadata {
  encoding: string
  format: string
}

interface LinkedDataOut {
  data: JsonObject | string
  metadata: LinkedDataMetadata
}

@Route('v1/credentials/web-semantic/linkeddata')
@Tags('Web semantic credentials')
@Response<Problem>(400, 'not that format, terms that no context defines, or too complex; errors name the fields')
export class LinkedDataController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Linked data in another form: JSON-LD, canonical N-Quads, CBOR-LD. Nothing is stored.
   * @summary Convert linked data
   */
  @Post('convert')
  @OperationId('convertLinkedData')
  @Security('bearerAuth', ['semantic-credentials:read'])
  @SuccessResponse(200)
  @Example<LinkedDataOut>({
    data: '_:c14n0 <http://schema.org/name> "Ada" .\n',
    metadata: { encoding: 'text', format: 'n-quads' },
  })
  async convert(@Request() called: Called, @Body() body: ConvertIn): Promise<LinkedDataOut> {
    const { input_format, output_encoding, output_format } = body.options
    return this.platform.linkedData.convert(called.user.tenantId, {
      data: body.data,
      inputFormat: input_format,
      outputEncoding: output_encoding,
      outputFormat: output_format,
    })
  }
}
