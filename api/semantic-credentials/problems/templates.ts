import type { ProblemTable } from '../../frame/openapi/document.ts'

/** Credential templates. */
export const TEMPLATE_PROBLEMS: ProblemTable = {
  400: {
    'credential_template.claims_missing': {
      meaning: 'Claims that the template requires are missing; errors names them.',
      remedy: 'Send the claims that errors names, or change their mapping in the template to required false.',
    },
    'credential_template.claims_unmapped': {
      meaning: 'No mapping of the template takes some of the claims; errors names them, and what the template takes.',
      remedy: 'Correct the names, map the claims in claim_mappings, or set ignore_unmapped of the template to true.',
    },
    'credential_template.id_differs': {
      meaning: 'The id in the body differs from the id in the path.',
      remedy: 'Leave the id out of the body, or send the id of the path.',
    },
    'credential_template.invalid': {
      meaning: 'The template is not valid; errors names the members.',
      remedy: 'Correct each member as its message says; signing an example from the template shows what is wrong.',
    },
    'credential_template.no_issuer': {
      meaning: 'No DID of the tenant has a key that fits the template.',
      remedy: 'Create a DID with createDID and the key type that errors names, or change proof_type of the template.',
    },
  },
  404: {
    'credential_template.not_found': {
      meaning: 'The tenant has no such credential template.',
      remedy:
        'Take the id from the list of templates of that format (getWebSemanticCredentialTemplateLists, getCompactSchemas, getCompactSemanticCredentialTemplates, listMobileCredentialTemplates, listSdJwtCredentialTemplates), with a token of the tenant that created it.',
    },
  },
  409: {
    'credential_template.version_differs': {
      meaning: 'The template has a newer version than the one in the request.',
      remedy: 'Read the template again, apply the change to that version, and send its version.',
    },
  },
}
