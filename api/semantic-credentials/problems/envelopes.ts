import type { ProblemTable } from '../../frame/openapi/document.ts'

/** Credentials in envelopes; as reasons of a verdict where they are verified. */
export const ENVELOPE_PROBLEMS: ProblemTable = {
  400: {
    'envelope.algorithm': {
      meaning: 'The algorithm of the envelope is not one that the platform verifies.',
      remedy: 'The issuer signs with ES256, ES384 or EdDSA.',
    },
    'envelope.claim_of_1_1': {
      meaning: 'The JWT has the claim vc or vp, which is of data model 1.1.',
      remedy: 'The issuer makes the credential itself the payload of the JWT (VC-JOSE-COSE 1.0, section 3.1).',
    },
    'envelope.content_type': {
      meaning: 'The content type of the envelope is not that of a credential.',
      remedy: 'The issuer writes cty vc, or the content type application/vc, or leaves it out.',
    },
    'envelope.context': {
      meaning: 'The object around the envelope does not have the base context of data model 2.0.',
      remedy: 'Send it with https://www.w3.org/ns/credentials/v2 in its @context.',
    },
    'envelope.contradiction': {
      meaning: 'The claim iss, sub or jti says something else than the credential or presentation.',
      remedy: 'Whoever signs leaves the claim out, or gives it the value of the member.',
    },
    'envelope.critical': {
      meaning: 'The header has crit or b64, which change how it must be read.',
      remedy: 'The issuer leaves both out.',
    },
    'envelope.detached': {
      meaning: 'The payload is not in the envelope, so that nothing can be verified.',
      remedy: 'Send the envelope with its payload.',
    },
    'envelope.duplicate_member': {
      meaning: 'A header or the credential has a member twice, so that readers may differ in what it says.',
      remedy: 'The issuer writes each member once.',
    },
    'envelope.encoding': {
      meaning: 'The data: URL has its content in another encoding than its media type asks for.',
      remedy: 'A JWT stands in the URL as it is; a COSE_Sign1 in base64, after ;base64.',
    },
    'envelope.key_binding': {
      meaning: 'The key binding JWT of the SD-JWT is not one of its holder for this request, or is missing.',
      remedy:
        'Name nonce and audience of the request (keyBinding, or challenge and domain), for which the holder makes it; or send the SD-JWT without it, ending with a tilde.',
    },
    'envelope.malformed': {
      meaning: 'The content of the envelope cannot be read as a signed credential.',
      remedy: 'Send the envelope as its issuer made it; the message says what cannot be read.',
    },
    'envelope.media_type': {
      meaning: 'The platform does not read envelopes of this media type.',
      remedy:
        'Use application/vc+jwt, application/vc+cose or application/vc+sd-jwt, and vp+jwt, vp+cose or vp+sd-jwt for a presentation.',
    },
    'envelope.members': {
      meaning: 'Beside the envelope there are members or types that nobody has signed.',
      remedy:
        'Send the object with @context, id and type, and no other member; its only type is EnvelopedVerifiableCredential or EnvelopedVerifiablePresentation.',
    },
    'envelope.nested': {
      meaning: 'There is an envelope within the envelope.',
      remedy: 'Put the credential itself into the envelope.',
    },
    'envelope.never_selective': {
      meaning:
        'A member of the credential that decides whether it counts, such as credentialStatus or validUntil, is disclosed selectively.',
      remedy: 'The issuer leaves such members undivided in the payload, and makes claims of the subject selective.',
    },
    'envelope.type': {
      meaning: 'The typ of the header is that of something else than what is in the envelope.',
      remedy:
        'Whoever signs writes typ vc+jwt, or application/vc+cose in a COSE_Sign1 (vp for a presentation), or leaves it out.',
    },
    'envelope.unprotected_algorithm': {
      meaning: 'The algorithm stands in the unprotected header, where anybody can change it.',
      remedy: 'The issuer writes it only in the protected header.',
    },
    'envelope.unsigned': {
      meaning: 'The alg of the JWT is none.',
      remedy: 'Send a credential that its issuer has signed.',
    },
    'envelope.url': {
      meaning: 'The id of an EnvelopedVerifiableCredential is not a data: URL with a media type.',
      remedy: 'Write the envelope as data:application/vc+jwt, followed by the JWT.',
    },
  },
}
