import { createHash } from 'node:crypto'
import { Refusal } from '../../protocol/errors.ts'
import { isUuid } from '../../protocol/uuid.ts'
import { KEY_TYPES, type KeyRef } from './index.ts'

/** Throws `Refusal('key.invalid_reference')` unless both ids are lower-case UUIDs: nothing else reaches a row or a path. */
export function assertReference({ tenantId, keyId }: KeyRef): void {
  if (!isUuid(tenantId) || !isUuid(keyId)) {
    throw new Refusal('key.invalid_reference', 'The tenant id and the key id of a key must be lower-case UUIDs.')
  }
}

export const unknownKey = () => new Refusal('key.not_found', 'This key does not exist, or it was deleted.')

export const unsupported = ({ keyType }: KeyRef, operation: string) =>
  new Refusal('key.unsupported', `A key of type ${keyType} cannot ${operation}.`)

/**
 * The key's name inside a store, the same in every process. A digest, so that no caller's text becomes part of a path
 * (node-vault does not escape names), of `^[a-z0-9-]{1,64}$`; the type is in it, so that a key never signs as another type.
 */
export const storeName = ({ tenantId, keyId, keyType }: KeyRef): string =>
  `${keyType}-${createHash('sha256')
    .update(JSON.stringify([tenantId, keyId, keyType]))
    .digest('hex')
    .slice(0, 48)}`

const NAME = new RegExp(`^(${KEY_TYPES.join('|')})-[0-9a-f]{48}$`)

/** Whether a key of ours has this name: a store may hold keys of others. */
export const isStoreName = (name: string): boolean => NAME.test(name)
