import { createHash } from 'node:crypto'
import { Tenant } from '../../../entities/administration/tenants.ts'
import { asSystem } from '../../../entities/orm.ts'
import { TENANT_PROVISION_ENTRY } from '../../../protocol/administration/entries.ts'
import type { TenantSubject, WantedOfTenant } from '../../../protocol/administration/tenants/provisioning.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { DidArea } from '../../dids/index.ts'
import type { Idempotency } from '../../frame/idempotency.ts'
import { addLogEntry, PLATFORM } from '../../frame/log-entries.ts'
import type { Call } from '../../frame/operations.ts'
import type { Iacas } from '../../mobile-credentials/iacas.ts'

export interface ProvisioningStep {
  /** `gone`: the tenant was deleted meanwhile. */
  state: 'ready' | 'failed' | 'waiting' | 'gone'
  code?: string
}

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  dids: Pick<DidArea['dids'], 'createDid'>
  iacas: Pick<Iacas, 'createIaca'>
  idempotency: Idempotency
}

/** Makes what was asked for with a tenant. Safe to repeat: each thing is made under a key of its own, as for a caller. */
export function createProvisioning({ database, now, uuid, dids, iacas, idempotency }: Parts) {
  /** `name` has a space, so that no caller's Idempotency-Key is the same. */
  async function callOf(tenantId: string, { requestId = tenantId }: WantedOfTenant, name: string, wanted: object) {
    const hash = createHash('sha256').update(JSON.stringify(wanted)).digest()
    const claim = await idempotency.claim(tenantId, `provision ${name}`, hash).catch((error: unknown) => {
      // an earlier attempt has it for some seconds, or is still at work: no refusal, but a reason to come back
      throw error instanceof Refusal ? new Error(`another attempt makes the ${name}`, { cause: error }) : error
    })
    if ('answer' in claim) throw new Error(`the ${name} of a new tenant has an answer`)
    const call: Call = { tenantId, clientId: PLATFORM, requestId, idempotency: claim }
    return { call, release: () => idempotency.release(tenantId, `provision ${name}`, { forget: false }) }
  }

  async function once(tenantId: string, wanted: WantedOfTenant, name: 'did' | 'iaca', make: (call: Call) => unknown) {
    const { call, release } = await callOf(tenantId, wanted, name, wanted[name] ?? {})
    try {
      await make(call)
    } catch (error) {
      if (error instanceof Refusal && error.code === 'did.default_issuer_taken') return
      throw error
    } finally {
      await release()
    }
  }

  async function make(tenantId: string, wanted: WantedOfTenant): Promise<void> {
    const { did, iaca } = wanted
    if (did) {
      const request = { method: 'KEY', options: { keyType: did.keyType }, isDefaultIssuer: true } as const
      await once(tenantId, wanted, 'did', (call) => dids.createDid(call, request))
    }
    if (iaca) await once(tenantId, wanted, 'iaca', (call) => iacas.createIaca(call, iaca))
  }

  /** Ends the provisioning, with one entry in the first tenant's log. */
  async function end({ tenantId, subjectTenantId: id }: TenantSubject, refusal?: Refusal): Promise<ProvisioningStep> {
    const state = refusal ? 'failed' : 'ready'
    await asSystem(database.system, async (em) => {
      const row = await em.findOne(Tenant, { id, status: 'provisioning' })
      if (!row) return
      const reason = { statusCode: refusal?.code ?? null, statusReason: refusal?.message ?? null }
      Object.assign(row, { status: state, ...reason, lookedAt: now(), nextLookAt: null, updatedAt: now() })
      const metadata = { id, ...(refusal && { reason: refusal.code }) }
      const outcome = refusal ? 'FAIL' : 'SUCCESS'
      const requestId = row.wanted.requestId ?? id
      addLogEntry(em, { now, uuid }, { tenantId, requestId, ...TENANT_PROVISION_ENTRY, outcome, metadata })
    })
    return { state }
  }

  async function wait(id: string, error: Unavailable, nextInMs: number): Promise<ProvisioningStep> {
    const code = `${error.part}.unavailable`
    const reason = { statusCode: code, statusReason: error.message }
    const times = { lookedAt: now(), nextLookAt: new Date(now().getTime() + nextInMs) }
    await asSystem(database.system, (em) => em.nativeUpdate(Tenant, { id, deletedAt: null }, { ...reason, ...times }))
    return { state: 'waiting', code }
  }

  return {
    /** Makes what is missing, or says why it cannot be made, now or at all. */
    async attemptProvisioning({
      nextInMs,
      ...subject
    }: TenantSubject & { nextInMs: number }): Promise<ProvisioningStep> {
      const { subjectTenantId: id } = subject
      const row = await asSystem(database.system, (em) => em.findOne(Tenant, { id, deletedAt: null }))
      if (!row) return { state: 'gone' }
      if (row.status !== 'provisioning') return { state: row.status }
      try {
        await make(id, row.wanted)
      } catch (error) {
        if (error instanceof Unavailable) return wait(id, error, nextInMs)
        if (error instanceof Refusal) return end(subject, error)
        throw error
      }
      return end(subject)
    },
  }
}

export type Provisioning = ReturnType<typeof createProvisioning>
