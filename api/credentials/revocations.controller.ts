import {
  Body,
  Controller,
  Example,
  Get,
  OperationId,
  Path,
  Post,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { RevocationRecord } from '../../activities/credentials/revocations.ts'
import type { Platform } from '../../activities/index.ts'
import { formatOf, slugOf } from '../../protocol/credentials/formats.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Called } from '../frame/authentication.ts'
import type { Problem } from '../frame/problem.ts'
import { type Count, type DateTime, inLowerCase, type Uuid } from '../frame/wire.ts'
import { allowedFormats, formatsOf } from './scopes.ts'
import type { CredentialFormatName } from './search.wire.ts'

/** false is refused. */
export type BulkRevocation = boolean

/** Throws `Refusal('request.invalid')` for a bulk revocation that is not one. */
export function assertRevokes(isRevoked: BulkRevocation): void {
  if (!isRevoked)
    throw new Refusal('request.invalid', 'A bulk revocation cannot be undone in one request; set is_revoked to true.', [
      { path: 'is_revoked', code: 'range', message: 'expected true' },
    ])
}

interface RevocationsIn {
  by: 'template' | 'batch' | 'issuer'
  /**
   * Id of the template or the batch; the issuer's DID, or the id of a document signer, which needs the scopes
   * mobile-credentials:write and sd-jwt-credentials:write as well, or that of the formats named.
   * @minLength 1
   * @maxLength 2048
   */
  id: string
  /** true: a bulk revocation cannot be undone in one request. */
  is_revoked: BulkRevocation
  /**
   * Revokes only credentials of these formats. Default: of all whose scope to write the token has; of a document signer,
   * of both that it signs. A template or a batch has one format.
   * @minItems 1
   * @maxItems 5
   */
  formats?: CredentialFormatName[]
}

export interface RevocationsOut {
  id: Uuid
  /** holder: a user of OpenID who was deleted. */
  by: 'template' | 'batch' | 'issuer' | 'holder'
  /** suspension: the credentials are suspended, and not revoked. */
  purpose: 'revocation' | 'suspension'
  /** Id of the template, the batch or the holder, the issuer's DID, or the id of a document signer. */
  subject: string
  status: 'REVOKING' | 'REVOKED'
  /** Formats whose credentials are revoked; absent for a revocation of an earlier release, which revokes all. */
  formats?: CredentialFormatName[]
  /** Credentials checked so far. */
  checked: Count
  /** Credentials revoked so far. */
  revoked: Count
  created_at: DateTime
  ended_at?: DateTime
}

const toWire = ({
  id,
  by,
  purpose,
  subject,
  state,
  formats,
  checked,
  revoked,
  createdAt,
  endedAt,
}: RevocationRecord): RevocationsOut => ({
  id,
  by,
  purpose,
  subject,
  status: state,
  ...(formats && { formats: formats.map(slugOf) }),
  checked,
  revoked,
  created_at: createdAt,
  ...(endedAt ? { ended_at: endedAt } : {}),
})

const EXAMPLE: RevocationsOut = {
  id: '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8',
  by: 'issuer',
  purpose: 'revocation',
  subject: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
  status: 'REVOKING',
  formats: ['web-semantic'],
  checked: 4_000,
  revoked: 3_998,
  created_at: '2027-01-01T00:00:00.000Z',
}

@Route('v1/credentials/web-semantic/revocations')
@Tags('Web semantic credentials')
export class RevocationsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Revokes every credential that a template, a batch or an issuer has issued so far and that has a status. The
   * response comes at once and the work continues in the background. Credentials issued later stay valid. Only
   * credentials of formats whose scope to write the token has are revoked.
   * @summary Revoke by template, batch or issuer
   */
  @Post()
  @OperationId('createWebSemanticRevocation')
  @Security('bearerAuth', ['semantic-credentials:write'])
  @SuccessResponse(202)
  @Example<RevocationsOut>(EXAMPLE)
  @Response<Problem>(404, 'no such template, batch or issuer')
  @Response<Problem>(409, 'the batch has not ended')
  @Response<Problem>(403, 'the token does not have the scope of a format')
  async create(@Request() called: Called & HttpRequest, @Body() body: RevocationsIn): Promise<RevocationsOut> {
    assertRevokes(body.is_revoked)
    const named = body.formats && allowedFormats(called, 'write', [...new Set(body.formats)].map(formatOf))
    const revocable = { writable: formatsOf(called, 'write'), named }
    const id = inLowerCase(body.id)
    const revocation = await this.platform.revocations.startRevocation(called.user, body.by, id, revocable)
    this.setStatus(202)
    this.setHeader('Location', `/v1/credentials/web-semantic/revocations/${revocation.id}`)
    return toWire(revocation)
  }

  /**
   * Returns the progress of a bulk revocation.
   * @summary Read a revocation
   */
  @Get('{id}')
  @OperationId('getWebSemanticRevocation')
  @Security('bearerAuth', ['semantic-credentials:read'])
  @Example<RevocationsOut>(EXAMPLE)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<RevocationsOut> {
    return toWire(await this.platform.revocations.readRevocation(called.user.tenantId, id))
  }
}
