import { listOf } from '../../protocol/json.ts'
import { subjectDids } from '../../protocol/semantic-credentials/index.ts'
import { readStatusEntry } from '../../protocol/status-list/entry.ts'
import type { BatchFormat, CredentialFormat, StatusKinds, WalletFormat } from '../credentials/format.ts'
import { jsonOf } from '../credentials/read.ts'
import type { SignedSemanticRow, Signing, SignRequest } from './sign.ts'
import { readTemplateVersion } from './templates.ts'

interface Parts {
  signing: Signing
  statusKinds: StatusKinds
  batches: BatchFormat
  wallets: WalletFormat
}

/** W3C credentials with Data Integrity proofs, as the engine sees them. */
export const createSemanticFormat = ({
  signing,
  ...parts
}: Parts): CredentialFormat<SignRequest, SignedSemanticRow> => ({
  name: 'semantic',
  sign: signing.sign,
  show(credential) {
    const document = jsonOf(credential)
    const [status] = listOf(document.credentialStatus)
    const isListed = credential.statusListId !== null && credential.statusListId !== undefined
    return { subjects: subjectDids(document), ...(isListed && { statusEntry: readStatusEntry(status) }) }
  },
  readTemplate: readTemplateVersion,
  ...parts,
})
