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
} from '@tsoa/runtime'
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'
import { ofMember } from '../frame/members.ts'
import type { Problem } from '../frame/problem.ts'
import type { JsonObject } from '../frame/wire.ts'

/** JSON-LD; canonical N-Quads (RDFC-1.0); or CBOR-LD 1.0. */
export type LinkedDataFormat = string

export type LinkedDataEncoding = string

interface ConvertOptions {
  /** Format of data. */
  input_format: LinkedDataFormat
  /** CBOR-LD is always base64; JSON-LD as text is a JSON object. */
  output_encoding: LinkedDataEncoding
  output_format: LinkedDataFormat
}

interface ConvertIn {
  /** A JSON-LD document; or a LinkedData object {data, metadata {encoding, format}}, as this operation returns it. */
  data: JsonObject
  options: ConvertOptions
}

interface LinkedDataMetadata {
  encoding: 'text' | 'base64'
  format: 'jsonld' | 'n-quads' | 'cborld'
}

interface LinkedDataOut {
  data: JsonObject | string
  metadata: LinkedDataMetadata
}

@Route('v1/credentials/web-semantic/linkeddata')
@Tags('Web semantic credentials')
@Response<Problem>(400, 'not valid in its format, undefined terms, or too complex; errors names the fields')
export class LinkedDataController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Converts linked data to JSON-LD, canonical N-Quads or CBOR-LD. Nothing is stored.
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
    const converted = this.platform.linkedData.convert(called.user.tenantId, {
      data: body.data,
      inputFormat: input_format,
      outputEncoding: output_encoding,
      outputFormat: output_format,
    })
    return ofMember('data', converted)
  }
}
