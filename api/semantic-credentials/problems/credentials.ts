import type { ProblemTable } from '../../frame/openapi/document.ts'

/** Credentials, their contexts, linked data and the VC API. */
export const SEMANTIC_CREDENTIAL_PROBLEMS: ProblemTable = {
  400: {
    'context.changed': {
      meaning: 'The content at a context URL differs from the pinned content, which never changes.',
      remedy:
        'Publish the new content at a new URL, register that with registerJsonLdContext, and name it in new documents.',
    },
    'context.invalid': {
      meaning: 'The document at a context URL, or an inline context, is not a valid JSON-LD context.',
      remedy:
        'Correct the @context at the place that errors names. A document may name 32 contexts that are not bundled, and no context may use @import.',
    },
    'context.too_many': {
      meaning: 'The tenant has the maximum number of pinned JSON-LD contexts.',
      remedy:
        'A tenant may pin 1,000 registered and 1,000 fetched contexts, and none is removed. Use a context that listJsonLdContexts shows, or an inline one.',
    },
    'context.unavailable': {
      meaning: 'An unknown context could not be fetched.',
      remedy:
        'Check that the URL returns the context over https with status 200, without a redirect; then repeat the request.',
    },
    'context.unknown': {
      meaning: 'A context is unknown, and the tenant does not fetch unknown contexts.',
      remedy:
        'Register the URL with registerJsonLdContext, or set fetchUnknownContexts to true with updateTenantSettings.',
    },
    'credential.invalid': {
      meaning: 'The credential breaks rules of its data model; errors names them.',
      remedy:
        'Correct each member as its message says. Members that the platform adds, such as proof, must be absent from what is signed.',
    },
    'credential.malformed': {
      meaning: 'The payload is not a JSON object that can be read as a credential; errors says why.',
      remedy: 'Send a JSON object with @context and type, of at most 64 levels and 20,000 members.',
    },
    'credential.not_derivable': {
      meaning: 'No credential can be derived from the proof.',
      remedy:
        'Send a credential with a single base proof of bbs-2023 or ecdsa-sd-2023, as its issuer signed it: a derived credential cannot be derived again.',
    },
    'credential.not_verified': {
      meaning: 'The credential does not verify; errors names every check that failed.',
      remedy:
        'Do not accept the credential. Its issuer or its holder corrects what the failed checks name; then verify it again.',
    },
    'credential.pointer_invalid': {
      meaning: 'A JSON pointer names a member that the credential does not have.',
      remedy:
        'Correct the pointers that errors names: a pointer (RFC 6901) begins with / and leads to a member, as in /credentialSubject/course.',
    },
    'credential.proof_type_unsupported': {
      meaning: 'The proof type is not supported.',
      remedy: 'Send one of the proof types that errors lists.',
    },
    'credential.term_undefined': {
      meaning: 'No context defines a term that the credential uses; errors names it.',
      remedy:
        'Define the term in a context of your own and name that context in @context, as docs/contexts.md shows; or correct the name, or remove the member.',
    },
    'credential.too_complex': {
      meaning: 'The credential needs too much time or memory to process.',
      remedy:
        'Use fewer nodes and contexts, and give nodes an id: many blank nodes that refer to each other are the usual cause.',
    },
    'credential.unprocessable': {
      meaning: 'A member or a context of the credential has a value that JSON-LD does not allow there.',
      remedy:
        'Compare each member with what its context declares for it, for example @type, @container and @language; then send it again.',
    },
    'credential.value_type': {
      meaning: 'A value does not have the form of the type that a context gives its term.',
      remedy: 'Send the value in the form that errors describes, or correct the @type of the term in the context.',
    },
    'linked_data.not_encodable': {
      meaning: 'The document cannot be encoded as CBOR-LD.',
      remedy: 'Choose another output_format, or change the value that errors describes.',
    },
    'linked_data.unreadable': {
      meaning: 'The data is not valid in the input format.',
      remedy: 'Check options.input_format, and correct the data as errors says.',
    },
  },
  403: {
    'vc_api.off': {
      meaning: 'The VC API is off for this tenant.',
      remedy: 'Set vcApi to true with updateTenantSettings.',
    },
  },
  409: {
    'credential.id_ambiguous': {
      meaning: 'Several credentials of the tenant have this id.',
      remedy: 'Add statusListCredential and statusListIndex of the credential to credentialStatus.',
    },
  },
}
