import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { Ed25519Signature2018 } from '@digitalbazaar/ed25519-signature-2018'
import { cryptosuite } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import { issue, signPresentation } from '@digitalbazaar/vc'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { ed25519Signer, type TestSigner } from './signers.ts'

const documentLoader = createDocumentLoader()

interface Present {
  challenge?: string
  domain?: string
  /** Members beside contexts, type, holder and credentials. */
  more?: Record<string, unknown>
  base?: string
  suite?: 'eddsa-rdfc-2022' | 'Ed25519Signature2018'
}

/** A holder with a key of its own, whose presentations are signed by an implementation that is not ours. */
export interface Holder extends TestSigner {
  present(credentials: unknown, options?: Present): Promise<Record<string, unknown>>
  /** As an issuer elsewhere: a credential of data model 2.0, by eddsa-rdfc-2022. */
  issue(credential: Record<string, unknown>): Promise<Record<string, unknown>>
}

function suiteFor(holder: TestSigner, name: Present['suite']): object {
  const is2018 = name === 'Ed25519Signature2018'
  const signer = {
    id: holder.verificationMethod,
    algorithm: is2018 ? 'EdDSA' : 'Ed25519',
    sign: ({ data }: { data: Uint8Array }) => holder.sign(data),
  }
  return is2018 ? new Ed25519Signature2018({ signer }) : new DataIntegrityProof({ signer, cryptosuite })
}

const contextsFor = (base: string, suite: Present['suite']): string[] => {
  if (suite === 'Ed25519Signature2018') return base === CONTEXT.credentialsV2 ? [CONTEXT.ed25519Signature2018] : []
  return base === CONTEXT.credentialsV1 ? [CONTEXT.dataIntegrityV2] : []
}

export function makeHolder(): Holder {
  const signer = ed25519Signer()
  return {
    ...signer,
    present: (credentials, { challenge, domain, more, base = CONTEXT.credentialsV2, suite = 'eddsa-rdfc-2022' } = {}) =>
      signPresentation({
        presentation: {
          '@context': [base, ...contextsFor(base, suite)],
          type: ['VerifiablePresentation'],
          holder: signer.did,
          ...(credentials === undefined ? {} : { verifiableCredential: structuredClone(credentials) }),
          ...more,
        },
        suite: suiteFor(signer, suite),
        ...(challenge === undefined ? {} : { challenge }),
        ...(domain === undefined ? {} : { domain }),
        documentLoader,
      }),
    issue: (credential) =>
      issue({ credential: { ...credential, issuer: signer.did }, suite: suiteFor(signer, undefined), documentLoader }),
  }
}
