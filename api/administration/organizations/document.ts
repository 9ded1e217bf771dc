import type { ORGANIZATION_OPERATIONS } from '../../../protocol/administration/organizations/operations.ts'
import type { AreaDocument, ProblemTable } from '../../frame/openapi/document.ts'
import { LABEL_PATTERN } from '../../frame/openapi/patterns.ts'
import type { Schema, Schemas } from '../../frame/openapi/schemas.ts'
import { ACCEPTOR } from '../content/examples.ts'
import { INVITATION, MEMBER, ORGANIZATION, ORGANIZATION_BODY } from './wire.ts'

type Document = AreaDocument<keyof typeof ORGANIZATION_OPERATIONS>

const EXAMPLES: Document['examples'] = {
  createOrganization: ORGANIZATION_BODY,
  inviteOrganizationMember: { email: INVITATION.email, role: INVITATION.role },
  updateOrganizationMember: { role: 'verifier' },
  updateOrganization: { ...ORGANIZATION_BODY, phone: '+49 30 901821', duns_number: null },
}

const ANSWERS: Document['answers'] = {
  listOrganizationMembers: { data: [MEMBER], limit: 20, total_count: 1, total_pages: 1 },
  listOrganizationInvitations: { data: [INVITATION], limit: 20, total_count: 1, total_pages: 1 },
  listOrganizationLegalAcceptances: { data: [ACCEPTOR], limit: 20, total_count: 1, total_pages: 1 },
  getOrganizations: { data: [ORGANIZATION], limit: 20, total_count: 1, total_pages: 1 },
}

const REFUSALS: Document['refusals'] = {
  createOrganization: { 409: 'organization.too_many' },
  inviteOrganizationMember: { 409: 'invitation.too_many', 429: 'invitation.too_soon' },
  updateOrganizationMember: { 409: 'member.last_admin' },
  removeOrganizationMember: { 409: 'member.last_admin' },
}

const NOT_FOUND = {
  '/v1/organizations/{id}': 'organization.not_found',
  '/v1/organizations/{id}/invitations/{invitationId}': 'invitation.not_found',
}

const line = (maxLength: number): Schema => ({
  type: 'string',
  description: 'One line; something of it can be seen.',
  pattern: LABEL_PATTERN,
  minLength: 1,
  maxLength,
})

const SCHEMAS: Schemas = {
  OrganizationText: line(255),
  RoleName: { type: 'string', enum: ['admin', 'issuer', 'verifier', 'auditor'] },
  OrganizationCode: line(64),
  OrganizationCountry: {
    type: 'string',
    description: 'A code of ISO 3166-1 alpha-2, or the name in English; answers have the code.',
    minLength: 2,
    maxLength: 100,
    example: 'DE',
  },
  Phone: {
    type: 'string',
    description: '5 to 15 digits, with a plus in front or none, grouped by spaces, dots, hyphens, slashes or brackets.',
    pattern: '^\\+?[0-9](?:[ ()./-]{0,3}[0-9]){4,14}$',
    example: '+49 30 901820',
  },
  OrganizationEmail: {
    type: 'string',
    format: 'email',
    minLength: 3,
    maxLength: 254,
    example: 'office@university.example',
  },
  DunsNumber: { type: 'string', pattern: '^[0-9]{9}$', example: '123456789' },
  Website: {
    type: 'string',
    description: 'An absolute http or https URL with a host name, and no user info.',
    format: 'uri',
    maxLength: 2048,
    example: 'https://university.example/',
  },
}

const PROBLEMS: ProblemTable = {
  400: {
    'invitation.invalid': {
      meaning: 'The invitation was used, has expired, or was sent to another address than that of the account.',
      remedy: 'Log in with an account of the invited address, and send the token of the newest mail.',
    },
    'organization.invalid': {
      meaning: 'Members of the organization break a rule; errors names each of them.',
      remedy:
        'Send names of one line, country as a code such as DE, phone with 5 to 15 digits, duns_number with 9 digits or null, and website as an http or https URL or null.',
    },
  },
  403: {
    'organization.admin_required': {
      meaning: 'The account is a member of the organization, and not its administrator.',
      remedy: 'Ask an administrator of the organization, who can also make the account one.',
    },
  },
  404: {
    'invitation.not_found': {
      meaning: 'The organization has no such invitation: it was accepted or withdrawn, or has expired.',
      remedy: 'Take the id from listOrganizationInvitations.',
    },
    'member.not_found': {
      meaning: 'The organization has no such member.',
      remedy: 'Take the account_id from listOrganizationMembers.',
    },
    'organization.not_found': {
      meaning: 'There is no such organization, or the account is not a member of it.',
      remedy: 'Take the id from getOrganizations, with the access token of a member.',
    },
  },
  409: {
    'invitation.too_many': {
      meaning: 'As many invitations of the organization wait as it can have, or it has as many members.',
      remedy: 'Withdraw invitations with withdrawOrganizationInvitation, or remove members.',
    },
    'member.last_admin': {
      meaning: 'The organization would have no administrator.',
      remedy: 'Make another member an administrator with updateOrganizationMember first.',
    },
    'organization.too_many': {
      meaning: 'The account is a member of as many organizations as it can be.',
      remedy: 'Create the organization with another account, or leave one first.',
    },
  },
  429: {
    'invitation.too_soon': {
      meaning: 'The address got an invitation within the last minute, or as many within the last hour as it can get.',
      remedy: 'Repeat the request after the seconds in Retry-After.',
    },
  },
}

/** Facts of the operations of organizations and their members. */
export const ORGANIZATION_DOCUMENT: Document = {
  examples: EXAMPLES,
  answers: ANSWERS,
  refusals: REFUSALS,
  notFound: NOT_FOUND,
  schemas: SCHEMAS,
  located: ['createOrganization'],
  problems: [PROBLEMS],
}
