import type { TENANT_OPERATIONS } from '../../../protocol/administration/tenants/operations.ts'
import type { AreaDocument } from '../../frame/openapi/document.ts'
import { LABEL_PATTERN } from '../../frame/openapi/patterns.ts'
import type { Schema } from '../../frame/openapi/schemas.ts'
import { ENVIRONMENT, TENANT } from './wire.ts'

const label = (example: string): Schema => ({
  type: 'string',
  description: 'One line, for people; something of it can be seen.',
  pattern: LABEL_PATTERN,
  minLength: 1,
  maxLength: 255,
  example,
})

const environment = {
  deploymentModel: 'public',
  name: 'Europe',
  region: { displayName: 'Europe (Frankfurt)', id: 'eu-central-1', name: 'eu-central-1' },
}

/** Facts of the operations of environments and tenants. */
export const TENANT_DOCUMENT: AreaDocument<keyof typeof TENANT_OPERATIONS> = {
  examples: {
    createEnvironment: environment,
    updateEnvironment: environment,
    createTenant: {
      environmentId: ENVIRONMENT.id,
      name: 'Example College',
      subdomain: 'college',
      did: { keyType: 'ed25519' },
      iaca: { country: 'NZ', commonName: 'Example College IACA' },
    },
    updateTenant: { name: 'Example University' },
  },
  answers: {
    getEnvironments: { data: [ENVIRONMENT], limit: 10, totalCount: 1, totalPages: 1 },
    getTenants: { inboxes: [TENANT], limit: 20, totalCount: 1, totalPages: 1 },
  },
  notFound: { '/v1/environments/{id}': 'environment.not_found', '/v1/tenants/{id}': 'tenant.not_found' },
  located: ['createEnvironment', 'createTenant', 'deleteTenant'],
  refusals: {
    createEnvironment: { 400: 'environment.invalid' },
    updateEnvironment: { 400: 'environment.invalid' },
    createTenant: { 400: 'tenant.invalid_subdomain', 404: 'environment.not_found', 409: 'tenant.subdomain_taken' },
    updateTenant: { 400: 'tenant.invalid_name' },
    deleteTenant: { 409: 'tenant.is_first' },
  },
  schemas: {
    EnvironmentText: label('Europe'),
    TenantName: label('Example College'),
    Subdomain: {
      type: 'string',
      description:
        'A label of DNS in lower case: a-z, 0-9 and -, no - at either end, and no -- in the third and fourth place. Reserved names, such as www, api and mail, are refused.',
      pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
      minLength: 1,
      maxLength: 63,
      example: 'college',
    },
  },
  problems: [
    {
      400: {
        'environment.invalid': {
          meaning: 'A text of the environment is not one line; errors names it.',
          remedy: 'Send texts of 1 to 255 characters without line breaks.',
        },
        'tenant.invalid_name': {
          meaning: 'The name of the tenant is not one line of text.',
          remedy: 'Send a name of 1 to 255 characters without line breaks.',
        },
        'tenant.invalid_subdomain': {
          meaning: 'No tenant can have this subdomain; errors names the rule.',
          remedy:
            'Send a label of DNS in lower case that is not reserved: 1 to 63 of a-z, 0-9 and -, with no - at either end and no -- in the third and fourth place.',
        },
      },
      404: {
        'environment.not_found': {
          meaning: 'There is no such environment.',
          remedy: 'Take the id from getEnvironments.',
        },
        'tenant.not_found': {
          meaning: 'There is no such tenant, or it was deleted.',
          remedy: 'Take the id from getTenants.',
        },
      },
      409: {
        'tenant.is_first': {
          meaning:
            'The first tenant cannot be deleted: it answers at the bare host, and operators’ clients belong to it.',
          remedy: 'Delete what the tenant owns, such as its DIDs, instead.',
        },
        'tenant.subdomain_taken': {
          meaning: 'Another tenant has this subdomain, or had it until less than a year ago.',
          remedy:
            'Choose another subdomain. What a deleted tenant issued names its host for longer than the tenant lives.',
        },
      },
    },
  ],
}
