import type { ProofType, Signer } from '../../../protocol/data-integrity/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { tableOf } from '../../../protocol/names.ts'
import type { Issuers } from '../../dids/signers.ts'

/** What `issuers` refuses of a credential's issuer, said of a DID that asks or presents. */
const SAID = tableOf({
  'credential.issuer_unknown': {
    code: 'presentation.signer_unknown',
    message: 'The DID is not one of this tenant.',
  },
  'credential.issuer_not_ready': {
    code: 'presentation.signer_not_ready',
    message: 'The registration of the DID has not completed: nobody could verify what it signs.',
  },
  'credential.issuer_key_unfit': {
    code: 'presentation.signer_key_unfit',
    message: 'The DID holds no key of the type that is needed.',
  },
})

function saidOfDid(error: unknown): never {
  const said = error instanceof Refusal ? SAID.get(error.code) : undefined
  if (!(error instanceof Refusal) || !said) throw error
  const message = error.errors[0]?.message ?? 'expected a DID of /v1/dids'
  throw new Refusal(said.code, said.message, [{ path: 'did', code: 'did', message }])
}

/** A key of one of the tenant's own DIDs. Throws `Refusal('presentation.signer_*')`, naming the body's member `did`. */
export async function tenantSigner(
  issuers: Issuers,
  { tenantId, did, proofType }: { tenantId: string; did: string; proofType: ProofType },
): Promise<Signer> {
  try {
    const signer = issuers.signer(tenantId, await issuers.find(tenantId, did), proofType)
    return { ...signer, sign: (data) => signer.sign(data).catch(saidOfDid) }
  } catch (error) {
    return saidOfDid(error)
  }
}
