import { createPublicKey, verify } from 'node:crypto'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import type { Sql } from '../../../entities/orm.ts'
import { signCompactJws } from '../../../protocol/jws.ts'
import { type ReadSeal, readSeal, SEAL_TYPE, type Seal } from '../../../protocol/tokens-logs/seals.ts'
import type { KeyRef, KeyStore } from '../../keys/index.ts'
import { isKeyMissing } from '../../keys/lost.ts'
import { PLATFORM_TENANT } from '../../keys/rotating.ts'

/** A key is never deleted: the seals that it signed are checked for as long as there are any. */
const ADD = 'insert into log_keys (id, public_key) values ($1, $2) on conflict (id) do nothing'
const NEWEST = `select id, (extract(epoch from now() - created_at) / 86400)::float8 as days from log_keys
order by created_at desc, id limit 1`
const ONE = 'select public_key from log_keys where id = $1'
const ALL = 'select id, public_key from log_keys order by created_at desc, id'

const reference = (keyId: string): KeyRef => ({ tenantId: PLATFORM_TENANT, keyId, keyType: 'ed25519' })

const isSigned = promisify<null, Buffer, ReturnType<typeof createPublicKey>, Uint8Array, boolean>(verify)

/** Thread pool of node: a head takes no time of the event loop. */
const signatureFits = (publicKey: Uint8Array, { signed, signature }: ReadSeal): Promise<boolean> => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') }
  return isSigned(null, Buffer.from(signed), createPublicKey({ key: jwk, format: 'jwk' }), signature)
}

/** A public key as a JWK (RFC 8037). */
export interface LogKey {
  kty: string
  crv: string
  x: string
  kid: string
  use: string
  alg: string
}

/** A seal whose signature fits. */
export interface VerifiedSeal {
  seal: Seal
  /** The key store does not have the key, any more or at all: whoever writes into the database may have signed. */
  isLost: boolean
}

interface Parts {
  systemSql: Sql
  keys: Pick<KeyStore, 'create' | 'publicKey' | 'sign'>
  config: { logKeyDays: number }
  log: Pick<Logger, 'error'>
}

/** The keys that sign heads and checkpoints of the log. */
export function createLogKeys({ systemSql, keys, config, log }: Parts) {
  /** Undefined where the key store does not have the key. */
  const inStore = (keyId: string): Promise<Uint8Array | undefined> =>
    keys.publicKey(reference(keyId)).catch((error: unknown) => {
      if (!isKeyMissing(error)) throw error
      return undefined
    })

  const inTable = async (keyId: string): Promise<Uint8Array | undefined> =>
    (await systemSql.query<{ public_key: Buffer }>({ text: ONE, values: [keyId] })).rows[0]?.public_key

  return {
    /**
     * Returns the id of the key that signs: the newest, or a new one with the id `keyId` where it is too old, or missing
     * in the table or in the key store. Idempotent by keyId.
     */
    async current(keyId: string): Promise<string> {
      const { rows } = await systemSql.query<{ id: string; days: number }>({ text: NEWEST, values: [] })
      const newest = rows[0]
      if (newest && !(config.logKeyDays > 0 && newest.days >= config.logKeyDays)) {
        if (await inStore(newest.id)) return newest.id
        log.error({ keyId: newest.id }, 'the key store has lost the key that signs the log: another one is made')
      }
      const { publicKey } = await keys.create(reference(keyId))
      await systemSql.query({ text: ADD, values: [keyId, Buffer.from(publicKey)] })
      return keyId
    },

    /** Newest first (RFC 7517). */
    async keySet(): Promise<{ keys: LogKey[] }> {
      const { rows } = await systemSql.query<{ id: string; public_key: Buffer }>({ text: ALL, values: [] })
      return {
        keys: rows.map(({ id, public_key }) => ({
          ...{ kty: 'OKP', crv: 'Ed25519', x: public_key.toString('base64url') },
          ...{ kid: id, use: 'sig', alg: 'EdDSA' },
        })),
      }
    },

    sign: (keyId: string, seal: Seal): Promise<string> =>
      signCompactJws({ alg: 'EdDSA', typ: SEAL_TYPE, kid: keyId }, seal, (data) => keys.sign(reference(keyId), data)),

    /**
     * Returns what a seal says; undefined unless its signature fits. The key is the key store's; where that has none, the
     * table's, which proves little: whoever writes into the database has no key of the store.
     */
    async verified(jws: string): Promise<VerifiedSeal | undefined> {
      const read = readSeal(jws)
      if (!read) return undefined
      const kept = await inStore(read.keyId)
      const publicKey = kept ?? (await inTable(read.keyId))
      if (!publicKey || !(await signatureFits(publicKey, read))) return undefined
      const { kind, tenantId, position, hash, signedAt } = read
      return { seal: { kind, tenantId, position, hash, signedAt }, isLost: !kept }
    },
  }
}

export type LogKeys = ReturnType<typeof createLogKeys>
