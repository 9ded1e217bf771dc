import type { DidDocument } from '../protocol/dids.ts'
import type { Dependencies } from './index.ts'

interface HostedRow {
  tenant_id: string
  did: string
  document: DidDocument
}

/** DID documents that we host, as anybody may read them. */
export const createPublicDids = ({ systemSql }: Pick<Dependencies, 'systemSql'>) => ({
  /** The document that stands at a path of one tenant's host; empty path: /.well-known/did.json. */
  async documentAt(tenantId: string, path: string): Promise<DidDocument | undefined> {
    const { rows } = await systemSql.query<HostedRow>({
      name: 'did-document-at',
      text: `select document from dids where tenant_id = $1 and path = $2 and hosting = 'platform'
        and deleted_at is null and document::jsonb ? 'verificationMethod' order by created_at limit 1`,
      values: [tenantId, path],
    })
    return rows[0]?.document
  },

  /** The document of a DID that we host, whoever's it is: our verifier need not ask us over the network. */
  async hostedDocument(did: string): Promise<DidDocument | undefined> {
    const { rows } = await systemSql.query<HostedRow>({
      name: 'hosted-did',
      text: `select document from dids where did = $1 and hosting = 'platform' and registration_status = 'COMPLETED'
        and deleted_at is null limit 1`,
      values: [did],
    })
    return rows[0]?.document
  },
})

export type PublicDids = ReturnType<typeof createPublicDids>
