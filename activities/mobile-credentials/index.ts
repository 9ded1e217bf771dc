import type { Frame } from '../frame/index.ts'
import { createDocumentSigners } from './document-signers.ts'
import { createIacas } from './iacas.ts'
import { createPublishedIacas } from './published.ts'

/** Operations of mobile credentials (ISO/IEC 18013-5). */
export const composeMobileCredentials = (frame: Frame) => ({
  iacas: createIacas(frame),
  documentSigners: createDocumentSigners(frame),
  publishedIacas: createPublishedIacas(frame),
})
