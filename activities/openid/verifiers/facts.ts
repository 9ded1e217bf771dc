import { OidcClient, OidcVerifier } from '../../../entities/openid/verifiers.ts'
import { inTenant } from '../../../entities/orm.ts'
import { isUuid } from '../../../protocol/uuid.ts'
import type { Dependencies } from '../../dependencies.ts'
import { digestOf, isSame } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { VerifierKey, VerifierKeys } from './keys.ts'
import { type ClientRecord, issuerOf, toClient, verifierNotFound } from './records.ts'
import type { SignInSecrets } from './secrets.ts'

/** What a provider is made from. */
export interface ProviderFacts {
  tenantId: string
  verifierId: string
  issuer: string
  claims: string[]
  includePresentation: boolean
  /** The one that signs is the first of its algorithm. */
  keys: VerifierKey[]
  cookieKey: string
  /** Another one where anything of this has changed. */
  revision: string
}

export interface KnownClient extends ClientRecord {
  /** Hex; undefined: the client has no secret. */
  secretDigest: string | undefined
}

interface Parts extends Pick<Dependencies, 'database'> {
  tenants: Pick<Tenants, 'byId' | 'byHost'>
  secrets: SignInSecrets
  verifierKeys: VerifierKeys
}

/** Whether a secret is the one of a digest, in constant time. */
export const isSecretOf = (secretDigest: string, secret: string): boolean =>
  isSame(Buffer.from(secretDigest, 'hex'), digestOf(secret))

/** What the providers of verifiers read: public addresses find their tenant by host. */
export function createProviderFacts({ database, tenants, secrets, verifierKeys }: Parts) {
  return {
    isSecretOf,

    /** The verifier of an address. Throws `oidc_verifier.not_found`, also for one of another tenant. */
    async placeAt(host: string, id: string): Promise<{ tenantId: string; verifierId: string }> {
      const verifierId = id.toLowerCase()
      const tenant = isUuid(verifierId) ? await tenants.byHost(host) : undefined
      if (!tenant) throw verifierNotFound()
      return { tenantId: tenant.id, verifierId }
    },

    /** Throws `oidc_verifier.not_found`. */
    async factsOf({ tenantId, verifierId }: { tenantId: string; verifierId: string }): Promise<ProviderFacts> {
      const { baseUrl } = await tenants.byId(tenantId)
      return inTenant(database.tenants, tenantId, async (em) => {
        const verifier = await em.findOne(OidcVerifier, { id: verifierId })
        if (!verifier) throw verifierNotFound()
        const keys = await verifierKeys.published(em, verifierId)
        const issuer = issuerOf(baseUrl, verifierId)
        return {
          ...{ tenantId, verifierId, issuer, keys },
          claims: verifier.claimMappings.map(({ oidcClaim }) => oidcClaim),
          includePresentation: verifier.includePresentation,
          cookieKey: secrets.cookieKey(tenantId, verifierId),
          revision: JSON.stringify([issuer, verifier.updatedAt, keys.map(({ id }) => id)]),
        }
      })
    },

    async findClient(tenantId: string, verifierId: string, id: string): Promise<KnownClient | undefined> {
      if (!isUuid(id)) return undefined
      const where = { id: id.toLowerCase(), verifierId }
      const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(OidcClient, where))
      if (!row) return undefined
      const { secretDigest } = row
      return { ...toClient(row), secretDigest: secretDigest ? Buffer.from(secretDigest).toString('hex') : undefined }
    },
  }
}

export type ProviderFactsReader = ReturnType<typeof createProviderFacts>
