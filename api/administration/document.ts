import type { ADMINISTRATION_OPERATIONS } from '../../protocol/administration/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { CONTENT_DOCUMENT, CONTENT_PROBLEMS, type ContentOperation } from './content/document.ts'

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const ADMINISTRATION_DOCUMENT: AreaDocument<keyof typeof ADMINISTRATION_OPERATIONS | ContentOperation> = {
  ...CONTENT_DOCUMENT,
  examples: {
    ...CONTENT_DOCUMENT.examples,
    updateTenantSettings: { fetchUnknownContexts: true, vcApi: false },
  },
  problems: [
    CONTENT_PROBLEMS,
    {
      400: {
        'settings.default_issuer_unfit': {
          meaning: 'The DID has no key that signs: its only key is of key agreement (x25519).',
          remedy: 'Set defaultIssuer to a DID with a key of another type, or to null for no default issuer.',
        },
        'settings.default_issuer_unknown': {
          meaning: 'The default issuer is not a DID of this tenant.',
          remedy: 'Set defaultIssuer to a DID of getDIDsList, or to null for no default issuer.',
        },
      },
    },
  ],
}
