import type { CredentialEngine } from '../credentials/index.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Frame } from '../frame/index.ts'
import { createMobileBatches } from './batches.sign.ts'
import { createDocumentSigners } from './document-signers.ts'
import { createCertificateSweep } from './expiry.ts'
import { createMobileFormat } from './format.ts'
import { createIacas } from './iacas.ts'
import { createPublishedIacas } from './published.ts'
import { createMobileReader } from './read.ts'
import { createRenewals } from './renewal.ts'
import { createMobileSigning } from './sign.ts'
import { createMobileSigners } from './signers.ts'
import { createMobileLists, createPublishedMobileLists } from './status-lists.sign.ts'
import { createMobileTemplates } from './templates.ts'
import { createMobileVerifier } from './verify.ts'
import { createMobileWallets } from './wallets.ts'

/** Operations of mobile credentials (ISO/IEC 18013-5); `mobileFormat` is for the engine. */
export function composeMobileCredentials(known: Frame & CredentialEngine) {
  const mobileSigners = createMobileSigners(known)
  const operations = mobileSigners.changing(known.operations)
  const mobileSigning = createMobileSigning({ ...known, mobileSigners })
  return {
    iacas: createIacas({ ...known, operations }),
    documentSigners: createDocumentSigners({ ...known, operations }),
    publishedIacas: createPublishedIacas(known),
    renewals: createRenewals(known),
    mobileSigning,
    /** For credentials of other formats that document signers sign. */
    mobileSigners,
    mobileFormat: createMobileFormat({
      mobileSigning,
      statusKinds: createMobileLists(mobileSigners),
      wallets: createMobileWallets({ ...known, mobileSigning }),
      batches: createMobileBatches({ mobileSigning, mobileSigners }),
    }),
    mobileTemplates: createMobileTemplates(known),
    mobileReader: createMobileReader(known),
    mobileVerifier: createMobileVerifier(known),
  }
}

/** Operations on what the engine publishes. */
export const composeMobileLists = (parts: Parameters<typeof createPublishedMobileLists>[0]) => ({
  mobileLists: createPublishedMobileLists(parts),
})

type Sweeping = Dependencies & Pick<ReturnType<typeof composeMobileCredentials>, 'publishedIacas' | 'renewals'>

/** Activities of the workflows of mobile credentials. */
export const mobileCredentialActivities = (parts: Sweeping) => createCertificateSweep(parts)
