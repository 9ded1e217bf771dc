import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { Key } from '../../../entities/keys.ts'
import { OidcKey } from '../../../entities/openid/verifiers.ts'
import { toJwk } from '../../../protocol/dids/jwk.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { IdTokenAlgorithm } from '../../../protocol/openid/verifiers/clients.ts'
import type { Dependencies } from '../../dependencies.ts'
import { orLost } from '../../keys/lost.ts'
import { createKeyRows, type NewKey } from '../../keys/rows.ts'

const TYPES = { p256: 'ES256', ed25519: 'EdDSA' } as const satisfies Record<string, IdTokenAlgorithm>
type SigningKeyType = keyof typeof TYPES

/** Time that a new key is published before it signs: clients may keep a key set for this long. */
const PUBLISHED_MS = 5 * 60_000
/** Time that a key stays in the key set after its successor was made. */
export const KEPT_MS = 24 * 3_600_000

/** A key of a verifier: its private half stays in the key store. */
export interface VerifierKey {
  id: string
  kid: string
  alg: IdTokenAlgorithm
  publicJwk: JWK
  sign(data: Uint8Array): Promise<Uint8Array>
}

type KeyRow = Pick<OidcKey, 'id' | 'tenantId' | 'keyType' | 'publicKey' | 'createdAt'>

/** Those of one type, newest first: the one that signs, then the others that are published. */
function ordered(rows: readonly KeyRow[], at: Date): KeyRow[] {
  const settled = rows.findIndex(({ createdAt }) => at.getTime() - createdAt.getTime() >= PUBLISHED_MS)
  const signs = settled === -1 ? rows.length - 1 : settled
  const kept = rows.filter((_, place) => place <= signs || at.getTime() - Number(rows[place - 1]?.createdAt) < KEPT_MS)
  const first = rows[signs]
  return first ? [first, ...kept.filter((row) => row !== first)] : []
}

const rotatedLately = () =>
  new Refusal(
    'oidc_verifier.rotated_lately',
    `The verifier has new keys already, which sign after ${PUBLISHED_MS / 60_000} minutes. Rotate them again after that.`,
  )

/** Keys that sign the ID tokens of verifiers. */
export function createVerifierKeys(parts: Pick<Dependencies, 'database' | 'keys' | 'uuid' | 'now'>) {
  const { keys, now } = parts
  const { createKey } = createKeyRows(parts)

  const rowsOf = (em: SqlEntityManager, verifierId: string) =>
    em.find(OidcKey, { verifierId }, { orderBy: { createdAt: 'desc', id: 'asc' } })

  async function toKey({ id, tenantId, keyType, publicKey }: KeyRow): Promise<VerifierKey> {
    const jwk = toJwk({ keyType, publicKey: new Uint8Array(publicKey) }) as JWK
    return {
      id,
      kid: await calculateJwkThumbprint(jwk),
      alg: TYPES[keyType],
      publicJwk: jwk,
      sign: (data) => keys.sign({ tenantId, keyId: id, keyType }, data).catch(orLost('a key that signs ID tokens')),
    }
  }

  return {
    /** A key of each type, before there are rows of them: the reaper destroys those that get none. */
    make: (tenantId: string): Promise<NewKey[]> =>
      Promise.all((Object.keys(TYPES) as SigningKeyType[]).map((keyType) => createKey(tenantId, keyType))),

    /** Gives made keys to a verifier, in the transaction of `em`. */
    async give(em: SqlEntityManager, verifierId: string, made: readonly NewKey[]): Promise<void> {
      for (const { keyId: id, tenantId, keyType, publicKey: bytes, custody } of made) {
        const publicKey = Buffer.from(bytes)
        await em.nativeUpdate(Key, { id }, { ownerId: verifierId, publicKey, custody })
        em.create(OidcKey, {
          id,
          tenantId,
          verifierId,
          keyType: keyType as SigningKeyType,
          publicKey,
          createdAt: now(),
        })
      }
      await em.flush()
    },

    /** Throws `Refusal('oidc_verifier.rotated_lately')` where the newest keys do not sign yet. */
    async assertSettled(em: SqlEntityManager, verifierId: string): Promise<void> {
      const [newest] = await rowsOf(em, verifierId)
      if (newest && now().getTime() - newest.createdAt.getTime() < PUBLISHED_MS) throw rotatedLately()
    },

    async newest(em: SqlEntityManager, verifierId: string): Promise<Date | undefined> {
      return (await rowsOf(em, verifierId))[0]?.createdAt
    },

    /** Forgets keys that are not published any more; the reaper destroys them. Returns how many. */
    async forget(em: SqlEntityManager, verifierId: string): Promise<number> {
      const rows = await rowsOf(em, verifierId)
      const at = now()
      const published = new Set(
        Object.keys(TYPES).flatMap((type) =>
          ordered(
            rows.filter(({ keyType }) => keyType === type),
            at,
          ).map(({ id }) => id),
        ),
      )
      const retired = rows.map(({ id }) => id).filter((id) => !published.has(id))
      if (retired.length === 0) return 0
      await em.nativeDelete(OidcKey, { id: { $in: retired } })
      await em.nativeUpdate(Key, { id: { $in: retired } }, { ownerId: null })
      return retired.length
    },

    /** Leaves the keys of a verifier to the reaper, which destroys them. */
    async abandon(em: SqlEntityManager, verifierId: string): Promise<void> {
      await em.nativeUpdate(Key, { ownerId: verifierId }, { ownerId: null })
    },

    /** The published keys of a verifier; of each algorithm the one that signs is the first. */
    async published(em: SqlEntityManager, verifierId: string): Promise<VerifierKey[]> {
      const rows = await rowsOf(em, verifierId)
      const at = now()
      const sorted = Object.keys(TYPES).flatMap((type) =>
        ordered(
          rows.filter(({ keyType }) => keyType === type),
          at,
        ),
      )
      return Promise.all(sorted.map(toKey))
    },
  }
}

export type VerifierKeys = ReturnType<typeof createVerifierKeys>
