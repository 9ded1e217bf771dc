/**
 * Bytes of a type in UTF-8 at most. An entry of an index of PostgreSQL has at most 2,704 bytes, in which a type stands beside its
 * tenant and its time; a longer one that does not compress could not be stored.
 */
export const MAX_TYPE_BYTES = 2_048

/** Whether a credential of this type can be recorded, and found by it. */
export const isRecordableType = (type: string): boolean => Buffer.byteLength(type) <= MAX_TYPE_BYTES
