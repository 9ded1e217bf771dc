import { readMdocs } from '../../protocol/mobile-credentials/read.ts'
import { statusEntryOf } from '../../protocol/mobile-credentials/status.ts'
import type { BatchFormat, CredentialFormat, StatusKinds, WalletFormat } from '../credentials/format.ts'
import { isDocumentSigner } from './records.ts'
import type { MobileSigning, MobileSignRequest, SignedMobileRow } from './sign.ts'
import { readMobileTemplateVersion } from './templates.ts'

interface Parts {
  mobileSigning: MobileSigning
  statusKinds: StatusKinds
  batches: BatchFormat
  wallets: WalletFormat
}

/** Mobile credentials, as the engine sees them. */
export const createMobileFormat = ({
  mobileSigning,
  statusKinds,
  batches,
  wallets,
}: Parts): CredentialFormat<MobileSignRequest, SignedMobileRow> => ({
  name: 'mobile',
  statusKinds,
  sign: (tenantId, id, request) => mobileSigning.sign(tenantId, id, request),
  /** Its subject has no DID. */
  show({ documentBytes }) {
    const [mdoc] = documentBytes ? readMdocs(new Uint8Array(documentBytes)) : []
    const entry = mdoc?.mso.status === undefined ? undefined : statusEntryOf(mdoc.mso.status)
    return { subjects: [], ...(entry && { statusEntry: { listUrl: entry.url, index: entry.index } }) }
  },
  readTemplate: readMobileTemplateVersion,
  hasIssuer: isDocumentSigner,
  batches,
  wallets,
})
