import type { PayloadRow, RowInput } from '../../protocol/credentials/batches.ts'
import { overDocument, Refusal } from '../../protocol/errors.ts'
import { readMobilePayload } from '../../protocol/mobile-credentials/payload.ts'
import type { BatchFormat, BatchTerms } from '../credentials/format.ts'
import type { MobileSigning } from './sign.ts'
import type { MobileSigners } from './signers.ts'

interface Parts {
  mobileSigning: Pick<MobileSigning, 'sign'>
  mobileSigners: Pick<MobileSigners, 'signerOf' | 'forget'>
}

const refuseOption = (path: string, message: string) =>
  new Refusal('request.invalid', `The query parameter ${path} does not fit mobile credentials.`, [
    { path, code: 'query', message },
  ])

const notFromCsv = () =>
  new Refusal('request.invalid', 'Mobile credentials are signed from JSON lines, and not from CSV.', [
    { path: 'Content-Type', code: 'media_type', message: 'expected application/x-ndjson: a CSV needs a template' },
  ])

/** Batches of mobile credentials: rows are sign requests. */
export function createMobileBatches({ mobileSigning, mobileSigners }: Parts): BatchFormat {
  const issuerOf: BatchFormat['issuerOf'] = (input, { issuer }) =>
    ('payload' in input ? input.documentSignerId : undefined) ?? issuer

  return {
    /** The signer is that of the start for all rows that name none: a renewal changes nothing (D-303). */
    async settle(tenantId, { source, options }) {
      const { proofType, suspendable, contexts, types, templateId, tag, issuer } = options
      if (source === 'csv') throw notFromCsv()
      if (templateId !== undefined)
        throw refuseOption('templateId', 'expected none: batches of mobile credentials take no template')
      if (proofType !== undefined) throw refuseOption('proofType', 'expected none: document signers sign with ES256')
      if (suspendable) throw refuseOption('suspendable', 'expected false: mobile credentials cannot be suspended')
      if (types.length > 0) throw refuseOption('type', 'expected none: docType of the payload is the type')
      if (contexts.length > 0) throw refuseOption('context', 'expected none: mobile credentials have no contexts')
      if (tag !== undefined) throw refuseOption('tag', 'expected none: mobile credentials have no tags')
      const signer = await mobileSigners.signerOf(tenantId, issuer)
      return { options: { ...options, issuer: signer.id } }
    },

    issuerOf,

    async signRow(tenantId: string, id: string, input: RowInput, { options }: BatchTerms, together: number) {
      const { payload, revocable = options.revocable } = input as PayloadRow
      const documentSignerId = issuerOf(input, options)
      const read = await overDocument(() => readMobilePayload(payload, 'payload'))
      return mobileSigning.sign(tenantId, id, { documentSignerId, payload: read, revocable }, together)
    },

    issuers: {
      goneCodes: ['document_signer.not_found', 'document_signer.not_usable'],
      forget: (tenantId) => mobileSigners.forget(tenantId),
      async usable(tenantId, id) {
        mobileSigners.forget(tenantId)
        return (await mobileSigners.signerOf(tenantId, id)).id
      },
    },
  }
}
