import type { PRIVACY_OPERATIONS } from '../../../protocol/administration/privacy/operations.ts'
import type { AreaDocument } from '../../frame/openapi/document.ts'
import { ERASURE } from './wire.ts'

const { stays: _, ...line } = ERASURE

/** Facts of this part's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const PRIVACY_DOCUMENT: AreaDocument<keyof typeof PRIVACY_OPERATIONS> = {
  examples: {
    createErasure: { subjectDid: 'did:example:holder', credentialStatus: 'revoke' },
    updatePrivacyRetention: { inactiveUsersDays: 730, expiredCredentialsDays: 365, messagesDays: null },
  },
  answers: { listErasures: { data: [line], limit: 20, totalCount: 1, totalPages: 1 } },
  notFound: { '/v1/privacy/erasures/{id}': 'erasure.not_found' },
  located: ['createErasure'],
  refusals: { createErasure: { 404: 'credential.not_found', 409: 'erasure.other_status' } },
  problems: [
    {
      404: {
        'erasure.not_found': {
          meaning: 'The tenant has no such erasure.',
          remedy: 'Take the id from the answer to createErasure, with a token of the same tenant.',
        },
      },
      409: {
        'erasure.other_status': {
          meaning: 'An erasure of the same person was asked for before, with another credentialStatus.',
          remedy:
            'Repeat it with the same credentialStatus. Set the status of the credentials by their ids, which goes on after an erasure.',
        },
      },
    },
  ],
}
