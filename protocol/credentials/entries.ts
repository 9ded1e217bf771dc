import { FORMAT_NAMES, logOf } from './formats.ts'

/** Entries of work on credentials that ends after its request. */
export const CREDENTIAL_ENTRIES = FORMAT_NAMES.flatMap((format) =>
  ['BATCH_COMPLETE', 'REVOCATION_CASCADE_COMPLETE', 'REVOCATION_MESSAGE_SEND'].map((verb) => logOf(format, verb)),
)
