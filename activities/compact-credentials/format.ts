import type { Profile } from '../../protocol/compact-credentials/text.ts'
import { subjectIdsOf } from '../../protocol/credentials/subjects.ts'
import { isDid } from '../../protocol/dids/index.ts'
import { isObject } from '../../protocol/json.ts'
import type { BatchFormat, CredentialFormat, StatusKinds, WalletFormat } from '../credentials/format.ts'
import { jsonOf } from '../credentials/read.ts'
import { versionReader } from '../credentials/templates.ts'
import type { CompactSigning, CompactSignRequest, SignedCompactRow } from './sign.ts'

interface Parts {
  signing: CompactSigning
  statusKinds: StatusKinds
  batches: BatchFormat
  wallets: WalletFormat
}

/** The place of the credential in its list. */
const entryOf = (decoded: unknown) => {
  const status = isObject(decoded) ? (decoded.status ?? decoded.credentialStatus) : undefined
  return isObject(status) && typeof status.url === 'string'
    ? { statusEntry: { listUrl: status.url, index: Number(status.index) } }
    : {}
}

/** Compact credentials of a profile, as the engine sees them. */
export const createCompactFormat = (
  profile: Profile,
  { signing, statusKinds, batches, wallets }: Parts,
): CredentialFormat<CompactSignRequest, SignedCompactRow> => ({
  name: profile,
  statusKinds,
  sign: (tenantId, id, request) => signing.sign(profile, tenantId, id, request),
  show(credential) {
    const document = jsonOf(credential)
    return { subjects: subjectIdsOf(profile, document).filter(isDid), ...entryOf(document.decoded) }
  },
  readTemplate: versionReader(profile),
  batches,
  wallets,
})
