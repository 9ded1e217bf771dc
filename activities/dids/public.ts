import type { DidDocument } from '../../protocol/dids/index.ts'
import { parseWebDid } from '../../protocol/dids/web.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Tenants } from '../frame/tenants/index.ts'

interface HostedRow {
  document: DidDocument
}

/** A host without its port. */
const nameOf = (host: string) => host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')

/** DID documents that we host, as anybody may read them. */
export const createPublicDids = ({
  systemSql,
  tenants,
}: Pick<Dependencies, 'systemSql'> & { tenants: Pick<Tenants, 'byHost'> }) => ({
  /**
   * The document that stands at a path of a host; empty path: /.well-known/did.json. A tenant with several hosts may have a
   * DID on each; behind a proxy the port that we see is not always the one in the DID.
   */
  async documentAt(host: string, path: string): Promise<DidDocument | undefined> {
    const tenant = await tenants.byHost(host)
    if (!tenant) return undefined
    const { rows } = await systemSql.query<HostedRow>({
      name: 'did-document-at',
      text: `select document from dids where tenant_id = $1 and path = $2 and hosting = 'platform'
        and (host = $3 or split_part(host, ':', 1) = $4) and deleted_at is null
        and document::jsonb ? 'verificationMethod' order by host = $3 desc, created_at limit 1`,
      values: [tenant.id, path, host.toLowerCase(), nameOf(host)],
    })
    return rows[0]?.document
  },

  /**
   * The document of a DID that we host, whoever's it is: our verifier need not ask us over the network. The host's tenant
   * of today decides, as it would over the network: a domain may have changed hands.
   */
  async hostedDocument(did: string): Promise<DidDocument | undefined> {
    const owner = await tenants.byHost(parseWebDid(did).host)
    if (!owner) return undefined
    const { rows } = await systemSql.query<HostedRow>({
      name: 'hosted-did',
      text: `select document from dids where tenant_id = $1 and did = $2 and hosting = 'platform'
        and registration_status = 'COMPLETED' and deleted_at is null limit 1`,
      values: [owner.id, did],
    })
    return rows[0]?.document
  },
})
