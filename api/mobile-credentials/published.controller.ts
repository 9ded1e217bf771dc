import { Controller, Get, OperationId, Path, Produces, Request, Response, Route, Tags } from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../activities/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { toPem } from '../../protocol/mobile-credentials/certificates.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'

interface PublishedIaca {
  /** The certificate in DER, in base64. */
  certificate: string
}

/** The IACAs of an issuer, as its OpenID4VCI metadata points to them by mdoc_iacas_uri. */
interface PublishedIacasOut {
  iacas: PublishedIaca[]
}

const notFound = () => new Refusal('iaca.not_found', 'The tenant of this host has no such IACA.')

/** Verifiers in a browser read them too (Fetch standard, CORS protocol); sent as bytes, without a charset. */
function send(request: HttpRequest, type: string, seconds: number, bytes: Uint8Array): void {
  request.res
    ?.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': `public, max-age=${seconds}` })
    .type(type)
    .send(Buffer.from(bytes))
}

@Route('v1/iacas')
@Tags('Mobile credentials')
export class PublishedIacasController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  private async tenantOf(request: HttpRequest): Promise<string> {
    const tenant = await this.platform.tenants.byHost(request.headers.host ?? '')
    if (!tenant) throw notFound()
    return tenant.id
  }

  /**
   * Returns the active IACAs that certify the tenant's document signers. Public; the host name selects the tenant.
   * OpenID4VCI metadata points to it by mdoc_iacas_uri.
   * @summary List the published IACAs
   */
  @Get()
  @OperationId('getPublishedIacas')
  async list(@Request() request: HttpRequest): Promise<PublishedIacasOut> {
    const certificates = await this.platform.publishedIacas.publishedCertificates(await this.tenantOf(request))
    this.setHeader('Access-Control-Allow-Origin', '*')
    this.setHeader('Cache-Control', 'public, max-age=60')
    return { iacas: certificates.map((der) => ({ certificate: Buffer.from(der).toString('base64') })) }
  }

  /**
   * Returns the certificate in DER. Public; the host name selects the tenant.
   * @summary Download an IACA certificate
   */
  @Get('{id}/certificate')
  @OperationId('getPublishedIacaCertificate')
  @Produces('application/pkix-cert')
  async certificate(@Request() request: HttpRequest, @Path() id: Uuid): Promise<string> {
    const der = await this.platform.publishedIacas.publishedCertificate(await this.tenantOf(request), id)
    send(request, 'application/pkix-cert', 60, der)
    return ''
  }

  /**
   * Returns the certificate in PEM. Public; the host name selects the tenant.
   * @summary Download an IACA certificate in PEM
   */
  @Get('{id}/certificate.pem')
  @OperationId('getPublishedIacaCertificatePem')
  @Produces('application/pem-certificate-chain')
  async pem(@Request() request: HttpRequest, @Path() id: Uuid): Promise<string> {
    const der = await this.platform.publishedIacas.publishedCertificate(await this.tenantOf(request), id)
    const pem = toPem('CERTIFICATE', der)
    send(request, 'application/pem-certificate-chain', 60, Buffer.from(pem))
    return pem
  }

  /**
   * Returns the list of revoked certificates (CRL, RFC 5280) in DER, to which certificates point. Public; the host name
   * selects the tenant.
   * @summary Read the list of revoked certificates
   */
  @Get('{id}/crl')
  @OperationId('getPublishedIacaCrl')
  @Produces('application/pkix-crl')
  @Response<Problem>(503, 'the list cannot be signed now; see Retry-After')
  async crl(@Request() request: HttpRequest, @Path() id: Uuid): Promise<string> {
    const { der } = await this.platform.publishedIacas.publishedCrl(await this.tenantOf(request), id)
    send(request, 'application/pkix-crl', 60, der)
    return ''
  }
}
