import { DefaultFailureConverter } from '@temporalio/common'

/**
 * Moves an error's message and stack into a payload, which the codec then encrypts. With the codec alone they lie in
 * Temporal's database in plain text, and messages name people.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true })
