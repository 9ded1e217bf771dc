import type { Profile } from '../../protocol/compact-credentials/text.ts'
import { overDocument } from '../../protocol/errors.ts'
import type { TemplateRef } from '../credentials/format.ts'
import type { CredentialEngine } from '../credentials/index.ts'
import type { SignedCredential } from '../credentials/issue.ts'
import type { DidArea } from '../dids/index.ts'
import type { Frame } from '../frame/index.ts'
import type { Call } from '../frame/operations.ts'
import { createCompactBatches } from './batches.sign.ts'
import { createCompactFormat } from './format.ts'
import { createPublishedLists } from './lists.ts'
import { createPdfTemplates } from './pdf-templates.ts'
import { createPdfs } from './pdfs.ts'
import { createQrCodes } from './qr-codes.ts'
import { createScans } from './scans.ts'
import { type CompactSignRequest, createCompactSigning, type SignedCompact } from './sign.ts'
import { createCompactLists } from './status-lists.sign.ts'
import { type CompactTemplateClaims, createCompactTemplates, requestFrom } from './templates.ts'
import { createCompactVerifier } from './verify.ts'
import { createCompactWallets } from './wallets.ts'

type Known = Frame & Pick<DidArea, 'didResolver' | 'signers'> & CredentialEngine

const asSigned = ({ id, credential, template }: SignedCredential) => {
  if (!template) throw new Error(`credential ${id} was not signed from a template`)
  return { id, ...(credential as SignedCompact), template }
}

/** Operations of compact and compact-semantic credentials; `formats` are for the engine. */
export function composeCompactCredentials(known: Known) {
  const signing = createCompactSigning(known)
  const compactTemplates = {
    compact: createCompactTemplates('compact', known),
    'compact-semantic': createCompactTemplates('compact-semantic', known),
  }
  const pdfTemplates = createPdfTemplates(known)
  const statusKinds = createCompactLists(known.signers)
  const compactVerifier = createCompactVerifier(known)
  const formatOf = (profile: Profile) =>
    createCompactFormat(profile, {
      signing,
      statusKinds,
      wallets: createCompactWallets(profile, { ...known, signing }),
      batches: createCompactBatches(profile, { ...known, signing, templates: compactTemplates[profile] }),
    })
  const formats = { compact: formatOf('compact'), 'compact-semantic': formatOf('compact-semantic') }
  return {
    compactTemplates,
    compactFormats: Object.values(formats),
    compactCredentials: {
      /** Signs and records a credential; it is returned only if it was recorded. */
      async signCredential(call: Call, profile: Profile, request: CompactSignRequest, template?: TemplateRef) {
        const { id, credential } = await known.issuing.issue(call, formats[profile], request, template)
        return { id, ...(credential as SignedCompact) }
      },

      /** Signs claims with the template's current version, which the credential's row names. */
      async signFromTemplate(call: Call, profile: Profile, templateId: string, input: CompactTemplateClaims) {
        const { idempotency, tenantId } = call
        if (idempotency && 'effect' in idempotency) return asSigned(idempotency.effect as SignedCredential)
        const source = await compactTemplates[profile].readTemplate(tenantId, templateId)
        const template = { id: templateId, version: source.version }
        const request = await overDocument(() => requestFrom(profile, source, input, known.now()))
        return asSigned(await known.issuing.issue(call, formats[profile], request, template))
      },
    },
    compactVerifier,
    compactScans: createScans({ ...known, verifier: compactVerifier }),
    compactQrCodes: createQrCodes(known),
    pdfTemplates,
    pdfs: createPdfs({ ...known, compactVerifier, pdfTemplates }),
  }
}

/** Operations on what the engine publishes. */
export const composeCompactLists = (parts: Parameters<typeof createPublishedLists>[0]) => ({
  compactLists: createPublishedLists(parts),
})
