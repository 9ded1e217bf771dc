import { createHash, randomBytes } from 'node:crypto'
import { Openid4vciClient, type Openid4vciIssuer, setGlobalConfig } from '@openid4vc/openid4vci'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { MOBILE_TEMPLATE_EXAMPLE } from '../../../api/mobile-credentials/answers.ts'
import { COMPACT, COMPACT_SEMANTIC, createCompactTemplate } from '../credentials/compact.ts'
import { createTemplate } from '../credentials/templates.ts'
import type { Reply, World as WholeWorld } from '../world.ts'

// the test's platform is on loopback, without TLS
setGlobalConfig({ allowInsecureUrls: true })

type World = Pick<WholeWorld, 'ask' | 'token'>

type Jwk = Record<string, string>

export interface WalletKey {
  publicJwk: Jwk & { kty: string }
  alg: string
  sign(header: object, payload: object): Promise<string>
}

export async function createWalletKey(alg = 'ES256'): Promise<WalletKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const publicJwk = (await exportJWK(publicKey)) as WalletKey['publicJwk']
  const sign = (header: object, payload: object) =>
    new SignJWT(payload as JWTPayload).setProtectedHeader({ alg, ...header }).sign(privateKey)
  return { publicJwk, alg, sign }
}

type Callbacks = ConstructorParameters<typeof Openid4vciClient>[0]['callbacks'] &
  Partial<Pick<ConstructorParameters<typeof Openid4vciIssuer>[0]['callbacks'], 'verifyJwt'>>

/** A wallet of another author (@openid4vc/openid4vci), with keys of its own. */
export function openWallet(keys: readonly WalletKey[], more: Partial<Callbacks> = {}) {
  const keyOf = (jwk: object | undefined) => {
    const found = keys.find(({ publicJwk }) => publicJwk.x === (jwk as Jwk | undefined)?.x)
    if (!found) throw new Error('the wallet has no such key')
    return found
  }
  const client = new Openid4vciClient({
    callbacks: {
      fetch,
      hash: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
      generateRandom: (length) => randomBytes(length),
      clientAuthentication: () => undefined,
      async signJwt(signer, { header, payload }) {
        const key = keyOf(signer.method === 'jwk' ? signer.publicJwk : undefined)
        return { jwt: await key.sign(header, payload), signerJwk: key.publicJwk }
      },
      ...more,
    },
  })

  return {
    client,
    /** From the offer to the access token. */
    async authorize(uri: string, txCode?: string) {
      const credentialOffer = await client.resolveCredentialOffer(uri)
      const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer)
      const { accessTokenResponse } = await client.retrievePreAuthorizedCodeAccessTokenFromOffer({
        credentialOffer,
        issuerMetadata,
        ...(txCode !== undefined && { txCode }),
      })
      return { credentialOffer, issuerMetadata, accessToken: accessTokenResponse.access_token }
    },
    /** Proofs of all of the wallet's keys, with one nonce. */
    async prove(
      issuerMetadata: Awaited<ReturnType<typeof client.resolveIssuerMetadata>>,
      credentialConfigurationId: string,
      clientId?: string,
    ) {
      const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata })
      const jwts: string[] = []
      for (const { publicJwk, alg } of keys) {
        const signer = { method: 'jwk' as const, publicJwk, alg }
        jwts.push(
          (
            await client.createCredentialRequestJwtProof({
              issuerMetadata,
              credentialConfigurationId,
              signer,
              nonce,
              ...(clientId && { clientId }),
            })
          ).jwt,
        )
      }
      return jwts
    },
    /** From the offer to the credentials, of one configuration. */
    async collect(uri: string, txCode?: string) {
      const { credentialOffer, issuerMetadata, accessToken } = await this.authorize(uri, txCode)
      const [credentialConfigurationId = ''] = credentialOffer.credential_configuration_ids
      const configuration =
        issuerMetadata.credentialIssuer.credential_configurations_supported[credentialConfigurationId]
      const isBound = configuration?.proof_types_supported !== undefined
      const proofs = isBound ? { jwt: await this.prove(issuerMetadata, credentialConfigurationId) } : undefined
      const request = { issuerMetadata, credentialConfigurationId, accessToken, ...(proofs && { proofs }) }
      const { credentialResponse } = await client.retrieveCredentials(request)
      const credentials = (credentialResponse.credentials ?? []).map((each) =>
        typeof each === 'object' && 'credential' in each ? each.credential : each,
      )
      return { ...request, credentials, notificationId: String(credentialResponse.notification_id), credentialResponse }
    },
  }
}

export const CLAIMS = { given_name: 'Ada', family_name: 'Lovelace' }

const mapped = { given_name: { map_from: 'claims.given_name', required: true } }

export async function createMobileTemplate(world: World, more: object = {}, token = world.token): Promise<string> {
  const body = { ...MOBILE_TEMPLATE_EXAMPLE, ...more }
  const reply = await world.ask('/v1/credentials/mobile/configurations', { token, body })
  if (reply.status !== 201) throw new Error(`no mobile template: ${reply.text}`)
  return reply.json<{ id: string }>().id
}

/** One template of each format, by its name on the wire. */
export async function createTemplates(world: WholeWorld, token = world.token) {
  const semantic = { claim_mappings: mapped, proof_type: 'eddsa-rdfc-2022', ignore_unmapped: true }
  const compact = { credential_mappings: mapped }
  return {
    ldp_vc: (await createTemplate(world, semantic, token)).id,
    cwt: (await createCompactTemplate(world, compact, token, COMPACT)).id,
    cwt_vc: (await createCompactTemplate(world, compact, token, COMPACT_SEMANTIC)).id,
    mso_mdoc: await createMobileTemplate(world, {}, token),
  }
}

export interface SessionAnswer {
  id: string
  state: string
  waitsFor: string | null
  steps: { step: string; at: string; code?: string }[]
  issuances: { id: string; state: string; credentialIds: string[]; failure: { code: string; message: string } | null }[]
  failure: { code: string } | null
  txCodeFailures: number
}

/** Offers and sessions of one tenant. */
export const sessionsOf = (world: World, token = world.token) => ({
  async offer(body: object): Promise<{ id: string; uri: string; txCode?: string }> {
    const reply = await world.ask('/v1/openid/sessions', { token, body })
    if (reply.status !== 201) throw new Error(`no session: ${reply.text}`)
    return reply.json()
  },
  async read(id: string): Promise<SessionAnswer> {
    const reply = await world.ask(`/v1/openid/sessions/${id}`, { token })
    if (reply.status !== 200) throw new Error(`no session: ${reply.text}`)
    return reply.json()
  },
  post: (id: string, verb: 'retry' | 'cancel'): Promise<Reply> =>
    world.ask(`/v1/openid/sessions/${id}/${verb}`, { method: 'POST', token }),
})

/** The offer in a link. */
export const offerIn = (uri: string) =>
  JSON.parse(new URL(uri).searchParams.get('credential_offer') ?? '{}') as {
    credential_issuer: string
    credential_configuration_ids: string[]
    grants: Record<string, Record<string, string>>
  }
