import { inTenant } from '../../../entities/orm.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { digestOf } from '../../frame/secrets.ts'

/** What the provider keeps under a name: sessions, interactions, codes, grants and tokens. */
export type Payload = Record<string, unknown>

interface Row {
  name_digest: Buffer
  content: Buffer
  consumed_at: Date | string | null
}

const SAVE = `insert into oidc_payloads
  (tenant_id, verifier_id, kind, name_digest, content, grant_digest, uid_digest, expires_at)
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (tenant_id, verifier_id, kind, name_digest) do update set content = excluded.content,
    grant_digest = excluded.grant_digest, uid_digest = excluded.uid_digest, expires_at = excluded.expires_at`

const FIND = `select name_digest, content, consumed_at from oidc_payloads
  where tenant_id = ? and verifier_id = ? and kind = ? and name_digest = ? and expires_at > ?`

const FIND_BY_UID = `select name_digest, content, consumed_at from oidc_payloads
  where tenant_id = ? and verifier_id = ? and kind = ? and uid_digest = ? and expires_at > ?`

/** Of many who consume it at once, one finds it unconsumed. */
const CONSUME = `update oidc_payloads set consumed_at = ?
  where tenant_id = ? and verifier_id = ? and kind = ? and name_digest = ? and consumed_at is null returning kind`

const REMOVE = `delete from oidc_payloads where tenant_id = ? and verifier_id = ? and kind = ? and name_digest = ?`

const REVOKE = `delete from oidc_payloads where tenant_id = ? and verifier_id = ? and grant_digest = ?`

export interface PayloadOwner {
  tenantId: string
  verifierId: string
}

/** Rows without an end, such as none has, would stay for ever. */
const LONGEST_SECONDS = 400 * 86_400

const digestIn = (payload: Payload, member: string): Buffer | null => {
  const value = payload[member]
  return typeof value === 'string' ? digestOf(value) : null
}

/**
 * The memory of a verifier's provider. Names are codes and tokens themselves, so that rows have digests of them, and all
 * else is encrypted.
 */
export function createPayloads({ database, now, sealer }: Pick<Dependencies, 'database' | 'now'> & { sealer: Sealer }) {
  return ({ tenantId, verifierId }: PayloadOwner, kind: string) => {
    const boundTo = (digest: Uint8Array) =>
      `${tenantId}/openid/verifiers/${verifierId}/${kind}/${Buffer.from(digest).toString('hex')}`
    const execute = <Found extends object>(text: string, values: unknown[]) =>
      inTenant(database.tenants, tenantId, (em) => em.execute<Found[]>(text, values))
    const opened = (row: Row | undefined): Payload | undefined => {
      if (!row) return undefined
      const payload = JSON.parse(sealer.open(row.content, boundTo(row.name_digest)).toString('utf8')) as Payload
      if (row.consumed_at === null) return payload
      return { ...payload, consumed: Math.floor(new Date(row.consumed_at).getTime() / 1000) }
    }
    const find = async (text: string, name: string) =>
      opened((await execute<Row>(text, [tenantId, verifierId, kind, digestOf(name), now()]))[0])

    return {
      async save(name: string, payload: Payload, seconds: number): Promise<void> {
        const digest = digestOf(name)
        const content = sealer.seal(Buffer.from(JSON.stringify(payload)), boundTo(digest))
        const lifetimeSeconds = Math.min(Number.isFinite(seconds) ? seconds : LONGEST_SECONDS, LONGEST_SECONDS)
        const expiresAt = new Date(now().getTime() + lifetimeSeconds * 1000)
        const links = [digestIn(payload, 'grantId'), digestIn(payload, 'uid')]
        await execute(SAVE, [tenantId, verifierId, kind, digest, content, ...links, expiresAt])
      },
      find: (name: string) => find(FIND, name),
      findByUid: (uid: string) => find(FIND_BY_UID, uid),
      /** Returns whether this call consumed it: true once. */
      async consume(name: string): Promise<boolean> {
        const values = [now(), tenantId, verifierId, kind, digestOf(name)]
        return (await execute<object>(CONSUME, values)).length > 0
      },
      async remove(name: string): Promise<void> {
        await execute(REMOVE, [tenantId, verifierId, kind, digestOf(name)])
      },
      /** Removes whatever came from a grant, of every kind. */
      async revoke(grantId: string): Promise<void> {
        await execute(REVOKE, [tenantId, verifierId, digestOf(grantId)])
      },
    }
  }
}

export type Payloads = ReturnType<typeof createPayloads>
