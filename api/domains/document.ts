import type { DOMAIN_OPERATIONS } from '../../protocol/domains/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { LABEL_PATTERN } from '../frame/openapi/patterns.ts'
import { VERIFIED_DOMAIN } from './wire.ts'

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const DOMAIN_DOCUMENT: AreaDocument<keyof typeof DOMAIN_OPERATIONS> = {
  examples: {
    createDomain: { domain: 'id.university.example', name: 'Registrar of the university' },
    updateDomain: { name: 'Admissions office of the university' },
  },
  answers: {
    getListOfDomains: { domains: [VERIFIED_DOMAIN], limit: 20, totalCount: 1, totalPages: 1 },
  },
  notFound: { '/v1/config/domain/{id}': 'domain.not_found' },
  refusals: {
    createDomain: { 400: 'domain.invalid_name', 409: 'domain.duplicate' },
    verifyDomain: { 400: 'domain.not_verified', 409: 'domain.taken' },
  },
  schemas: {
    DomainName: {
      type: 'string',
      description:
        'A domain name below a public suffix; an internationalised one is stored in ASCII, and has at most 240 characters there.',
      pattern: '^[^%@/?#:\\[\\]\\\\\\s]+$',
      maxLength: 500,
      example: 'id.university.example',
    },
    DomainLabel: {
      type: 'string',
      description: 'One line, for people; something of it can be seen.',
      pattern: LABEL_PATTERN,
      minLength: 1,
      maxLength: 255,
      example: 'Registrar of the university',
    },
  },
  problems: [
    {
      400: {
        'domain.invalid_name': {
          meaning: 'The domain cannot be a custom domain; errors names the broken rule.',
          remedy:
            'Send a domain that can be called from the internet and is yours, such as id.example.com: no URL, no address, no single label, no public suffix, no host of the platform.',
        },
        'domain.several': {
          meaning: 'The path names no domain, and the tenant has several.',
          remedy: 'Put the id of the domain into the path: getListOfDomains shows it.',
        },
        'domain.not_verified': {
          meaning: 'No TXT record of the domain is its verificationToken; the detail says what DNS has at which name.',
          remedy:
            'Publish the token, and nothing else, as a TXT record at the domain or at _countersign. followed by the domain. DNS servers keep an earlier answer for a while: wait for the time to live, then repeat verifyDomain.',
        },
      },
      404: {
        'domain.not_found': {
          meaning: 'The tenant has no such domain.',
          remedy: 'Take the id from getListOfDomains, with a token of the tenant that created the domain.',
        },
      },
      409: {
        'domain.duplicate': {
          meaning: 'The tenant has this domain already.',
          remedy: 'Use the domain that getListOfDomains shows, or delete it first.',
        },
        'domain.taken': {
          meaning: 'The domain is verified already by another owner.',
          remedy:
            'Remove the TXT record of the former owner from DNS. The platform then takes the verification back after the time in docs/domains.md, and the domain can be created and verified.',
        },
        'domain.too_many': {
          meaning: 'The tenant has as many domains as it can have.',
          remedy: 'Delete a domain with deleteDomain, then create the other one.',
        },
      },
    },
  ],
}
