import { envelopedCredential, signEnvelope } from '../../protocol/semantic-credentials/enveloped/issue.ts'
import { credentialKeyFor, isListProofType } from '../../protocol/semantic-credentials/proof-types.ts'
import { statusListCredential } from '../../protocol/status-list/credential.ts'
import type { CredentialListKind } from '../../protocol/status-list/index.ts'
import { wholeSeconds } from '../../protocol/time.ts'
import type { ListToSign, StatusKinds } from '../credentials/format.ts'
import { refuseIssuer } from '../credentials/refusals.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Signers } from '../dids/signers.ts'
import { signPublicly } from '../documents/public.ts'

interface Parts extends Pick<Dependencies, 'documents'> {
  signers: Signers
}

/** Status lists that are themselves credentials: Bitstring Status List 1.0, and RevocationList2020 for data model 1.1. */
export function createSemanticLists({ documents, signers }: Parts) {
  const signAs =
    (dataModel: '1.1' | '2.0', kind: CredentialListKind) =>
    async ({ tenantId, issuer: did, url, proofType, validFrom, validUntil, ...list }: ListToSign) => {
      if (!isListProofType(proofType)) throw new Error(`no status list is signed with ${proofType}`)
      const credential = statusListCredential({
        ...list,
        kind,
        id: url,
        issuerDid: did,
        validFrom: wholeSeconds(validFrom),
        validUntil: wholeSeconds(validUntil),
      })
      const issuer = await signers.signerOf(tenantId, did, refuseIssuer('issuer'))
      const signer = issuer.withKey(credentialKeyFor(proofType))
      const signed =
        proofType === 'vc+jwt'
          ? envelopedCredential(await signEnvelope(proofType, credential, signer))
          : await signPublicly(documents, { tenantId, credential, dataModel, proofType, signer, now: validFrom })
      return { signed, validUntil }
    }

  return {
    BitstringStatusList: signAs('2.0', 'BitstringStatusList'),
    RevocationList2020: signAs('1.1', 'RevocationList2020'),
  } satisfies StatusKinds
}
