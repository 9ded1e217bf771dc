import { readMdocs, shownNameSpaces } from '../../protocol/mobile-credentials/read.ts'
import type { CredentialReader } from '../credentials/read.ts'
import type { CredentialRow } from '../credentials/search.ts'

/** A recorded mobile credential. */
export interface MobileCredential {
  row: CredentialRow
  /** IssuerSigned in base64url. */
  encoded: string
  namespaces: Record<string, Record<string, unknown>>
}

/** Mobile credentials as they were recorded. */
export const createMobileReader = ({ credentials }: { credentials: CredentialReader }) => ({
  /** Newest first. */
  async listMobileCredentials(tenantId: string, page: { limit: number; offset: number; type?: string | undefined }) {
    const { limit, offset, type } = page
    const filter = { limit, offset, ...(type !== undefined && { type }) }
    const { rows, total } = await credentials.listRows(tenantId, 'mobile', filter)
    return { rows: rows.map((row) => ({ row })), total }
  },

  /** Throws `Refusal('credential.not_found')`. */
  async readMobileCredential(tenantId: string, id: string): Promise<MobileCredential> {
    const row = await credentials.readCredential(tenantId, 'mobile', id)
    if (!row.documentBytes) throw new Error(`the document of credential ${id} is not CBOR`)
    const bytes = new Uint8Array(row.documentBytes)
    const [mdoc] = readMdocs(bytes)
    const encoded = Buffer.from(bytes).toString('base64url')
    return { row, encoded, namespaces: shownNameSpaces(mdoc?.nameSpaces ?? new Map()) }
  },
})

export type MobileReader = ReturnType<typeof createMobileReader>
