import type { Profile } from '../../protocol/compact-credentials/text.ts'
import { isDid } from '../../protocol/dids/index.ts'
import { isObject, listOf } from '../../protocol/json.ts'
import type { BatchFormat, CredentialFormat, StatusKinds, WalletFormat } from '../credentials/format.ts'
import { jsonOf } from '../credentials/read.ts'
import type { CompactSigning, CompactSignRequest, SignedCompactRow } from './sign.ts'
import { readCompactTemplateVersion } from './templates.ts'

interface Parts {
  signing: CompactSigning
  statusKinds: StatusKinds
  batches: BatchFormat
  wallets: WalletFormat
}

/** Who a credential is about: `sub`, and the ids of the subjects of a credential of the W3C. */
const subjectsOf = (decoded: unknown): string[] => {
  if (!isObject(decoded)) return []
  const ids = [decoded.sub, ...listOf(decoded.credentialSubject).map((subject) => isObject(subject) && subject.id)]
  return ids.filter((id): id is string => typeof id === 'string' && isDid(id))
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
    const { decoded } = jsonOf(credential)
    return { subjects: subjectsOf(decoded), ...entryOf(decoded) }
  },
  readTemplate: (em, id, version) => readCompactTemplateVersion(profile, em, id, version),
  batches,
  wallets,
})
