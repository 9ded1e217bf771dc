import { OpenIdPresentation } from '../../../entities/openid/presentations.ts'
import { OidcVerifier } from '../../../entities/openid/verifiers.ts'
import { inTenant } from '../../../entities/orm.ts'
import { PresentationTemplate } from '../../../entities/semantic-credentials.presentations.ts'
import { Refusal, withPaths } from '../../../protocol/errors.ts'
import { tableOf } from '../../../protocol/names.ts'
import { newEncryptionKey } from '../../../protocol/openid/presentations/encryption.ts'
import {
  checkRequest,
  invalidRequest,
  isEncrypted,
  isOfBrowser,
  type PresentationRequestInput,
  type RequestState,
  type RequestUriMethod,
  unknownVerifier,
} from '../../../protocol/openid/presentations/requests.ts'
import { isNamedBy, readChain } from '../../../protocol/openid/verifiers/certificates.ts'
import { clientIdOf, type Identified } from '../../../protocol/openid/verifiers/requests.ts'
import type { Dependencies } from '../../dependencies.ts'
import { bundledOnly } from '../../documents/index.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import { digestOf } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { SignInRequests } from '../verifiers/asking.ts'
import type { SignInSecrets } from '../verifiers/secrets.ts'
import type { ListedAuthorities } from './authorities.ts'
import type { Links } from './links.ts'
import type { CreatedPresentationRequest, PresentationRequestDetails, PresentationRequestRecord } from './records.ts'
import type { RequestContent, RequestRows } from './rows.ts'
import { browserRequestOf, browserSession, signedBy, walletRequestOf } from './wallet-requests.ts'

interface Parts extends Pick<Dependencies, 'database' | 'documents' | 'now' | 'outbox' | 'uuid'> {
  operations: Operations
  tenants: Pick<Tenants, 'byId'>
  rows: RequestRows
  links: Links
  secrets: SignInSecrets
  signInRequests: SignInRequests
  listedAuthorities: Pick<ListedAuthorities, 'assertOwn'>
}

/** Members of a verifier, by their names in a request. */
const MEMBERS = tableOf({
  verifier_did: 'verifierDid',
  certificate_chain: 'certificateChain',
  presentation_template_id: 'presentationTemplateId',
})

const iso = (time: Date | null | undefined): string | null => time?.toISOString() ?? null

/** Requests for credentials, for verifiers that use no OpenID Connect. */
export function createPresentationRequests(parts: Parts) {
  const {
    database,
    documents,
    now,
    outbox,
    uuid,
    operations,
    tenants,
    rows,
    links,
    secrets,
    signInRequests,
    listedAuthorities,
  } = parts

  const stateOf = ({ state, endedAt, expiresAt }: OpenIdPresentation): RequestState =>
    !endedAt && expiresAt <= now() ? 'EXPIRED' : state

  /** The browser that began came back to the client, or the client does not know (OpenID4VP 1.0, section 13.3). */
  const waitsForCode = ({ state, answeredBy, pageDigest, redeemedAt }: OpenIdPresentation): boolean =>
    state === 'VERIFIED' && (answeredBy === 'same' || Boolean(pageDigest)) && !redeemedAt

  const toRecord = (row: OpenIdPresentation): PresentationRequestRecord => ({
    id: row.id,
    state: stateOf(row),
    clientId: row.clientIdentifier,
    responseMode: row.responseMode,
    requestUriMethod: row.requestUriMethod ?? 'get',
    redirectUri: row.redirectUri ?? null,
    failures: row.failures ?? 0,
    failureCode: row.failureCode ?? null,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    endedAt: iso(row.endedAt),
    keptUntil: row.keptUntil.toISOString(),
    needsResponseCode: waitsForCode(row),
  })

  const toDetails = (row: OpenIdPresentation): PresentationRequestDetails => ({
    ...toRecord(row),
    credentials: waitsForCode(row) ? [] : (rows.opened(row).credentials ?? []),
  })

  /** Who asks: a verifier with its certificates, or a DID. */
  async function identified(
    tenantId: string,
    input: PresentationRequestInput,
  ): Promise<Identified & { requestUriMethod?: RequestUriMethod | null | undefined }> {
    const { verifierId, verifierDid = '', certificateChain, verifierAttestation: attestation } = input
    if (verifierId === undefined)
      return {
        verifierDid,
        attestation,
        ...(certificateChain !== undefined && { certificateChain: readChain(certificateChain) }),
      }
    const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(OidcVerifier, { id: verifierId }))
    if (!row) throw unknownVerifier()
    const { requestUriMethod, certificateChain: own = null } = row
    return { verifierDid: row.verifierDid, certificateChain: own, attestation, requestUriMethod }
  }

  function identifierOf(asking: Identified, { clientIdPrefix }: PresentationRequestInput, host: string): string {
    const { certificateChain } = asking
    if (asking.attestation !== undefined) return clientIdOf(asking)
    if (clientIdPrefix?.startsWith('x509_') && !certificateChain)
      throw invalidRequest([
        { path: 'verifierId', code: 'certificates', message: 'expected a verifier with certificates' },
      ])
    if (clientIdPrefix === 'decentralized_identifier') return clientIdOf({ ...asking, certificateChain: null })
    if (clientIdPrefix !== 'x509_san_dns' || !certificateChain) return clientIdOf(asking)
    if (isNamedBy(certificateChain, host)) return `x509_san_dns:${host}`
    const path = asking.certificateChain && 'certificateChain'
    throw invalidRequest([
      { path: path ?? 'clientIdPrefix', code: 'dns_name', message: `expected a certificate with the DNS name ${host}` },
    ])
  }

  /** The query of a template, with what else it says. */
  async function ofTemplate(tenantId: string, id: string | undefined) {
    if (id === undefined) return undefined
    const template = await inTenant(database.tenants, tenantId, (em) => em.findOne(PresentationTemplate, { id }))
    if (!template)
      throw new Refusal('openid_presentation.template_not_found', 'The tenant has no such presentation template.', [
        { path: 'presentationTemplateId', code: 'unknown', message: 'expected the id of a presentation template' },
      ])
    const { query, trustedContexts } = template
    return { query, ...(trustedContexts && { trustedContexts }) }
  }

  async function handedOver(
    tenantId: string,
    row: OpenIdPresentation,
    request: string | undefined,
  ): Promise<CreatedPresentationRequest> {
    const none = { uri: null, qrCode: null, sameDeviceUri: null, browserRequest: null, pageUri: null }
    if (request !== undefined) return { ...toRecord(row), ...none, browserRequest: browserRequestOf(request) }
    if (row.pageDigest) return { ...toRecord(row), ...none, pageUri: await links.pageUriOf(tenantId, row.id) }
    const { uri, sameDeviceUri } = await links.linksOf(tenantId, row)
    return { ...toRecord(row), ...none, uri, sameDeviceUri, qrCode: await documents.qrCode(uri, bundledOnly(tenantId)) }
  }

  /** Refusals of what sign-ins use too, with the members of this request. */
  async function inOwnWords<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      const named = withPaths(error, (path) => MEMBERS.get(path) ?? path)
      throw named instanceof Refusal && named.code === 'oidc_verifier.invalid' ? invalidRequest(named.errors) : named
    }
  }

  return {
    /**
     * Throws `openid_presentation.invalid`, `.template_not_found`, `oidc_verifier.not_found`, `.did_unfit`,
     * `.template_unsuitable`, and `Unavailable('keys')`.
     */
    createRequest: (call: Call, input: PresentationRequestInput): Promise<CreatedPresentationRequest> =>
      inOwnWords(async () => {
        const { tenantId, idempotency } = call
        if (idempotency && 'effect' in idempotency) return idempotency.effect as CreatedPresentationRequest
        const template = await ofTemplate(tenantId, input.presentationTemplateId)
        const queryOfTemplate = template && (await signInRequests.queryFor(tenantId, template.query))
        const { query, transactionData } = checkRequest(input, queryOfTemplate)
        await listedAuthorities.assertOwn(tenantId, query)
        const asking = await identified(tenantId, input)
        const { baseUrl } = await tenants.byId(tenantId)
        const clientIdentifier = identifierOf(asking, input, new URL(baseUrl).hostname)
        const chain = clientIdentifier.startsWith('x509_') ? asking.certificateChain : null
        const at = now()
        const expiresAt = new Date(at.getTime() + input.lifetimeSeconds * 1000)
        await signInRequests.checkSigner(tenantId, { ...asking, certificateChain: chain ?? null }, expiresAt)
        const id = uuid()
        const content: RequestContent = {
          query,
          ...(template && { template }),
          ...(transactionData && { transactionData }),
          ...(input.trustedContexts && { trustedContexts: input.trustedContexts }),
          ...(asking.attestation !== undefined && { attestation: asking.attestation }),
          ...(input.expectedOrigins && { expectedOrigins: input.expectedOrigins }),
          ...(isEncrypted(input.responseMode) && { encryption: await newEncryptionKey(id) }),
        }
        const own = {
          ...{ verifierDid: asking.verifierDid, certificateChain: chain ? [...chain] : null, clientIdentifier },
          ...{ clientName: input.clientName ?? null, responseMode: input.responseMode },
          expiresAt,
        }
        const method = input.requestUriMethod ?? asking.requestUriMethod
        const isPosted = method === 'post' && !isOfBrowser(input.responseMode)
        const request = isOfBrowser(input.responseMode)
          ? await signInRequests.sign(
              tenantId,
              signedBy(own, content),
              walletRequestOf(own, content, browserSession(secrets, id, at)),
            )
          : undefined
        return operations.change(call, 'createOpenId4VpRequest', { id }, async (em) => {
          const row = em.create(OpenIdPresentation, {
            ...{
              id,
              tenantId,
              ...own,
              redirectUri: input.redirectUri ?? null,
              state: 'PENDING',
              attempts: 0,
              failures: 0,
            },
            otherDeviceDigest: digestOf(secrets.requestName(id, 'other')),
            sameDeviceDigest: digestOf(secrets.requestName(id, 'same')),
            requestUriMethod: isPosted ? 'post' : null,
            pageDigest: input.page === true ? digestOf(secrets.pageName(id)) : null,
            content: rows.sealed({ tenantId, id }, content),
            ...{ requestId: call.requestId, clientId: call.clientId, createdAt: at, updatedAt: at },
            keptUntil: new Date(own.expiresAt.getTime() + input.keptSeconds * 1000),
          })
          await em.flush()
          await outbox.start(em, 'expirePresentation', { tenantId, presentationId: id })
          return handedOver(tenantId, row, request)
        })
      }),

    /** Newest first. */
    async listRequests(
      tenantId: string,
      { state, limit, offset }: { state?: RequestState | undefined; limit: number; offset: number },
    ) {
      const at = now()
      const open = { endedAt: null, expiresAt: { $gt: at } }
      const expired = { $or: [{ state: 'EXPIRED' as const }, { endedAt: null, expiresAt: { $lte: at } }] }
      const isOpen = state === 'PENDING' || state === 'FETCHED'
      const where = state === undefined ? {} : state === 'EXPIRED' ? expired : { state, ...(isOpen && open) }
      const orderBy = { createdAt: 'desc', id: 'asc' } as const
      const [found, total] = await inTenant(database.tenants, tenantId, (em) =>
        em.findAndCount(OpenIdPresentation, where, { orderBy, limit, offset }),
      )
      return { requests: found.map(toRecord), total }
    },

    /** Throws `openid_presentation.not_found`. */
    readRequest: (tenantId: string, id: string): Promise<PresentationRequestDetails> =>
      inTenant(database.tenants, tenantId, async (em) => toDetails(await rows.byId(em, id))),

    /**
     * What a wallet presented on the device of a browser, or for a page, for the browser that has the response code:
     * somebody who was sent another person's link cannot lend them a session (OpenID4VP 1.0, section 13.3). Throws
     * `openid_presentation.not_found`, `.response_code_wrong`.
     */
    redeemRequest: (call: Call, id: string, responseCode: string): Promise<PresentationRequestDetails> =>
      operations.change(call, 'redeemOpenId4VpRequest', { id }, async (em) => {
        const row = await rows.byId(em, id, true)
        if (!waitsForCode(row) || !secrets.isResponseCode(id, responseCode))
          throw new Refusal(
            'openid_presentation.response_code_wrong',
            'The response code is not the one of this request, was used already, or no wallet has answered on the same device.',
            [{ path: 'responseCode', code: 'wrong', message: 'expected response_code of the redirect, once' }],
          )
        Object.assign(row, { redeemedAt: now(), updatedAt: now() })
        return toDetails(row)
      }),

    /** Deletes a request with what was presented. Throws `openid_presentation.not_found`. */
    async deleteRequest(call: Call, id: string): Promise<void> {
      await operations.change(call, 'deleteOpenId4VpRequest', { id }, async (em) => {
        await em.remove(await rows.byId(em, id, true)).flush()
        return null
      })
    },
  }
}

export type PresentationRequests = ReturnType<typeof createPresentationRequests>
