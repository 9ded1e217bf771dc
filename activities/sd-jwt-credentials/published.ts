import { toJwk } from '../../protocol/dids/index.ts'
import type { PublicKeyType } from '../../protocol/dids/keys.ts'
import { Refusal } from '../../protocol/errors.ts'
import { jwsAlgorithm } from '../../protocol/jws.ts'
import { issuerMetadata } from '../../protocol/sd-jwt-credentials/issuers.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import { KEY_TYPES } from './issuers.ts'
import type { SdJwtTemplates } from './templates.ts'

/** Verifiers read so many. */
const MAX_KEYS = 100

/** Of each DID the key that signs: the default issuer's, and those of the newest, if a tenant has more. */
const KEYS = `select did_url, key_type, public_key from (
  select distinct on (d.id) d.id, d.is_default_issuer, d.created_at, k.did_url, k.key_type, k.public_key
  from dids d join keys k on k.tenant_id = d.tenant_id and k.did_id = d.id
  where d.tenant_id = $1 and d.deleted_at is null and d.registration_status = 'COMPLETED'
    and k.key_type = any($2) and k.public_key is not null and k.did_url is not null
  order by d.id, array_position($2::text[], k.key_type)
) signing
order by is_default_issuer desc, created_at desc, id limit ${MAX_KEYS}`

interface Row {
  did_url: string
  key_type: PublicKeyType
  public_key: Buffer
}

interface Parts extends Pick<Dependencies, 'systemSql'> {
  tenants: Pick<Tenants, 'byHost'>
  sdJwtTemplates: Pick<SdJwtTemplates, 'readType'>
}

/** What a tenant publishes for verifiers of its SD-JWT VC credentials. */
export function createSdJwtPublished({ systemSql, tenants, sdJwtTemplates }: Parts) {
  async function tenantAt(host: string) {
    const tenant = await tenants.byHost(host)
    if (tenant) return tenant
    throw new Refusal('credential_type.not_found', 'No tenant of the platform has this host.')
  }

  return {
    /** Byte for byte as issued credentials name it. Throws `Refusal('credential_type.not_found')`. */
    async typeMetadata(host: string, templateId: string, version: number): Promise<string> {
      return sdJwtTemplates.readType((await tenantAt(host)).id, templateId, version)
    },

    /**
     * JWT VC Issuer Metadata (draft-ietf-oauth-sd-jwt-vc, section 4): keys by the names that credentials have as `kid`.
     * Throws `Refusal('credential_type.not_found')`.
     */
    async issuerMetadata(host: string): Promise<string> {
      const { id, baseUrl: issuer } = await tenantAt(host)
      const { rows } = await systemSql.query<Row>({ name: 'sd-jwt-issuer-keys', text: KEYS, values: [id, KEY_TYPES] })
      const keys = rows.map(({ did_url: kid, key_type: keyType, public_key: publicKey }) => ({
        ...toJwk({ keyType, publicKey: new Uint8Array(publicKey) }),
        kid,
        use: 'sig',
        alg: jwsAlgorithm(keyType),
      }))
      return JSON.stringify(issuerMetadata(issuer, keys))
    },
  }
}
export type SdJwtPublished = ReturnType<typeof createSdJwtPublished>
