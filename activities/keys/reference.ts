import { createHash } from 'node:crypto'
import { Refusal } from '../../protocol/errors.ts'
import { isUuid } from '../../protocol/uuid.ts'
import { KEY_TYPES, type KeyRef } from './index.ts'

/**
 * Throws `Refusal('key.invalid_reference')` unless both ids are lower-case UUIDs, which alone may enter a row or a
 * path.
 */
export function assertReference({ tenantId, keyId }: KeyRef): void {
  if (!isUuid(tenantId) || !isUuid(keyId)) {
    throw new Refusal('key.invalid_reference', 'The tenant id and the key id of a key must be lower-case UUIDs.')
  }
}

export const unknownKey = () => new Refusal('key.not_found', 'This key does not exist, or it was deleted.')

export const unsupported = ({ keyType }: KeyRef, operation: string) =>
  new Refusal('key.unsupported', `A key of type ${keyType} cannot ${operation}.`)

/**
 * Returns the key's name in a store, the same in every process and of `^[a-z0-9-]{1,64}$`. A digest, because node-vault
 * does not escape names in paths; it includes the type, so that a key never signs as another type.
 */
export const storeName = ({ tenantId, keyId, keyType }: KeyRef): string =>
  `${keyType}-${createHash('sha256')
    .update(JSON.stringify([tenantId, keyId, keyType]))
    .digest('hex')
    .slice(0, 48)}`

const NAME = new RegExp(`^(${KEY_TYPES.join('|')})-[0-9a-f]{48}$`)

/** Whether a name is one of our keys: the store may have keys of others. */
export const isStoreName = (name: string): boolean => NAME.test(name)
