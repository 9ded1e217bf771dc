import type { ECOSYSTEM_OPERATIONS } from '../../../protocol/administration/ecosystems/operations.ts'
import type { AreaDocument } from '../../frame/openapi/document.ts'
import { ISSUER } from '../../frame/openapi/examples.ts'
import { LABEL_PATTERN } from '../../frame/openapi/patterns.ts'
import { ANSWERS, ECOSYSTEM_CREDENTIAL, PARTICIPANT } from './answers.ts'

const NAMED = { name: 'Universities of Example' }
const KIND = { name: 'Diploma', profile: 'web-semantic', type: 'DiplomaCredential' }
const UNIVERSITY = {
  name: 'Example University',
  identifiers: { webSemantic: ISSUER, compact: ISSUER, compactSemantic: null, mobile: [], sdJwtVc: null },
  isIssuer: true,
  isIssuerConstrained: true,
  isVerifier: true,
  isVerifierConstrained: false,
}
const ALLOWED = { credentialId: ECOSYSTEM_CREDENTIAL.id }

const ROOT = '/v1/ecosystems/{ecosystemId}'

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const ECOSYSTEM_DOCUMENT: AreaDocument<keyof typeof ECOSYSTEM_OPERATIONS | keyof typeof ANSWERS> = {
  examples: {
    createEcosystem: NAMED,
    updateEcosystem: NAMED,
    createEcosystemParticipant: UNIVERSITY,
    updateEcosystemParticipant: UNIVERSITY,
    createEcosystemCredential: KIND,
    updateEcosystemCredential: KIND,
    createEcosystemIssuer: ALLOWED,
    createEcosystemVerifier: ALLOWED,
    bindEcosystemTenant: { participantId: PARTICIPANT.id },
    dryRunEcosystemPolicy: { changes: [{ change: 'removeRole', role: 'issuer', participantId: PARTICIPANT.id }] },
  },
  answers: ANSWERS,
  dated: ['getEcosystemIssuer', 'getEcosystemVerifier', 'getEcosystemPolicy'],
  located: ['createEcosystem', 'createEcosystemParticipant', 'createEcosystemCredential'],
  notFound: {
    [ROOT]: 'ecosystem.not_found',
    [`${ROOT}/participants/{participantId}`]: 'ecosystem_participant.not_found',
    [`${ROOT}/participants/{participantId}/issuer/credentials/{credentialId}`]: 'ecosystem_credential.not_found',
    [`${ROOT}/participants/{participantId}/verifier/credentials/{credentialId}`]: 'ecosystem_credential.not_found',
    [`${ROOT}/credentials/{credentialId}`]: 'ecosystem_credential.not_found',
    [`${ROOT}/tenants/{tenantId}`]: 'ecosystem_tenant.not_found',
  },
  refusals: {
    createEcosystem: { 400: 'ecosystem.invalid_name' },
    updateEcosystem: { 400: 'ecosystem.invalid_name' },
    deleteEcosystem: { 409: 'ecosystem.in_use' },
    createEcosystemParticipant: { 400: 'ecosystem_participant.invalid', 409: 'ecosystem_participant.identifier_taken' },
    updateEcosystemParticipant: { 400: 'ecosystem_participant.invalid', 409: 'ecosystem_participant.identifier_taken' },
    deleteEcosystemParticipant: { 409: 'ecosystem_participant.in_use' },
    createEcosystemCredential: { 400: 'ecosystem_credential.invalid', 409: 'ecosystem_credential.taken' },
    updateEcosystemCredential: { 400: 'ecosystem_credential.invalid', 409: 'ecosystem_credential.taken' },
    deleteEcosystemCredential: { 409: 'ecosystem_credential.in_use' },
    createEcosystemIssuer: { 409: 'ecosystem_participant.role_missing' },
    createEcosystemVerifier: { 409: 'ecosystem_participant.role_missing' },
    bindEcosystemTenant: { 409: 'ecosystem_tenant.bound' },
  },
  schemas: {
    EcosystemName: {
      type: 'string',
      description: 'One line, for people; something of it can be seen.',
      pattern: LABEL_PATTERN,
      minLength: 1,
      maxLength: 255,
      example: NAMED.name,
    },
    ParticipantDid: {
      type: 'string',
      description: 'A DID (DID Core 1.0, section 3.1), without path, query and fragment.',
      pattern: '^did:[a-z0-9]+:([A-Za-z0-9._:-]|%[0-9A-Fa-f]{2})*([A-Za-z0-9._-]|%[0-9A-Fa-f]{2})$',
      maxLength: 2048,
      example: ISSUER,
    },
    IacaPem: {
      type: 'string',
      description: 'One IACA root certificate (ISO/IEC 18013-5, table B.1) in PEM (RFC 7468).',
      pattern: '^\\s*-----BEGIN CERTIFICATE-----',
      maxLength: 32768,
    },
    EcosystemCredentialType: {
      type: 'string',
      description: 'A type as credentials name it, or the document type of a mobile credential; no white space.',
      pattern: '^[^@\\s]\\S*$',
      minLength: 1,
      maxLength: 255,
      example: KIND.type,
    },
  },
  problems: [
    {
      400: {
        'ecosystem.invalid_name': {
          meaning: 'The name of the ecosystem is not one line of text.',
          remedy: 'Send a name of 1 to 255 characters without line breaks.',
        },
        'ecosystem_credential.invalid': {
          meaning: 'The name or the type of the credential cannot be used; errors names the field.',
          remedy: 'Send a name of one line, and a type of 1 to 255 characters without white space.',
        },
        'ecosystem_participant.invalid': {
          meaning:
            'The name or an identifier of the participant cannot be used; errors names the field, and of a certificate the rule of its profile that it breaks.',
          remedy:
            'Send a name of one line, DIDs without path and fragment, and IACA root certificates in PEM that have not expired, each key once.',
        },
      },
      403: {
        'ecosystem.issuer_not_allowed': {
          meaning:
            "The tenant is bound to an ecosystem whose policy does not allow this credential. errors names the rule: issuer_unknown (no participant has the issuer's identifier in this profile), not_an_issuer (the participant is no issuer), issuer_constrained (it is not allowed this type).",
          remedy:
            'Read the policy at /v1/ecosystems/{ecosystemId}/policy; the settings name the ecosystem. Sign as an issuer of the ecosystem, with a type that it is allowed, or ask an operator for createEcosystemIssuer.',
        },
      },
      404: {
        'ecosystem.not_found': {
          meaning: 'There is no such ecosystem, or the tenant is not bound to it.',
          remedy: 'Take the id from getListOfEcosystems.',
        },
        'ecosystem_credential.not_found': {
          meaning: 'The ecosystem has no such credential, or the participant is not allowed it.',
          remedy: 'Take the id from getListOfEcosystemCredentials, or of what is allowed from getEcosystemPolicy.',
        },
        'ecosystem_participant.not_found': {
          meaning: 'The ecosystem has no such participant.',
          remedy: 'Take the id from getListOfEcosystemParticipants.',
        },
        'ecosystem_tenant.not_found': {
          meaning: 'There is no such tenant, or it is not bound to this ecosystem.',
          remedy:
            'Take the id from getListOfEcosystemTenants. To bind a tenant, send its id, which the log and the tokens of its clients name.',
        },
      },
      409: {
        'ecosystem.in_use': {
          meaning: 'A tenant is bound to the ecosystem.',
          remedy: 'Unbind the tenants of getListOfEcosystemTenants with unbindEcosystemTenant, then delete it.',
        },
        'ecosystem_credential.in_use': {
          meaning: 'A participant is allowed the credential.',
          remedy:
            'Take it from the participants with deleteEcosystemIssuer and deleteEcosystemVerifier, then delete it.',
        },
        'ecosystem_credential.taken': {
          meaning: 'Another credential of the ecosystem has this profile and type.',
          remedy: 'Use the credential of getListOfEcosystemCredentials, or another type.',
        },
        'ecosystem_credential.too_many': {
          meaning: 'The ecosystem has as many credentials as it can have.',
          remedy: 'Delete a credential with deleteEcosystemCredential, then create the other one.',
        },
        'ecosystem_participant.identifier_taken': {
          meaning: 'Another participant of the ecosystem has this DID, or an IACA with this key.',
          remedy: 'Take the identifier from the other participant with updateEcosystemParticipant, or use another one.',
        },
        'ecosystem_participant.in_use': {
          meaning: 'A tenant verifies as the participant.',
          remedy: 'Bind the tenant to another participant, or to none, with bindEcosystemTenant, then delete it.',
        },
        'ecosystem_participant.role_missing': {
          meaning: 'The participant does not have the role in which it would be allowed the credential.',
          remedy: 'Set isIssuer or isVerifier with updateEcosystemParticipant, then allow the credential.',
        },
        'ecosystem_participant.too_many': {
          meaning: 'The ecosystem has as many participants as it can have.',
          remedy: 'Delete a participant with deleteEcosystemParticipant, then create the other one.',
        },
        'ecosystem_tenant.bound': {
          meaning: 'The tenant is bound to another ecosystem.',
          remedy: 'Unbind it there with unbindEcosystemTenant, then bind it.',
        },
      },
    },
  ],
}
