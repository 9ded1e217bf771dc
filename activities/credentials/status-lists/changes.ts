import { StatusChange, StatusList } from '../../../entities/credentials/status-lists.ts'
import { inTenant } from '../../../entities/orm.ts'
import { type FormatName, logOf } from '../../../protocol/credentials/formats.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { type PastStatus, statusAt } from '../../../protocol/status-list/history.ts'
import type { StatusPurpose } from '../../../protocol/status-list/index.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call } from '../../frame/operations.ts'
import { findStatusOf } from '../read.ts'
import { credentialNotFound, listNotFound, notRevocable } from '../refusals.ts'

export interface CurrentStatus {
  isRevoked: boolean
  /** Present where the credential may be suspended. */
  isSuspended?: boolean
}

/** The part of the log name that says which status was set (protocol/credentials/operations.ts). */
const VERBS = { revocation: 'REVOCATION_SET_STATUS', suspension: 'SUSPENSION_SET_STATUS' } as const

/** A format whose credentials alone are found: each has paths and scopes of its own. */
type Only = FormatName | undefined

const without = {
  revocation: notRevocable,
  suspension: () =>
    new Refusal(
      'credential.not_suspendable',
      'The credential was not signed with suspendable true, so it cannot be suspended.',
    ),
}

const STORED = `select l.tenant_id, l.kind, l.purpose, l.size, d.did, i.certificate,
  coalesce(c.revoked, false) as revoked, coalesce(s.suspended, false) as suspended
  from status_lists l left join dids d on d.id = l.did_id left join mobile_iacas i on i.id = l.iaca_id
  left join credentials c on c.status_list_id = l.id and c.status_index = $2::bigint
  left join credentials s on s.suspension_list_id = l.id and s.suspension_index = $2::bigint
  where l.id = $1`

interface StoredRow {
  tenant_id: string
  kind: string
  purpose: string
  size: number
  did: string | null
  certificate: Buffer | null
  revoked: boolean
  suspended: boolean
}

/** An entry of a status list of any tenant. */
export interface StoredEntry {
  tenantId: string
  kind: string
  purpose: string
  size: number
  /** The issuer of a list by a DID; null when it was deleted, because its lists stay. */
  did: string | null
  /** The certificate of the IACA of a list by its signers. */
  iaca: Uint8Array | null
  state: 'valid' | 'revoked' | 'suspended'
}

/** The stored status of our own credentials changes at once; the published list follows within a window. */
export const createCredentialStatus = ({
  database,
  sql,
  systemSql,
  effects,
  now,
  uuid,
}: Pick<Dependencies, 'database' | 'sql' | 'systemSql' | 'effects' | 'now' | 'uuid'>) => {
  /** Sets the status, its history, the log entry and the mark on the list in one transaction and one round trip. */
  async function set(call: Call, id: string, purpose: StatusPurpose, value: boolean, format: Only): Promise<void> {
    const { tenantId, requestId, clientId, idempotency } = call
    if (idempotency && 'effect' in idempotency) return
    const { category, name } = logOf(format ?? 'semantic', VERBS[purpose])
    const of = purpose === 'revocation' ? 'isRevoked' : 'isSuspended'
    const { rows } = await sql.query<{ outcome: string }>({
      name: 'set-status',
      text: 'select set_credential_status($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as outcome',
      values: [
        tenantId,
        id,
        purpose,
        value,
        uuid(),
        requestId,
        category,
        `${name}_SUCCESS`,
        JSON.stringify({ clientId, id, [of]: value }),
        idempotency?.key ?? null,
        idempotency ? effects.seal(tenantId, idempotency.key, null) : null,
        format ?? null,
      ],
    })
    const outcome = rows[0]?.outcome
    if (outcome === 'not_found') throw credentialNotFound()
    if (outcome === 'no_status') throw without[purpose]()
    if (outcome === 'recorded_before')
      throw new Refusal(
        'idempotency.in_flight',
        'A later request with this Idempotency-Key replaced this one. Repeat the request.',
      )
  }

  return {
    setStatus: (call: Call, id: string, revoked: boolean, format?: FormatName) =>
      set(call, id, 'revocation', revoked, format),

    /** Throws `credential.not_suspendable` for a credential without a suspension entry. */
    setSuspension: (call: Call, id: string, suspended: boolean, format?: FormatName) =>
      set(call, id, 'suspension', suspended, format),

    async readStatus(tenantId: string, id: string, format?: FormatName): Promise<CurrentStatus> {
      const { revoked, suspended, suspensionListId } = await inTenant(database.tenants, tenantId, (em) =>
        findStatusOf(em, id, format),
      )
      return { isRevoked: revoked, ...(suspensionListId && { isSuspended: suspended }) }
    },

    /** Returns the status of a credential at a past time, by its dates and its status history. */
    async readStatusAt(tenantId: string, id: string, at: Date, format?: FormatName): Promise<PastStatus> {
      if (at > now())
        throw new Refusal('request.invalid', 'The status at a future time is not known.', [
          { path: 'at', code: 'range', message: 'expected a time in the past' },
        ])
      return inTenant(database.tenants, tenantId, async (em) => {
        const credential = await findStatusOf(em, id, format)
        const orderBy = { id: 'asc' } as const
        // the API shows milliseconds, the table has microseconds: include the whole millisecond
        const changedAt = { $lt: new Date(at.getTime() + 1) }
        const changes = await em.find(StatusChange, { credentialId: id, changedAt }, { orderBy })
        return statusAt(credential, changes, at)
      })
    },

    /** Newest first. */
    async listChanges(
      tenantId: string,
      id: string,
      { limit, offset }: { limit: number; offset: number },
      format?: FormatName,
    ) {
      return inTenant(database.tenants, tenantId, async (em) => {
        await findStatusOf(em, id, format)
        const orderBy = { id: 'desc' } as const
        const [changes, total] = await em.findAndCount(StatusChange, { credentialId: id }, { orderBy, limit, offset })
        return { changes, total }
      })
    },

    async readList(tenantId: string, id: string): Promise<StatusList> {
      const list = await inTenant(database.tenants, tenantId, (em) => em.findOne(StatusList, { id }))
      if (!list) throw listNotFound()
      return list
    },

    /** Returns undefined where the list is not ours. */
    async storedEntry(listId: string, index: number): Promise<StoredEntry | undefined> {
      const query = { name: 'stored-status', text: STORED, values: [listId, index] }
      const [row] = (await systemSql.query<StoredRow>(query)).rows
      if (!row) return undefined
      const { tenant_id: tenantId, kind, purpose, size, did, certificate: iaca, revoked, suspended } = row
      const state = revoked ? 'revoked' : suspended ? 'suspended' : 'valid'
      return { tenantId, kind, purpose, size, did, iaca, state }
    },
  }
}

export type CredentialStatus = ReturnType<typeof createCredentialStatus>
