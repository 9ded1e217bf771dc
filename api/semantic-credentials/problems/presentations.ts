import type { ProblemTable } from '../../frame/openapi/document.ts'

/** Presentations, their templates and requests. */
export const PRESENTATION_PROBLEMS: ProblemTable = {
  400: {
    'presentation.invalid': {
      meaning: 'The presentation breaks rules of its data model; errors names them.',
      remedy:
        'Correct each member as its message says. Members that the platform adds, such as proof, must be absent from what is signed.',
    },
    'presentation.malformed': {
      meaning: 'The presentation is not a JSON object, or it is too large; errors says why.',
      remedy: 'Send a JSON object with @context and type, with at most 20 credentials.',
    },
    'presentation.not_verified': {
      meaning: 'The presentation does not verify; errors names every check that failed.',
      remedy: 'Do not accept the presentation. The holder corrects what the failed checks name and sends a new one.',
    },
    'presentation.proof_type_unsupported': {
      meaning: 'This proof type is not supported for presentations.',
      remedy: 'Send one of the proof types that errors lists; bbs-2023 signs credentials only.',
    },
    'presentation.signer_key_unfit': {
      meaning: 'The DID has no key of the required type.',
      remedy: 'Create a DID with the key type that errors names (createDID, options.keyType), or name another DID.',
    },
    'presentation.signer_not_ready': {
      meaning: 'The registration of the DID has not completed.',
      remedy:
        'Read the DID with resolveDID until its registrationStatus is COMPLETED; waiting and failureReason say what is missing. A did:key is ready at once.',
    },
    'presentation.signer_unknown': {
      meaning: 'The DID is not a DID of this tenant.',
      remedy: 'Name a DID of getDIDsList, or leave the DID out where the tenant has a defaultIssuer.',
    },
    'presentation_request.invalid': {
      meaning: 'The presentation request is not valid; errors names the members.',
      remedy: 'Correct each member as its message says. Send templateId, or domain, name and query, and not both.',
    },
    'presentation_template.id_differs': {
      meaning: 'The id in the body differs from the id in the path.',
      remedy: 'Leave the id out of the body, or send the id of the path.',
    },
    'presentation_template.invalid': {
      meaning: 'The presentation template or its query is not valid; errors names the members.',
      remedy: 'Correct each member as its message says.',
    },
  },
  404: {
    'presentation_request.not_found': {
      meaning: 'The tenant has no such presentation request.',
      remedy:
        'Take the id from the response of createWebSemanticPresentationRequest; the public address needs the host of the tenant.',
    },
    'presentation_template.not_found': {
      meaning: 'The tenant has no such presentation template.',
      remedy:
        'Take the id from getWebSemanticPresentationTemplatesLists, with a token of the tenant that created the template.',
    },
  },
  409: {
    'presentation.signer_not_chosen': {
      meaning: 'No DID is named, and the tenant has no default issuer that fits; errors lists DIDs.',
      remedy: 'Name one of the listed DIDs, or set defaultIssuer with updateTenantSettings.',
    },
    'presentation_template.in_use': {
      meaning: 'A verifier signs people in with the presentation template.',
      remedy: 'Give the verifier another template with updateOidcVerifier, or delete it with deleteOidcVerifier.',
    },
    'presentation_request.challenge_taken': {
      meaning: 'Another presentation request of the tenant has this challenge.',
      remedy: 'Send a new random challenge, or leave it out: the platform then makes one.',
    },
  },
  410: {
    'presentation_request.over': {
      meaning: 'The presentation request was answered, or has expired.',
      remedy: 'Ask the verifier for a new request, which it creates with createWebSemanticPresentationRequest.',
    },
  },
}
