import type { DidDocument, DidService } from '../../protocol/dids/index.ts'
import { parseWebDid } from '../../protocol/dids/web.ts'
import { hostNameOf } from '../../protocol/hosts/names.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Tenants } from '../frame/tenants/index.ts'

interface HostedRow {
  document: DidDocument
}

const withServices = (document: DidDocument, services: DidService[]): DidDocument =>
  services.length === 0 ? document : { ...document, service: [...(document.service ?? []), ...services] }

/** Services of a DID of a tenant, which its document has while they last. */
export type ServicesOf = (tenantId: string, did: string) => Promise<DidService[]>

interface Parts extends Pick<Dependencies, 'systemSql'> {
  tenants: Pick<Tenants, 'byHost'>
  servicesOf: ServicesOf
}

/** Public DID documents that we host. */
export const createPublicDids = ({ systemSql, tenants, servicesOf }: Parts) => ({
  /**
   * Returns the document at a path of a host; empty path: /.well-known/did.json. A tenant with several hosts may have a
   * DID on each; behind a proxy the port of the request may differ from the one in the DID.
   */
  async documentAt(host: string, path: string): Promise<DidDocument | undefined> {
    const tenant = await tenants.byHost(host)
    if (!tenant) return undefined
    const { rows } = await systemSql.query<HostedRow>({
      name: 'did-document-at',
      text: `select document from dids where tenant_id = $1 and path = $2 and hosting = 'platform'
        and (host = $3 or split_part(host, ':', 1) = $4) and deleted_at is null
        and document::jsonb ? 'verificationMethod' order by host = $3 desc, created_at limit 1`,
      values: [tenant.id, path, host.toLowerCase(), hostNameOf(host)],
    })
    return rows[0] && withServices(rows[0].document, await servicesOf(tenant.id, rows[0].document.id))
  },

  /**
   * Returns the document of a DID that we host for any tenant, so that our verifier needs no network call. As over the
   * network, the present tenant of the host decides: a domain may have changed hands.
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
    return rows[0] && withServices(rows[0].document, await servicesOf(owner.id, did))
  },
})
