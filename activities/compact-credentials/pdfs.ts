import type { Filling } from '../../protocol/compact-credentials/pdfs/fill.ts'
import { PREFIXES, type Profile } from '../../protocol/compact-credentials/text.ts'
import type { CompactVerdict } from '../../protocol/compact-credentials/verify.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import type { Dependencies } from '../dependencies.ts'
import { bundledOnly } from '../documents/index.ts'
import type { LoadedPdfTemplate, PdfTemplates } from './pdf-templates.ts'
import type { CompactVerifier } from './verify.ts'

interface Parts extends Pick<Dependencies, 'documents' | 'now'> {
  compactVerifier: CompactVerifier
  pdfTemplates: PdfTemplates
}

const profileOf = (payload: string): Profile =>
  payload.startsWith(PREFIXES['compact-semantic']) ? 'compact-semantic' : 'compact'

/** SignatureInvalid as `signature_invalid`. */
const ruleOf = (type: string) => type.replace(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase()

const notVerified = ({ error }: CompactVerdict): Refusal =>
  new Refusal('compact_credential.not_verified', `The credential does not verify: ${error?.message ?? 'see errors'}`, [
    {
      path: 'payload',
      code: `compact_credential.${ruleOf(error?.type ?? '')}`,
      message: 'expected a credential that verifies',
    },
    ...(error?.details ?? []).map(({ code, message }) => ({ path: 'payload', code, message })),
  ])

const named = ({ template, fonts }: LoadedPdfTemplate): Filling['fonts'] =>
  template.fonts.flatMap(({ name, fileName }) => {
    const bytes = fonts.get(fileName)
    return bytes ? [{ name, bytes }] : []
  })

/** Makes PDFs of credentials that verify, in a thread. */
export const createPdfs = ({ documents, now, compactVerifier, pdfTemplates }: Parts) => ({
  /**
   * Throws `pdf_template.not_found`, `compact_credential.not_verified`, and what `fillPdf` throws. `noted` gets the
   * verdict before it counts.
   */
  async makePdf(
    tenantId: string,
    { templateId, payload }: { templateId: string; payload: string },
    noted: (verdict: CompactVerdict) => void,
  ): Promise<{ pdf: Buffer; fileName: string }> {
    const loaded = await pdfTemplates.loadPdfTemplate(tenantId, templateId)
    const profile = profileOf(payload)
    const verdict = await compactVerifier.verify(tenantId, profile, { payload })
    noted(verdict)
    if (!verdict.verified || !verdict.decoded) throw notVerified(verdict)
    const { template, pdf } = loaded
    const credential = { profile, encoded: payload, decoded: verdict.decoded as Json }
    const filling = { template, pdf, fonts: named(loaded), ...credential, now: now() }
    const filled = await documents.fillPdf(filling, bundledOnly(tenantId))
    const { fileName } = template
    return { pdf: Buffer.from(filled), fileName: /\.pdf$/i.test(fileName) ? fileName : `${fileName}.pdf` }
  },
})
