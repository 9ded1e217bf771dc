import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { setGlobalConfig } from '@openid4vc/openid4vci'
import { Openid4vpClient } from '@openid4vc/openid4vp'
import { CoseKey, DeviceRequest, DocRequest, Holder, IssuerSigned, ItemsRequest, SessionTranscript } from '@owf/mdoc'
import {
  CompactEncrypt,
  calculateJwkThumbprint,
  compactVerify,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JWK,
  jwtVerify,
} from 'jose'
import { MOBILE_SIGN_EXAMPLE } from '../../../api/mobile-credentials/answers.ts'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import type { Holder as SemanticHolder } from '../credentials/holders.ts'
import { context } from '../credentials/mobile.context.ts'
import { signMobile } from '../credentials/mobile.ts'
import type { World } from '../world.ts'

// the test's platform is on loopback, without TLS
setGlobalConfig({ allowInsecureUrls: true })

/** What a wallet reads in the request of a verifier. */
export interface WalletRequest {
  client_id: string
  nonce: string
  response_uri: string
  expected_origins?: string[]
  dcql_query: {
    credentials: { id: string; format: string; meta: Record<string, unknown>; claims?: { path: string[] }[] }[]
  }
  client_metadata?: { client_name?: string; jwks?: { keys: JWK[] }; encrypted_response_enc_values_supported?: string[] }
  response_mode?: string
  state?: string
  transaction_data?: string[]
}

/** The key of a request to which the wallet encrypts its answer. */
const encryptionKey = ({ client_metadata: metadata }: WalletRequest): JWK | undefined => metadata?.jwks?.keys[0]

const refused = (): never => {
  throw new Error('the wallet makes no JWTs')
}

/** Whoever the wallet trusts to vouch for verifiers, by their iss. */
export const trustedAttesters = new Map<string, JWK>()

/** A request that is signed by the key of a verifier attestation (OpenID4VP 1.0, sections 5.9.3 and 12). */
async function byAttestation(compact: string) {
  const { jwt } = decodeProtectedHeader(compact) as { jwt?: string }
  if (jwt === undefined) return { verified: false as const }
  const trusted = trustedAttesters.get(String(decodeJwt(jwt).iss))
  if (!trusted) return { verified: false as const }
  const requiredClaims = ['sub', 'exp', 'cnf']
  const { payload } = await jwtVerify(jwt, await importJWK(trusted), {
    typ: 'verifier-attestation+jwt',
    requiredClaims,
  })
  const { jwk } = payload.cnf as { jwk: JWK }
  const { client_id: clientId } = decodeJwt(compact)
  if (clientId !== `verifier_attestation:${payload.sub}`) return { verified: false as const }
  await compactVerify(compact, await importJWK(jwk, decodeProtectedHeader(compact).alg))
  return { verified: true as const, signerJwk: jwk as { kty: string } }
}

/** The part of a wallet that speaks OpenID4VP, by another author (@openid4vc/openid4vp). */
const client = new Openid4vpClient({
  callbacks: {
    fetch,
    hash: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
    getX509CertificateMetadata(certificate) {
      const names = new X509Certificate(Buffer.from(certificate, 'base64')).subjectAltName?.split(', ') ?? []
      const sanDnsNames = names.flatMap((name) => (name.startsWith('DNS:') ? [name.slice('DNS:'.length)] : []))
      return { sanDnsNames, sanUriNames: [] }
    },
    signJwt: refused,
    async encryptJwe({ publicJwk, alg, enc, kid }, data) {
      const header = { alg, enc, ...(kid && { kid }), apu: 'd2FsbGV0', apv: 'dmVyaWZpZXI' }
      const jwe = new CompactEncrypt(new TextEncoder().encode(data)).setProtectedHeader(header)
      return { encryptionJwk: publicJwk, jwe: await jwe.encrypt(await importJWK(publicJwk as JWK, alg)) }
    },
    decryptJwe: refused,
    async verifyJwt(signer, { compact }) {
      if (signer.method === 'x5c') {
        const { publicKey } = new X509Certificate(Buffer.from(signer.x5c[0] ?? '', 'base64'))
        await compactVerify(compact, publicKey)
        return { verified: true, signerJwk: publicKey.export({ format: 'jwk' }) as { kty: string } }
      }
      if (signer.method === 'custom') return byAttestation(compact)
      if (signer.method !== 'did') return { verified: false }
      const [did = ''] = signer.didUrl.split('#')
      const { method } = dereference(resolveDidKey(did), signer.didUrl, 'assertionMethod')
      const jwk = { ...toJwk(publicKeyOf(method)) } as JWK
      await compactVerify(compact, await importJWK(jwk, signer.alg))
      return { verified: true, signerJwk: jwk as { kty: string } }
    },
  },
})

/** How the wallet can encrypt. */
const JARM = {
  encryption: { nonce: 'wallet' },
  serverMetadata: {
    authorization_encryption_alg_values_supported: ['ECDH-ES'],
    authorization_encryption_enc_values_supported: ['A128GCM', 'A256GCM'],
  },
} as never

export const wallet = {
  /** Reads the link of a page or of its QR code, and verifies the signed request behind it. */
  async readRequest(link: string): Promise<WalletRequest> {
    const parsed = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: link })
    const resolved = await client.resolveOpenId4vpAuthorizationRequest({
      authorizationRequestPayload: parsed.params as never,
    })
    return resolved.authorizationRequestPayload as unknown as WalletRequest
  },
  /** Verifies a request that was posted for (OpenID4VP 1.0, section 5.10): it has to have the wallet's nonce. */
  async readPosted(link: string, request: string, nonce?: string): Promise<WalletRequest> {
    const client_id = new URL(link).searchParams.get('client_id')
    const resolved = await client.resolveOpenId4vpAuthorizationRequest({
      authorizationRequestPayload: { client_id, request } as never,
      // its types have the nonce elsewhere than where it looks for it
      wallet: { expectedNonce: nonce } as never,
    })
    return resolved.authorizationRequestPayload as unknown as WalletRequest
  },
  /** Reads what a page of an origin gave to its browser, and verifies it (Digital Credentials API). */
  async readBrowserRequest({ request }: { request: string }, origin: string): Promise<WalletRequest> {
    const resolved = await client.resolveOpenId4vpAuthorizationRequest({
      authorizationRequestPayload: { request } as never,
      origin,
    })
    return resolved.authorizationRequestPayload as unknown as WalletRequest
  },
  async answer(
    request: WalletRequest,
    vpToken: Record<string, unknown[]>,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const authorizationRequestPayload = request as never
    const { authorizationResponsePayload, jarm } = await client.createOpenid4vpAuthorizationResponse({
      authorizationRequestPayload,
      authorizationResponsePayload: { vp_token: vpToken as never },
      ...(request.response_mode === 'direct_post.jwt' && { jarm: JARM }),
    })
    const { response } = await client.submitOpenid4vpAuthorizationResponse({
      authorizationRequestPayload,
      authorizationResponsePayload,
      ...(jarm && { jarm }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  },
}

/** An answer, encrypted to a key as a test wants it. */
export async function encrypted(answer: object, key: JWK, header: object = {}): Promise<string> {
  const protectedHeader = { alg: 'ECDH-ES', enc: 'A256GCM', ...(key.kid !== undefined && { kid: key.kid }), ...header }
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(answer)))
    .setProtectedHeader(protectedHeader)
    .encrypt(await importJWK({ ...key, alg: protectedHeader.alg }, protectedHeader.alg))
}

/** The key of a request that has one. */
export function keyOf(request: WalletRequest): JWK {
  const key = encryptionKey(request)
  if (!key) throw new Error('the request has no key')
  return key
}

/** Posts for the request behind a link, as a wallet that can (section 5.10). */
export function postForRequest(link: string, form: Record<string, string> | string = {}) {
  const { searchParams } = new URL(link)
  return post(searchParams.get('request_uri') ?? '', form)
}

/** Sends a form to a verifier, as any program can. */
export async function post(url: string, form: Record<string, string> | string) {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  const text = await response.text()
  return { status: response.status, text, headers: response.headers }
}

const idOf = (request: WalletRequest): string => request.dcql_query.credentials[0]?.id ?? ''

/** The presentation of a W3C credential, bound to a request. */
export const presentJsonLd = async (holder: SemanticHolder, credential: unknown, request: WalletRequest) => ({
  [idOf(request)]: [await holder.present([credential], { challenge: request.nonce, domain: request.client_id })],
})

export const DOC_TYPE = 'org.iso.18013.5.1.mDL'
export const NAMESPACE = 'org.iso.18013.5.1'

/** A mobile credential in a wallet: its device key is the wallet's own. */
export async function openMdoc(world: World) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y } = pair.publicKey.export({ format: 'jwk' })
  const { mobileEncoded } = await signMobile(world, world.token, {
    payload: { ...MOBILE_SIGN_EXAMPLE.payload, deviceKeyInfo: { deviceKey: { kty, crv, x, y } } },
  })
  const issuerSigned = IssuerSigned.fromEncodedForOid4Vci(mobileEncoded)
  return {
    /** Discloses the elements of `names`, signed in the session of the request. */
    async present(
      request: WalletRequest,
      names: readonly string[],
      origin?: string,
    ): Promise<Record<string, unknown[]>> {
      const { client_id: clientId, nonce, response_uri: responseUri } = request
      const key = encryptionKey(request)
      const jwkThumbprint = key && Buffer.from(await calculateJwkThumbprint(key), 'base64url')
      const handover = { clientId, nonce, responseUri, ...(jwkThumbprint && { jwkThumbprint }) }
      const sessionTranscript = origin
        ? await SessionTranscript.forOid4VpDcApi({ origin, nonce, ...(jwkThumbprint && { jwkThumbprint }) }, context)
        : await SessionTranscript.forOid4Vp(handover, context)
      const signingKey = CoseKey.fromJwk({ ...pair.privateKey.export({ format: 'jwk' }), alg: 'ES256' })
      const namespaces = { [NAMESPACE]: Object.fromEntries(names.map((name) => [name, false])) }
      const itemsRequest = ItemsRequest.create({ docType: DOC_TYPE, namespaces })
      const deviceRequest = DeviceRequest.create({ docRequests: [DocRequest.create({ itemsRequest })] })
      const asked = { deviceRequest, sessionTranscript, issuerSigned: [issuerSigned], signature: { signingKey } }
      const response = await Holder.createDeviceResponseForDeviceRequest(asked, context)
      return { [idOf(request)]: [response.encodedForOid4Vp] }
    },
    /** The credential alone, without a signature of the device. */
    copy: (request: WalletRequest): Record<string, unknown[]> => ({ [idOf(request)]: [mobileEncoded] }),
  }
}
