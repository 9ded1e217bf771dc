import { payload } from './credentials.ts'

/** What the examples of the W3C VC API speak of. */
interface VcApiSample {
  did: string
  credentialId: string
  credential: Record<string, unknown>
  presentation: Record<string, unknown>
  baseCredential: Record<string, unknown>
}

type Of<Answer> = (sample: VcApiSample) => Answer

export const VC_API_EXAMPLES: Record<
  string,
  { body?: Of<Record<string, unknown>>; path?: Of<Record<string, string>> }
> = {
  vcApiIssueCredential: { body: ({ did }) => ({ credential: payload(did), options: {} }) },
  vcApiIssueCredentialWithProofType: {
    path: () => ({ proofType: 'eddsa-rdfc-2022' }),
    body: ({ did }) => ({
      credential: payload(did),
      options: { credentialStatus: { type: 'BitstringStatusListEntry' } },
    }),
  },
  vcApiVerifyCredential: {
    body: ({ credential }) => ({ verifiableCredential: credential, options: { checks: ['proof'] } }),
  },
  vcApiDeriveCredential: {
    body: ({ baseCredential }) => ({
      verifiableCredential: baseCredential,
      options: { selectivePointers: ['/credentialSubject/course'] },
    }),
  },
  vcApiUpdateStatus: {
    body: ({ credentialId }) => ({
      credentialId: `urn:uuid:${credentialId}`,
      // said in the older way: a body with one value changed must not revoke what the other examples verify
      credentialStatus: [{ type: 'BitstringStatusListEntry', statusPurpose: 'revocation', status: '0' }],
    }),
  },
  vcApiVerifyPresentation: {
    body: ({ presentation }) => ({ verifiablePresentation: presentation, options: { challenge: 'the-challenge' } }),
  },
  vcApiProvePresentation: {
    body: ({ did }) => ({
      presentation: {
        '@context': ['https://www.w3.org/ns/credentials/v2'],
        type: ['VerifiablePresentation'],
        holder: did,
      },
      options: { challenge: 'the-challenge', domain: 'verifier.example' },
    }),
  },
}
