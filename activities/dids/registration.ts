import { Did } from '../../entities/dids.ts'
import { Key } from '../../entities/keys.ts'
import { inTenant } from '../../entities/orm.ts'
import type { DidDocument } from '../../protocol/dids/index.ts'
import { publishes } from '../../protocol/dids/published.ts'
import { webDidDocument, webMethodId } from '../../protocol/dids/web.document.ts'
import { parseWebDid } from '../../protocol/dids/web.ts'
import { isUncalled, Refusal, Unavailable } from '../../protocol/errors.ts'
import type { DidSubject } from '../../protocol/workflows.ts'
import type { Dependencies } from '../dependencies.ts'
import { signalWorkflow } from '../frame/temporal/contract.ts'
import { isKeyFault, toldOf } from '../keys/faults.ts'
import { type Fault, hostFault, KEYS_MISSING, lookFault, postponed } from './looks.ts'
import { createReaper } from './reaper.ts'
import type { DidResolver } from './resolver.ts'

/** `code`: absent in looks of an earlier release. */
export type Lookup = { resolved: true } | { resolved: false; reason: string; code?: string }

const NOT_WAITING = { waitingCode: null, waitingReason: null, nextLookAt: null }

const REVOKING = `select r.id from credential_revocations r join dids d on d.tenant_id = r.tenant_id and d.did = r.subject
where d.id = ? and r.scope = 'issuer' and r.state = 'REVOKING' limit 1`

/** Activities of the DID workflows; each is safe to repeat. */
export function createDidRegistration({
  config,
  database,
  keys,
  temporal,
  didResolver,
  now,
  log,
}: Pick<Dependencies, 'config' | 'database' | 'keys' | 'temporal' | 'now' | 'log'> & { didResolver: DidResolver }) {
  const inside = <T>({ tenantId, didId }: DidSubject, work: (row: Did, rows: Key[]) => Promise<T> | T): Promise<T> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const row = await em.findOne(Did, { id: didId })
      if (!row || row.deletedAt) throw new Refusal('did.not_found', 'The DID was deleted.')
      return work(row, await em.find(Key, { didId }, { orderBy: { createdAt: 'asc', id: 'asc' } }))
    })

  /** Resolves a DID once over HTTPS, like any verifier; undefined: it resolves to its own document. */
  async function look(
    tenantId: string,
    { did, document, hosting }: Pick<Did, 'did' | 'document' | 'hosting'>,
  ): Promise<Fault | undefined> {
    try {
      const fault = hosting === 'platform' ? hostFault(parseWebDid(did).url, config.outbound) : undefined
      if (fault) return fault
      // a budget of its own: what a tenant verifies at the host holds up no registration, nor the other way round
      const readFor = hosting === 'caller' ? { readFor: `${tenantId} registrations` } : {}
      const resolution = await didResolver.resolve(did, { bypassCache: true, ...readFor })
      return publishes(resolution.document, document as DidDocument, { now: now() }) ? undefined : KEYS_MISSING
    } catch (error) {
      return lookFault(error)
    }
  }

  /**
   * A fault of the key store is the platform's and no end of the DID (D-1214): the record says why it waits, and the
   * step is repeated, which a refusal would not be.
   */
  async function storeAtFault(subject: DidSubject, fault: Refusal): Promise<Unavailable> {
    const { code } = fault
    log.error({ err: fault, ...subject }, 'keys of a DID cannot be made')
    const waitingReason = `The keys of this DID cannot be made: ${toldOf(fault)} An operator must act; the platform tries again by itself.`
    await inside(subject, (row) => {
      Object.assign(row, { waitingCode: code, waitingReason, lookedAt: now() })
    })
    return new Unavailable('keys', 'The key store refuses to make a key.', undefined, { cause: fault })
  }

  const steps = {
    /**
     * Makes the keys that are missing, one after the other, while the DID is there. Safe to retry: each key is made once,
     * with the id of its row, so that an attempt goes on where the last one ended.
     */
    async createDidKeys(subject: DidSubject): Promise<void> {
      const { tenantId } = subject
      const missing = () => inside(subject, (_row, keyRows) => keyRows.find(({ publicKey }) => !publicKey))
      for (let row = await missing(); row; row = await missing()) {
        const { id: keyId, keyType } = row
        const { publicKey, custody } = await keys
          .create({ tenantId, keyId, keyType })
          .catch(async (error: unknown) =>
            Promise.reject(isKeyFault(error) ? await storeAtFault(subject, error) : error),
          )
        const change = { publicKey: Buffer.from(publicKey), custody }
        const changed = await inTenant(database.tenants, tenantId, (em) => em.nativeUpdate(Key, { id: keyId }, change))
        if (changed > 0) continue
        // the row was deleted meanwhile: nobody would find the key any more
        await keys.delete({ tenantId, keyId, keyType })
        throw new Refusal('did.not_found', 'The DID was deleted.')
      }
    },

    /** Writes the document, which we serve from here on if we host it. Safe to retry: it follows from the keys. */
    async writeDidDocument(subject: DidSubject): Promise<{ hosting: string }> {
      return inside(subject, (row, rows) => {
        const publicKeys = rows.map((key) => {
          if (!key.publicKey) throw new Error(`key ${key.id} has no public key yet`)
          const publicKey = { keyType: key.keyType, publicKey: new Uint8Array(key.publicKey) }
          key.didUrl = webMethodId(row.did, publicKey)
          return publicKey
        })
        row.document = webDidDocument(row.did, publicKeys)
        return { hosting: row.hosting }
      })
    },

    /**
     * Looks whether the DID resolves. Stores what is wrong, and when the next look comes, and returns what is wrong;
     * throws only our own faults, and `Unavailable` where the last look cannot be made now: it is made later.
     * Safe to retry.
     */
    async lookUpDid({ nextInMs, ...subject }: DidSubject & { nextInMs?: number }): Promise<Lookup> {
      const read = () => inside(subject, ({ did, document, hosting }) => ({ did, document, hosting }))
      if (!(await read()).document.verificationMethod) {
        // the database was restored to a time before the workflow took these steps
        await steps.createDidKeys(subject)
        await steps.writeDidDocument(subject)
      }
      const fault = await look(subject.tenantId, await read()).catch((error: unknown) => {
        if (isUncalled(error) && nextInMs !== undefined) return postponed(error)
        throw error
      })
      if (!fault) return { resolved: true }
      await inside(subject, (row) => {
        const lookedAt = now()
        const nextLookAt = nextInMs === undefined ? null : new Date(lookedAt.getTime() + nextInMs)
        Object.assign(row, { waitingCode: fault.code, waitingReason: fault.reason, lookedAt, nextLookAt })
      })
      return { resolved: false, ...fault }
    },

    /** Safe to retry. */
    async completeDid(subject: DidSubject): Promise<void> {
      await inside(subject, (row) => {
        Object.assign(row, { registrationStatus: 'COMPLETED', failureReason: null, ...NOT_WAITING })
      })
    },

    /** Safe to retry. The reason is for people, and shown with the DID. */
    async failDid({ reason, ...subject }: DidSubject & { reason: string }): Promise<void> {
      await inside(subject, (row) => {
        Object.assign(row, { registrationStatus: 'FAILED', failureReason: reason, ...NOT_WAITING })
      })
    },

    /**
     * Signals a registration to look again, which ends it where the DID was deleted. `running` false: there is none any
     * more, so nobody makes keys for this DID. Safe to retry.
     */
    async wakeRegistration(subject: DidSubject): Promise<{ running: boolean }> {
      return { running: await signalWorkflow(temporal, 'registerWebDid', subject, 'lookNow') }
    },

    /** Safe to retry: deleting a deleted key is not an error. */
    async destroyDidKeys({ tenantId, didId }: DidSubject): Promise<void> {
      const rows = await inTenant(database.tenants, tenantId, (em) => em.find(Key, { didId }))
      for (const { id: keyId, keyType } of rows) await keys.delete({ tenantId, keyId, keyType })
    },

    /** Deletes the rows after the keys; fails while a revocation by issuer needs these rows. Safe to retry. */
    async removeDid({ tenantId, didId }: DidSubject): Promise<void> {
      await inTenant(database.tenants, tenantId, async (em) => {
        const [revocation] = await em.execute<{ id: string }[]>(REVOKING, [didId])
        if (revocation) throw new Error('credentials of the DID are still being revoked: its rows are removed later')
        await em.nativeDelete(Key, { didId })
        await em.nativeDelete(Did, { id: didId })
      })
    },

    reapUnownedKeys: createReaper({ database, keys, now, log }),
  }
  return steps
}

export type DidRegistration = ReturnType<typeof createDidRegistration>
