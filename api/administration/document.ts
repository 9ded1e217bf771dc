import type { ADMINISTRATION_OPERATIONS } from '../../protocol/administration/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import {
  ACCOUNT_ANSWERS,
  ACCOUNT_EXAMPLES,
  ACCOUNT_NOT_FOUND,
  ACCOUNT_PROBLEMS,
  ACCOUNT_REFUSALS,
  ACCOUNT_SCHEMAS,
} from './accounts/document.ts'
import { CLIENT_DOCUMENT } from './clients/document.ts'
import { CONTENT_DOCUMENT, CONTENT_PROBLEMS, type ContentOperation } from './content/document.ts'
import {
  ORGANIZATION_ANSWERS,
  ORGANIZATION_EXAMPLES,
  ORGANIZATION_NOT_FOUND,
  ORGANIZATION_PROBLEMS,
  ORGANIZATION_REFUSALS,
  ORGANIZATION_SCHEMAS,
} from './organizations/document.ts'
import { TENANT_DOCUMENT } from './tenants/document.ts'

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const ADMINISTRATION_DOCUMENT: AreaDocument<keyof typeof ADMINISTRATION_OPERATIONS | ContentOperation> = {
  ...CONTENT_DOCUMENT,
  examples: {
    ...ACCOUNT_EXAMPLES,
    ...ORGANIZATION_EXAMPLES,
    ...CONTENT_DOCUMENT.examples,
    updateTenantSettings: { fetchUnknownContexts: true, vcApi: false },
    ...CLIENT_DOCUMENT.examples,
    ...TENANT_DOCUMENT.examples,
  },
  answers: {
    ...CONTENT_DOCUMENT.answers,
    ...ACCOUNT_ANSWERS,
    ...ORGANIZATION_ANSWERS,
    ...CLIENT_DOCUMENT.answers,
    ...TENANT_DOCUMENT.answers,
  },
  refusals: {
    ...CONTENT_DOCUMENT.refusals,
    ...ACCOUNT_REFUSALS,
    ...ORGANIZATION_REFUSALS,
    ...CLIENT_DOCUMENT.refusals,
    ...TENANT_DOCUMENT.refusals,
  },
  notFound: {
    ...CONTENT_DOCUMENT.notFound,
    ...ACCOUNT_NOT_FOUND,
    ...ORGANIZATION_NOT_FOUND,
    ...CLIENT_DOCUMENT.notFound,
    ...TENANT_DOCUMENT.notFound,
  },
  schemas: {
    ...CONTENT_DOCUMENT.schemas,
    ...ACCOUNT_SCHEMAS,
    ...ORGANIZATION_SCHEMAS,
    ...CLIENT_DOCUMENT.schemas,
    ...TENANT_DOCUMENT.schemas,
  },
  located: [
    ...(CONTENT_DOCUMENT.located ?? []),
    'createOrganization',
    ...(CLIENT_DOCUMENT.located ?? []),
    ...(TENANT_DOCUMENT.located ?? []),
  ],
  problems: [
    ACCOUNT_PROBLEMS,
    ORGANIZATION_PROBLEMS,
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
      403: {
        'settings.of_operators': {
          meaning: 'A tenant cannot choose its ecosystem, nor the participant that it verifies as.',
          remedy:
            'Leave the member out, or send what getTenantSettings shows. Ask an operator for bindEcosystemTenant.',
        },
      },
    },
    ...CLIENT_DOCUMENT.problems,
    ...TENANT_DOCUMENT.problems,
  ],
}
