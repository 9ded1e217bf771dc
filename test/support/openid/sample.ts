import { randomBytes, randomUUID } from 'node:crypto'
import { createPlatform } from '../../../activities/index.ts'
import { JWKS } from '../../../api/openid/authorization/wire.ts'
import { AuthenticationProvider } from '../../../entities/openid/providers.ts'
import { OpenIdReissuance } from '../../../entities/openid/reissuances.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { Client, World } from '../world.ts'
import { saveProvider } from './users.ts'
import { createVerifier, createVerifierClient, verifierBody } from './verifiers.ts'
import { CLAIMS, createMobileTemplate, sessionsOf } from './wallet.ts'

/** What the examples of requests speak of. */
export interface OpenIdSample {
  providerId: string
  /** Identified by the provider. */
  userId: string
  /** For the operation that deletes it. */
  spareUserId: string
  mobileTemplateId: string
  /** Waits for a wallet. */
  sessionId: string
  /** For the operation that ends it. */
  spareSessionId: string
  /** Registered. */
  walletId: string
  /** For the operation that deletes it. */
  spareWalletId: string
  walletProviderId: string
  /** For the operation that deletes it. */
  spareWalletProviderId: string
  /** By which a wallet gets credentials anew. */
  reissuanceId: string
  /** For the operation that ends it. */
  spareReissuanceId: string
  verifierId: string
  /** What a verifier of the tenant may be changed to. */
  verifierBody: object
  oidcClientId: string
  /** For the operations that delete them. */
  spareVerifierId: string
  spareOidcClientId: string
  /** Asks for a credential. */
  openId4VpId: string
  /** For the operation that deletes it. */
  spareOpenId4VpId: string
}

/** The claim that the sample's user is found by. */
export const SAMPLE_EMAIL = 'ada@university.example'

/** Asks for an SD-JWT VC. */
export const IDENTITY_QUERY = {
  credentials: [
    { id: 'identity', format: 'dc+sd-jwt', meta: { vct_values: ['https://credentials.example/identity'] } },
  ],
}

/** A provider, its users, and an interaction hook. */
export async function makeOpenIdSample(world: World, { tenantId }: Client, token: string): Promise<OpenIdSample> {
  const { users } = createPlatform(world.dependencies)
  const providerId = await saveProvider(world.dependencies, tenantId)
  const save = (subjectId: string, email: string): Promise<string> =>
    inTenant(world.dependencies.database.tenants, tenantId, async (em) => {
      const provider = await em.findOneOrFail(AuthenticationProvider, { id: providerId })
      return users.saveUser(em, provider, { subjectId, claims: { email } })
    })
  const body = { claims: ['email'], disabled: false, session_timeout_in_sec: 600, url: 'https://hook.example/ask' }
  const hook = await world.ask('/v1/openid/configuration', { method: 'PUT', token, body })
  if (hook.status !== 200) throw new Error(`no interaction hook: ${hook.text}`)
  const mobileTemplateId = await createMobileTemplate(world, {}, token)
  const offer = async () => {
    const body = { credentials: [mobileTemplateId], claims: CLAIMS }
    return (await sessionsOf(world, token).offer(body)).id
  }
  const wallet = async () => {
    const body = { name: 'A wallet', redirectUris: ['https://wallet.example/callback'] }
    const reply = await world.ask('/v1/openid/wallets', { token, body })
    if (reply.status !== 201) throw new Error(`no wallet: ${reply.text}`)
    return reply.json<{ id: string }>().id
  }
  const walletProvider = async () => {
    const body = { name: 'A provider', attests: ['keys'], jwks: JWKS }
    const reply = await world.ask('/v1/openid/wallet-providers', { token, body })
    if (reply.status !== 201) throw new Error(`no wallet provider: ${reply.text}`)
    return reply.json<{ id: string }>().id
  }
  // without days there is nothing that a wallet gets anew
  await world.ask('/v1/openid/wallet-policy', { method: 'PUT', token, body: { reissueDays: 30 } })
  const reissuance = () =>
    inTenant(world.dependencies.database.tenants, tenantId, async (em) => {
      const id = randomUUID()
      const at = new Date()
      em.create(OpenIdReissuance, {
        ...{ id, tenantId, sessionId: randomUUID(), clientId: randomUUID(), tokenDigest: randomBytes(32) },
        ...{ grantType: 'pre-authorized_code', boundTo: 'registration', usesIdentifiers: false },
        ...{
          content: randomBytes(32),
          grantedIds: [mobileTemplateId],
          templateIds: [mobileTemplateId],
          credentialIds: [randomUUID()],
        },
        endsAt: new Date(at.getTime() + 86_400_000),
        createdAt: at,
        updatedAt: at,
      })
      await em.flush()
      return id
    })
  const verifier = await createVerifier(world, {}, token)
  const request = async () => {
    const body = { verifierId: verifier.id, dcqlQuery: IDENTITY_QUERY }
    const reply = await world.ask('/v1/openid4vp/requests', { token, body })
    if (reply.status !== 201) throw new Error(`no request for credentials: ${reply.text}`)
    return reply.json<{ id: string }>().id
  }
  const client = async () => (await createVerifierClient(world, verifier.id, {}, token)).id
  return {
    verifierId: verifier.id,
    verifierBody: await verifierBody(world, {}, token),
    oidcClientId: await client(),
    spareVerifierId: (await createVerifier(world, {}, token)).id,
    spareOidcClientId: await client(),
    openId4VpId: await request(),
    spareOpenId4VpId: await request(),
    mobileTemplateId,
    walletId: await wallet(),
    spareWalletId: await wallet(),
    walletProviderId: await walletProvider(),
    spareWalletProviderId: await walletProvider(),
    reissuanceId: await reissuance(),
    spareReissuanceId: await reissuance(),
    sessionId: await offer(),
    spareSessionId: await offer(),
    providerId,
    userId: await save('ada', SAMPLE_EMAIL),
    spareUserId: await save('spare', 'spare@university.example'),
  }
}
