import { isDid } from '../../protocol/dids/index.ts'
import { isObject } from '../../protocol/json.ts'
import { statusEntryOf } from '../../protocol/sd-jwt-credentials/status-list.ts'
import type { BatchFormat, CredentialFormat, WalletFormat } from '../credentials/format.ts'
import { jsonOf } from '../credentials/read.ts'
import { isDocumentSigner } from '../mobile-credentials/records.ts'
import type { SdJwtSigning, SignedSdJwtRow } from './sign.ts'
import { readSdJwtTemplateVersion } from './templates.ts'
import type { SdJwtTerms } from './terms.ts'

interface Parts {
  sdJwtSigning: SdJwtSigning
  batches: BatchFormat
  wallets: WalletFormat
}

/** SD-JWT VC credentials, as the engine sees them. */
export const createSdJwtFormat = ({
  sdJwtSigning,
  batches,
  wallets,
}: Parts): CredentialFormat<SdJwtTerms, SignedSdJwtRow> => ({
  name: 'sd-jwt-vc',
  // its entries stand in lists of compact and mobile credentials, whose formats sign them
  statusKinds: {},
  sign: (tenantId, id, terms) => sdJwtSigning.sign(tenantId, id, terms),
  show(credential) {
    const { decoded } = jsonOf(credential)
    const claims = isObject(decoded) ? decoded : {}
    const { sub, status } = claims
    const entry = statusEntryOf(status)
    return {
      subjects: typeof sub === 'string' && isDid(sub) ? [sub] : [],
      ...(entry && { statusEntry: { listUrl: entry.url, index: entry.index } }),
    }
  },
  readTemplate: readSdJwtTemplateVersion,
  hasIssuer: isDocumentSigner,
  batches,
  wallets,
})
