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
import type { Profile } from '../../protocol/compact-credentials/text.ts'
import type { Called } from '../frame/authentication.ts'
import type { Problem } from '../frame/problem.ts'
import { noteDrawn } from './noted.ts'

/**
 * @isInt expected a whole number
 * @minimum 0 expected 0 or more
 * @maximum 4294967295 expected an unsigned number of 32 bits
 */
export type QrCodeWidth = number

export interface QrCodeIn {
  /** The credential as text. */
  payload: string
  /** Width and height in pixels, at most 2048. 0 or none: what scans well. */
  width?: QrCodeWidth | null
}

const TYPES = { 'image/png': 'png', 'image/svg+xml': 'svg' } as const

@Route('v1/credentials')
@Tags('Compact credentials')
export class CompactQrCodesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  private async draw(called: Called & HttpRequest, profile: Profile, body: QrCodeIn): Promise<void> {
    const type = called.accepts(Object.keys(TYPES)) === 'image/svg+xml' ? 'image/svg+xml' : 'image/png'
    const { payload: text, width } = body
    const image = await this.platform.compactQrCodes.draw(called.user.tenantId, profile, {
      text,
      type: TYPES[type],
      width: width ?? 0,
    })
    noteDrawn(called, profile, text)
    const { res } = called
    if (!res) throw new Error('a request came without its response')
    // an answer to an Idempotency-Key is stored before it is sent; until then the generated routes would send their own
    const closed = once(res, 'close')
    res.set({ 'Content-Type': type, Vary: 'Accept' }).send(image)
    await closed
  }

  /**
   * Draws a compact credential as a QR code: a PNG, or SVG where the caller accepts only that.
   * @summary Draw a compact credential as a QR code
   */
  @Post('compact/qrcode')
  @OperationId('getCompactCredentialQRCode')
  @Security('bearerAuth', ['compact-credentials:read'])
  @SuccessResponse(200, 'the image')
  @Produces('image/png')
  @Response<Problem>(413, 'the credential is too long for a QR code')
  async compact(@Request() called: Called & HttpRequest, @Body() body: QrCodeIn): Promise<void> {
    await this.draw(called, 'compact', body)
  }

  /**
   * Draws a compact-semantic credential as a QR code: a PNG, or SVG where the caller accepts only that.
   * @summary Draw a compact-semantic credential as a QR code
   */
  @Post('compact-semantic/qrcode')
  @OperationId('getCompactSemanticCredentialQRCode')
  @Security('bearerAuth', ['compact-credentials:read'])
  @SuccessResponse(200, 'the image')
  @Produces('image/png')
  @Response<Problem>(413, 'the credential is too long for a QR code')
  async semantic(@Request() called: Called & HttpRequest, @Body() body: QrCodeIn): Promise<void> {
    await this.draw(called, 'compact-semantic', body)
  }
}
