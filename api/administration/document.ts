import type { ADMINISTRATION_OPERATIONS } from '../../protocol/administration/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { ACCOUNT_DOCUMENT } from './accounts/document.ts'
import { CLIENT_DOCUMENT } from './clients/document.ts'
import { CONTENT_DOCUMENT } from './content/document.ts'
import { ECOSYSTEM_DOCUMENT } from './ecosystems/document.ts'
import { HEALTH_DOCUMENT } from './health/document.ts'
import { ORGANIZATION_DOCUMENT } from './organizations/document.ts'
import { PRIVACY_DOCUMENT } from './privacy/document.ts'
import { TENANT_DOCUMENT } from './tenants/document.ts'
import { TRANSFER_DOCUMENT } from './transfers/document.ts'

const SETTINGS_DOCUMENT: AreaDocument<keyof typeof ADMINISTRATION_OPERATIONS> = {
  examples: {
    updateTenantSettings: { fetchUnknownContexts: true, vcApi: false },
  },
  problems: [
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
      403: {
        'settings.of_operators': {
          meaning: 'A tenant cannot choose its ecosystem, nor the participant that it verifies as.',
          remedy:
            'Leave the member out, or send what getTenantSettings shows. Ask an operator for bindEcosystemTenant.',
        },
      },
    },
  ],
}

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts), part by part. */
export const ADMINISTRATION_DOCUMENTS: readonly AreaDocument[] = [
  SETTINGS_DOCUMENT,
  ACCOUNT_DOCUMENT,
  CLIENT_DOCUMENT,
  CONTENT_DOCUMENT,
  ECOSYSTEM_DOCUMENT,
  HEALTH_DOCUMENT,
  ORGANIZATION_DOCUMENT,
  PRIVACY_DOCUMENT,
  TENANT_DOCUMENT,
  TRANSFER_DOCUMENT,
]
