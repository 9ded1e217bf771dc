import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Did } from '../../entities/dids.ts'
import { InboxDid } from '../../entities/messaging.ts'
import { inTenant } from '../../entities/orm.ts'
import { parseDid } from '../../protocol/dids/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { type ControlProof, controlKeyOf, readControlProof, refuseJwt } from '../../protocol/messaging/control.ts'
import { verifySignedMessage } from '../../protocol/messaging/jws.ts'
import type { Dependencies } from '../dependencies.ts'
import type { DidResolver } from '../dids/resolver.ts'
import { type DidStanding, hostLost } from '../dids/standing.ts'
import type { Call, Metadata, Operations } from '../frame/operations.ts'
import { assertInbox, lockInbox, type Page } from './inboxes.ts'
import { didNotRegistered } from './refusals.ts'
import { HAS_KEYS, STANDS } from './standing.ts'

export interface RegisteredDid {
  did: string
  registeredAt: string
}

export interface DidRegistrationRequest {
  did: string
  jwt?: string | undefined
}

export const MAX_DIDS = 1_000

/** An entry of a PostgreSQL index has at most 2,704 bytes; the longest usual DID, a did:key of RSA, has 1,450. */
const MAX_DID_LENGTH = 2_048

const FALLEN = `delete from inbox_dids r where r.did = ? and not ${STANDS}`

const LISTED = `select r.did, r.created_at from inbox_dids r where r.inbox_id = ? and ${STANDS}
order by r.created_at desc, r.id limit ? offset ?`

const TOTAL = `select count(*)::int as total from inbox_dids r where r.inbox_id = ? and ${STANDS}`

const CANCEL = `delete from inbox_dids r where r.inbox_id = ? and r.did = ? and ${STANDS} returning r.did_id`

const EXPIRED = `delete from inbox_did_proofs where expires_at < ?`

const USED = `insert into inbox_did_proofs (tenant_id, digest, expires_at) values (?, ?, ?)
on conflict do nothing returning digest`

function checkDid(did: string): void {
  try {
    parseDid(did)
  } catch (error) {
    throw error instanceof Refusal
      ? new Refusal(error.code, error.message, [
          { path: 'did', code: 'did', message: 'expected a DID without path, query and fragment' },
        ])
      : error
  }
  if (did.length <= MAX_DID_LENGTH) return
  throw new Refusal('did.invalid', 'The DID is too long.', [
    { path: 'did', code: 'length', message: `expected at most ${MAX_DID_LENGTH} characters` },
  ])
}

const jwtRequired = () =>
  new Refusal('inbox.jwt_required', 'The tenant has no keys of this DID: a jwt must prove the control of it.', [
    { path: 'jwt', code: 'required', message: 'expected a JWT that the DID has signed for this inbox' },
  ])

const registeredElsewhere = () =>
  new Refusal(
    'inbox.did_registered_elsewhere',
    'The DID is registered with another inbox of this tenant. End that registration first.',
  )

interface Proof extends ControlProof {
  /** Null for a DID whose document does not change. */
  controlKey: Buffer | null
}

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid'> {
  operations: Operations
  didResolver: Pick<DidResolver, 'documentFor'>
  didStanding: Pick<DidStanding, 'lostHost'>
}

/** DIDs of inboxes: an inbox gets the messages to its DIDs (specification, registerDID). */
export function createRegistrations({ config, database, now, uuid, operations, didResolver, didStanding }: Parts) {
  /** Checks what a JWT says and who signed it; whether it was used before shows when it is used. */
  async function proofOf(tenantId: string, jwt: string, did: string, inboxId: string): Promise<Proof> {
    const clock = { now: now(), toleranceMs: config.clockToleranceMs }
    const resolveDid = (named: string) => didResolver.documentFor(tenantId, named)
    const proof = readControlProof(jwt, { did, audience: inboxId, ...clock })
    const { error, publicJwk } = await verifySignedMessage(proof.message, {
      ...clock,
      purposes: ['authentication'],
      resolveDid,
    })
    if (error)
      refuseJwt(
        'signature',
        error.message,
        'expected the signature of a key that the DID document has for authentication',
      )
    // the document of a did:key never changes
    const mayChange = publicJwk !== undefined && !did.startsWith('did:key:')
    return { ...proof, controlKey: mayChange ? Buffer.from(controlKeyOf(publicJwk)) : null }
  }

  /** The tenant's own DID, which has its keys here and cannot be deleted until the transaction ends. */
  async function ownDid(em: SqlEntityManager, did: string): Promise<Did | undefined> {
    const row = await em.findOne(Did, { did, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_READ })
    if (row && row.registrationStatus !== 'COMPLETED')
      throw new Refusal('inbox.did_not_ready', `The registration of the DID is ${row.registrationStatus}.`, [
        { path: 'did', code: 'did', message: 'expected a DID with registrationStatus COMPLETED' },
      ])
    return row && (await em.execute<object[]>(HAS_KEYS, [row.id])).length > 0 ? row : undefined
  }

  /** Remembers a JWT. Returns false for one that was used before. */
  async function remember(em: SqlEntityManager, tenantId: string, { digest, expiresAt }: ControlProof) {
    await em.execute(EXPIRED, [new Date(now().getTime() - config.clockToleranceMs)])
    return (await em.execute<object[]>(USED, [tenantId, Buffer.from(digest), expiresAt])).length > 0
  }

  /** Each JWT registers once, so that it does not bring back a registration that has ended. */
  async function use(em: SqlEntityManager, tenantId: string, proof: ControlProof): Promise<void> {
    if (!(await remember(em, tenantId, proof)))
      throw new Refusal('inbox.jwt_used', 'The jwt has registered a DID before.', [
        { path: 'jwt', code: 'used', message: 'expected a new JWT' },
      ])
  }

  return {
    /**
     * Registers a DID: one of the tenant, or one whose control the JWT proves. A DID that is registered with this inbox
     * stays so. Throws `inbox.jwt_*`, `inbox.did_*`, `inbox.too_many_dids`.
     */
    async registerDid(call: Call, inboxId: string, { did, jwt }: DidRegistrationRequest): Promise<RegisteredDid> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as RegisteredDid
      checkDid(did)
      const hosting = await inTenant(database.tenants, tenantId, async (em) => {
        await assertInbox(em, inboxId)
        return (await ownDid(em, did))?.hosting
      })
      const host = hosting && (await didStanding.lostHost(tenantId, { did, hosting }))
      if (host !== undefined) throw hostLost(host, 'did')
      if (hosting === undefined && jwt === undefined) throw jwtRequired()
      const proof = jwt === undefined ? undefined : await proofOf(tenantId, jwt, did, inboxId)
      const metadata: Metadata = { id: inboxId }
      const work = async (em: SqlEntityManager): Promise<RegisteredDid> => {
        await lockInbox(em, inboxId)
        await em.execute(FALLEN, [did])
        const row = await em.findOne(InboxDid, { did })
        if (row && row.inboxId !== inboxId) throw registeredElsewhere()
        if (row) {
          if (row.didId) metadata.didId = row.didId
          if (proof && (await remember(em, tenantId, proof)) && row.didId === null) row.controlKey = proof.controlKey
          return { did, registeredAt: row.createdAt.toISOString() }
        }
        const own = await ownDid(em, did)
        if (own) metadata.didId = own.id
        if (!own && !proof) throw jwtRequired()
        if (proof) await use(em, tenantId, proof)
        if ((await em.count(InboxDid, { inboxId })) >= MAX_DIDS)
          throw new Refusal('inbox.too_many_dids', `An inbox can have ${MAX_DIDS} DIDs. Use another inbox.`)
        const createdAt = now()
        const controlKey = own ? null : (proof?.controlKey ?? null)
        em.create(InboxDid, { id: uuid(), tenantId, inboxId, did, didId: own?.id ?? null, controlKey, createdAt })
        await em.flush()
        return { did, registeredAt: createdAt.toISOString() }
      }
      return operations.change(call, 'registerDID', metadata, work).catch((error: unknown) => {
        // of two concurrent requests for two inboxes the unique index lets one pass
        throw error instanceof UniqueConstraintViolationException ? registeredElsewhere() : error
      })
    },

    /** Newest first. */
    listDids: (tenantId: string, inboxId: string, { limit, offset }: Page) =>
      inTenant(database.tenants, tenantId, async (em) => {
        await assertInbox(em, inboxId)
        const rows = await em.execute<{ did: string; created_at: Date | string }[]>(LISTED, [inboxId, limit, offset])
        const [counted] = await em.execute<{ total: number }[]>(TOTAL, [inboxId])
        const dids = rows.map(({ did, created_at }) => ({ did, registeredAt: new Date(created_at).toISOString() }))
        return { dids, total: counted?.total ?? 0 }
      }),

    /** The messages that came stay in the inbox. */
    async unregisterDid(call: Call, inboxId: string, did: string): Promise<void> {
      const metadata: Metadata = { id: inboxId }
      await operations.change(call, 'unregisterDID', metadata, async (em) => {
        await assertInbox(em, inboxId)
        const [ended] = await em.execute<{ did_id: string | null }[]>(CANCEL, [inboxId, did])
        if (!ended) throw didNotRegistered()
        if (ended.did_id) metadata.didId = ended.did_id
      })
    },
  }
}

export type Registrations = ReturnType<typeof createRegistrations>
