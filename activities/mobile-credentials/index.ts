import type { CredentialEngine } from '../credentials/index.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Frame } from '../frame/index.ts'
import { createDocumentSigners } from './document-signers.ts'
import { createCertificateSweep } from './expiry.ts'
import { createIacas } from './iacas.ts'
import { createPublishedIacas } from './published.ts'
import { createMobileReader } from './read.ts'
import { createMobileSigning } from './sign.ts'
import { createMobileVerifier } from './verify.ts'

/** Operations of mobile credentials (ISO/IEC 18013-5). */
export const composeMobileCredentials = (known: Frame & Pick<CredentialEngine, 'issuing' | 'credentials'>) => ({
  iacas: createIacas(known),
  documentSigners: createDocumentSigners(known),
  publishedIacas: createPublishedIacas(known),
  mobileSigning: createMobileSigning(known),
  mobileReader: createMobileReader(known),
  mobileVerifier: createMobileVerifier(known),
})

type Sweeping = Dependencies & Pick<ReturnType<typeof composeMobileCredentials>, 'publishedIacas'>

/** Activities of the workflows of mobile credentials. */
export const mobileCredentialActivities = (parts: Sweeping) => createCertificateSweep(parts)
