import type { ProblemTable } from '../frame/openapi/document.ts'

/** Status lists, revocation and batches. */
export const CREDENTIAL_PROBLEMS: ProblemTable = {
  400: {
    'batch.csv_header': {
      meaning: 'The header line of the CSV is not valid; errors names the columns.',
      remedy:
        'Correct the columns in the header line, or the claim mappings of the template, then upload the file again.',
    },
    'batch.csv_invalid': {
      meaning: 'The CSV cannot be read; errors names the line.',
      remedy:
        'Quote each cell that has a delimiter, a quote or a line break (RFC 4180), and name the delimiter of the file in the query parameter delimiter.',
    },
    'batch.empty': {
      meaning: 'The upload has no rows.',
      remedy: 'Send at least one JSON line, or at least one line after the header of the CSV.',
    },
    'credential.issuer_key_unfit': {
      meaning: 'The issuer has no key of the type that the proof type needs.',
      remedy:
        'Create a DID with a key of that type (createDID, options.keyType), or choose a proofType that fits the key.',
    },
    'credential.issuer_not_ready': {
      meaning: "The issuer's registration has not completed.",
      remedy:
        'Read the DID with resolveDID until its registrationStatus is COMPLETED; waiting and failureReason say what is missing. A did:key is ready at once.',
    },
    'credential.issuer_unknown': {
      meaning: 'The issuer is not a DID of this tenant.',
      remedy:
        'Name a DID of getDIDsList as the issuer. Where the tenant has a defaultIssuer, signing from a template, compact and SD-JWT VC credentials and presentation requests may leave it out.',
    },
    'credential.not_revocable': {
      meaning: 'The credential has no status entry: it was not signed as revocable.',
      remedy:
        'This credential stays as it is. Sign its successor with revocable true, or from a template with revocable true.',
    },
    'credential.not_suspendable': {
      meaning: 'The credential has no status entry for suspension: it was not signed as suspendable.',
      remedy:
        'This credential stays as it is. Sign its successor in data model 2.0, with revocable and suspendable true.',
    },
    'status_list.full': {
      meaning: 'The status list has no free entry.',
      remedy: 'Repeat the request: the platform opens a new list when one is full.',
    },
    'status_list.index_out_of_range': {
      meaning: 'The status index is outside the range of its list.',
      remedy: 'Only the issuer can correct the index in credentialStatus: ask it for a new credential.',
    },
    'status_list.malformed': {
      meaning: 'The status list, or the entry that points to it, is malformed.',
      remedy: 'Only the issuer can correct the list or the entry; the detail says which member is wrong.',
    },
    'status_list.mismatch': {
      meaning: 'The status list is not the one that the credential names, or another issuer signed it.',
      remedy:
        'Only the issuer can correct it: the list at the URL needs the id, the statusPurpose and the issuer that the credential states.',
    },
    'status_list.not_verified': {
      meaning: 'The proof of the status list does not verify.',
      remedy:
        'Only the issuer can correct it: the list needs a valid proof of the issuer, and dates that include the present.',
    },
    'status_list.purpose_unsupported': {
      meaning: 'This kind of status list does not support the purpose.',
      remedy:
        'Use revocation or suspension as statusPurpose. Suspension needs a credential of data model 2.0, with the context https://www.w3.org/ns/credentials/v2.',
    },
    'status_list.size': {
      meaning: 'The size of the status list is not supported.',
      remedy: 'The platform chooses the size of its lists, so this is its fault: give the instance to the operator.',
    },
    'status_list.too_large': {
      meaning: 'The status list is too large when decompressed.',
      remedy: 'Only the issuer can correct it: the bits of a list may have 16 MiB.',
    },
    'status_list.too_short': {
      meaning: 'The status list has too few entries to protect the privacy of holders.',
      remedy:
        'Only the issuer can correct it: a list has at least 131,072 entries (Bitstring Status List, section 6.1).',
    },
    'status_list.unknown_status': {
      meaning: 'The status list has a status for the credential that only its application knows.',
      remedy: 'Ask the issuer what the status means: 0 is valid, 1 revoked and 2 suspended (Token Status List, 7.1).',
    },
    'status_list.unavailable': {
      meaning: 'The status list could not be fetched.',
      remedy:
        'Verify the credential again later. If it fails again, ask the issuer to serve the list at its URL with status 200.',
    },
    'status_list.unsupported': {
      meaning: 'The kind of credential status, or a member of it, is not supported.',
      remedy:
        'Use BitstringStatusListEntry, StatusList2021Entry or RevocationList2020Status. An entry with status messages or references needs data model 2.0.',
    },
  },
  404: {
    'batch.not_found': {
      meaning: 'The tenant has no such batch.',
      remedy: 'Take the id from listCredentialBatches, with a token of the tenant that created the batch.',
    },
    'credential.not_found': {
      meaning: 'The tenant has no such credential.',
      remedy: 'Take the id from the response of the signing, or from listCredentials, which has every format.',
    },
    'revocation.not_found': {
      meaning: 'The tenant has no such bulk revocation.',
      remedy: 'Take the id from the response of createWebSemanticRevocation or revokeCredentialBatch.',
    },
    'status_list.not_found': {
      meaning: 'There is no such status list.',
      remedy: 'Take the URL from the credentialStatus of a credential, and the host with it.',
    },
  },
  409: {
    'batch.ended': {
      meaning: 'The batch has ended; it cannot be paused, resumed or cancelled.',
      remedy:
        'Read its state with getCredentialBatch. Sign further rows in a new batch; revokeCredentialBatch revokes the signed ones.',
    },
    'batch.not_ended': {
      meaning: 'The batch is still being signed.',
      remedy:
        'Wait until getCredentialBatch shows its end, or end it with cancelCredentialBatch; then repeat the request.',
    },
    'credential.issuer_not_chosen': {
      meaning: 'No issuer is named, and the tenant has no default issuer that fits; errors lists DIDs.',
      remedy: 'Name one of the listed DIDs as the issuer, or set defaultIssuer with updateTenantSettings.',
    },
    'batch.too_many': {
      meaning: 'The tenant has too many open batches.',
      remedy: 'A tenant may have 100 open batches. Wait until one ends, or end one with cancelCredentialBatch.',
    },
  },
  410: {
    'status_list.issuer_gone': {
      meaning: 'The DID or the IACA of the issuer was deleted, so the status list can no longer be signed.',
      remedy: 'What was deleted does not come back. Sign the credentials again with another issuer.',
    },
  },
  413: {
    'batch.too_many_rows': {
      meaning: 'The upload has more rows than a batch may have.',
      remedy: 'Split the upload into files of at most 1,000,000 rows, and remove blank lines.',
    },
  },
  429: {
    'notification.too_many': {
      meaning: 'Too many notifications were requested for a recipient or its host.',
      remedy:
        'Wait for the seconds in Retry-After. A recipient gets at most 10 in an hour, a host NOTIFICATION_LIMIT_PER_HOUR, and 100 may wait for one host.',
    },
  },
}
