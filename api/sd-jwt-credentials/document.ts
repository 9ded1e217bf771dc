import type { SD_JWT_CREDENTIAL_OPERATIONS } from '../../protocol/sd-jwt-credentials/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { SD_JWT_ANSWERS, SD_JWT_ENCODED, SD_JWT_SIGN_EXAMPLE, SD_JWT_TEMPLATE_EXAMPLE } from './examples.ts'
import { SD_JWT_SCHEMAS } from './schemas.ts'

type Published = 'getSdJwtTypeMetadata' | 'getJwtVcIssuerMetadata'

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const SD_JWT_CREDENTIAL_DOCUMENT: AreaDocument<keyof typeof SD_JWT_CREDENTIAL_OPERATIONS | Published> = {
  examples: {
    signSdJwtCredential: SD_JWT_SIGN_EXAMPLE,
    verifySdJwtCredential: { payload: SD_JWT_ENCODED },
    setSdJwtCredentialRevocationStatus: { is_revoked: true },
    createSdJwtCredentialTemplate: SD_JWT_TEMPLATE_EXAMPLE,
    updateSdJwtCredentialTemplate: SD_JWT_TEMPLATE_EXAMPLE,
    signSdJwtCredentialFromTemplate: { claims: { given_name: 'Ada', city: 'London' } },
  },
  answers: SD_JWT_ANSWERS,
  located: ['createSdJwtCredentialTemplate'],
  schemas: SD_JWT_SCHEMAS,
  notFound: {
    '/v1/credentials/sd-jwt-vc/{id}': 'credential.not_found',
    '/v1/credentials/sd-jwt-vc/configurations/{id}': 'credential_template.not_found',
    '/v1/credentials/sd-jwt-vc/types/{id}': 'credential_type.not_found',
  },
  refusals: {
    signSdJwtCredential: {
      400: 'credential.invalid',
      404: 'document_signer.not_found',
      409: 'credential.issuer_not_chosen',
    },
    setSdJwtCredentialRevocationStatus: { 400: 'credential.not_revocable' },
    createSdJwtCredentialTemplate: { 400: 'credential_template.invalid' },
    updateSdJwtCredentialTemplate: { 400: 'credential_template.invalid' },
    signSdJwtCredentialFromTemplate: {
      400: 'credential_template.claims_missing',
      409: 'credential.issuer_not_chosen',
    },
    getJwtVcIssuerMetadata: { 404: 'credential_type.not_found' },
  },
  problems: [
    {
      400: {
        'issuer_metadata.invalid': {
          meaning: 'The JWT VC Issuer Metadata, or its key set, is not what the standard asks for.',
          remedy:
            'The issuer publishes JSON with its own address and its keys, or the address of these; at most 100 keys.',
        },
        'issuer_metadata.key_missing': {
          meaning: 'The metadata of the issuer has no key that the header of the credential names, or several.',
          remedy: 'The issuer gives each key a kid of its own, and names it in the header.',
        },
        'issuer_metadata.of_other': {
          meaning: 'The metadata at the address of the issuer names another issuer.',
          remedy: 'The issuer writes the iss of its credentials as issuer, to the letter.',
        },
        'issuer_metadata.unavailable': {
          meaning: 'The metadata of the issuer could not be fetched.',
          remedy: 'Check that its address answers over https with status 200, without a redirect; then verify again.',
        },
        'presentation.claim_missing': {
          meaning: 'A path of what is to be disclosed leads to no claim of the credential.',
          remedy: 'Choose paths of claims that the credential has.',
        },
        'type_metadata.unavailable': {
          meaning: 'The metadata of the type could not be fetched.',
          remedy: 'Check that the vct answers over https with status 200, without a redirect; or leave the check out.',
        },
      },
      404: {
        'credential_type.not_found': {
          meaning: 'The tenant of the host has no such type of credentials, or no tenant has the host.',
          remedy: 'Read the URL that a credential has as vct, without changes.',
        },
      },
    },
  ],
}
