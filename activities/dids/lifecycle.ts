import { LockMode } from '@mikro-orm/core'
import { Did } from '../../entities/dids.ts'
import { Key } from '../../entities/keys.ts'
import { inTenant } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Metadata, Operations } from '../frame/operations.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import type { Agreers } from './agreers.ts'
import { createDidCreation } from './create.ts'
import { type DidRecord, toRecord } from './records.ts'
import type { DidRegistration } from './registration.ts'
import type { DidResolver } from './resolver.ts'
import type { Signers } from './signers.ts'
import { type DidStanding, hostLostWarning, keysAbsentWarning } from './standing.ts'

const KEY_ORDER = { createdAt: 'asc', id: 'asc' } as const

const didNotFound = () => new Refusal('did.not_found', 'There is no such DID.')

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'keys' | 'uuid' | 'now' | 'outbox' | 'log'> {
  operations: Operations
  tenants: Tenants
  registration: DidRegistration
  didResolver: Pick<DidResolver, 'forget'>
  signers: Pick<Signers, 'forget'>
  agreers: Pick<Agreers, 'forget'>
  didStanding: Pick<DidStanding, 'lostHost'>
}

/** Area 1, DIDs: create, list, read, delete (specification, Endpoints). */
export function createDids(parts: Parts) {
  const { database, now, outbox, log, operations, registration, didResolver, signers, agreers, didStanding } = parts

  async function warned(tenantId: string, record: DidRecord): Promise<DidRecord> {
    const host = await didStanding.lostHost(tenantId, record)
    if (host !== undefined) return { ...record, warning: hostLostWarning(host) }
    const isAbsent = record.registrationStatus === 'COMPLETED' && record.keys.length === 0
    return isAbsent ? { ...record, warning: keysAbsentWarning } : record
  }

  async function readDid(tenantId: string, did: string): Promise<DidRecord> {
    const record = await inTenant(database.tenants, tenantId, async (em) => {
      const row = await em.findOne(Did, { did, deletedAt: null })
      if (!row) throw didNotFound()
      const rows = await em.find(Key, { didId: row.id }, { orderBy: KEY_ORDER })
      return toRecord(row, rows)
    })
    return warned(tenantId, record)
  }

  return {
    ...createDidCreation(parts),

    readDid,

    async listDids(tenantId: string, { limit, offset }: { limit: number; offset: number }) {
      const page = await inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(Did, { deletedAt: null }, { orderBy, limit, offset })
        const keyRows = await em.find(Key, { didId: { $in: rows.map(({ id }) => id) } }, { orderBy: KEY_ORDER })
        const dids = rows.map((row) =>
          toRecord(
            row,
            keyRows.filter(({ didId }) => didId === row.id),
          ),
        )
        return { dids, total }
      })
      const dids: DidRecord[] = []
      // one by one: DIDs of a page share few hosts, which the first of them asks for
      for (const record of page.dids) dids.push(await warned(tenantId, record))
      return { ...page, dids }
    },

    /**
     * Hides the DID from the commit on. Its keys are destroyed at once if the store is available, otherwise by a
     * workflow; the rows are deleted last, so that every key has an owner.
     */
    async deleteDid(call: Call, did: string): Promise<void> {
      const { tenantId } = call
      const metadata: Metadata = {}
      const { didId } = await operations.change(call, 'deleteDID', metadata, async (em) => {
        // locked: of two concurrent deletions the second finds nothing
        const lockMode = LockMode.PESSIMISTIC_WRITE
        const row = await em.findOne(Did, { did, deletedAt: null }, { lockMode })
        if (!row) throw didNotFound()
        if (row.isDefaultIssuer)
          throw new Refusal(
            'did.default_issuer',
            'The DID is the default issuer of the tenant. Set another one, or null, with PUT /v1/settings; then delete it.',
          )
        metadata.id = row.id
        row.deletedAt = now()
        await outbox.start(em, 'deleteDid', { tenantId, didId: row.id }, { did })
        return { didId: row.id }
      })
      signers.forget(tenantId, did)
      agreers.forget(tenantId, did)
      didResolver.forget(did)
      await registration.destroyDidKeys({ tenantId, didId }).catch((error: unknown) => {
        log.warn({ err: error, tenantId, didId }, 'keys of a deleted DID wait for their workflow')
      })
    },
  }
}
