import type { Parts, TenantHealth } from '../../../activities/administration/health/index.ts'
import type { Figures } from '../../../activities/administration/health/statements.ts'
import type { Count, DateTime, Uuid } from '../../frame/wire.ts'

type PartName = 'database' | 'keys' | 'temporal' | 'worker' | 'documents'

interface PartOut {
  name: PartName
  /** unknown: the part that knows it is down. */
  state: 'up' | 'down' | 'unknown'
  /** Stable; null while the part is up. */
  code: string | null
  /** What it means, and what to do; null while the part is up. */
  remedy: string | null
}

interface OutboxOut {
  /** Work that was accepted and has not begun: some rows for some moments are usual. */
  waiting: Count
  /** Age of the oldest of it; 0 where none waits. */
  oldestSeconds: Count
}

interface UnpublishedListOut {
  id: Uuid
  kind: string
  purpose: string
  /** The DID that signs it, or the id of the IACA whose document signers do. */
  issuer: string
  /** Since when readers get an old state. */
  since: DateTime
  /** Signings that failed in a row. */
  failures: Count
}

interface StatusListsOut {
  /** Lists that are not signed anew within their time after a change, or have ended. */
  unpublished: Count
  oldestSeconds: Count
}

interface TenantListsOut extends StatusListsOut {
  /** The 20 that wait longest. */
  lists: UnpublishedListOut[]
}

interface DeliveriesOut {
  /** Deliveries to webhooks whose attempt is due for more than two minutes. */
  late: Count
  oldestSeconds: Count
}

interface FiguresOut {
  outbox: OutboxOut
  statusLists: StatusListsOut
  deliveries: DeliveriesOut
}

interface TenantFiguresOut extends FiguresOut {
  statusLists: TenantListsOut
}

export interface HealthOut {
  /** degraded: a part is not up. */
  status: 'up' | 'degraded'
  parts: PartOut[]
  /** null for a token of no tenant: an operator's client, or a person without one. */
  tenant: TenantFiguresOut | null
  /** Of all tenants: null unless the token has platform:read. */
  platform: FiguresOut | null
}

const FAULTS: Readonly<Record<PartName, { code: string; remedy: string }>> = {
  database: {
    code: 'database.unavailable',
    remedy: 'Nothing works without the database. The operator checks PostgreSQL and /health/ready.',
  },
  keys: {
    code: 'keys.unavailable',
    remedy:
      'Nothing is signed and no key is made until the key store is back; reading and verifying go on. The operator checks Vault and /health/ready.',
  },
  temporal: {
    code: 'temporal.unavailable',
    remedy:
      'Work that outlives a request is accepted and waits; signing one credential and verifying go on. The operator checks Temporal and /health/ready.',
  },
  worker: {
    code: 'worker.not_polling',
    remedy:
      'Batches, deliveries, offers and status lists wait until a worker runs. The operator starts one, and looks at its /health/ready.',
  },
  documents: {
    code: 'documents.self_test_failed',
    remedy: 'The process that answered cannot sign and verify a test credential. The operator replaces it.',
  },
}

const UNKNOWN = {
  code: 'worker.unknown',
  remedy: 'Temporal knows who polls, and does not answer. See to Temporal first.',
}

const ORDER: readonly PartName[] = ['database', 'keys', 'temporal', 'worker', 'documents']

const partToWire = (name: PartName, state: PartOut['state']): PartOut => ({
  name,
  state,
  ...(state === 'up' ? { code: null, remedy: null } : state === 'unknown' ? UNKNOWN : FAULTS[name]),
})

const figuresToWire = (figures: Figures): FiguresOut => ({
  outbox: { waiting: figures.outboxWaiting, oldestSeconds: Math.floor(figures.outboxOldest) },
  statusLists: { unpublished: figures.listsUnpublished, oldestSeconds: Math.floor(figures.listsOldest) },
  deliveries: { late: figures.deliveriesLate, oldestSeconds: Math.floor(figures.deliveriesOldest) },
})

const tenantToWire = (health: TenantHealth): TenantFiguresOut => {
  const { outbox, statusLists, deliveries } = figuresToWire(health)
  const lists = health.lists.map(({ since, ...list }) => ({ ...list, since: new Date(since).toISOString() }))
  return { outbox, statusLists: { ...statusLists, lists }, deliveries }
}

export function healthToWire(parts: Parts, tenant: TenantHealth | null, platform: Figures | null): HealthOut {
  const states = ORDER.map((name) => partToWire(name, parts[name]))
  return {
    status: states.every(({ state }) => state === 'up') ? 'up' : 'degraded',
    parts: states,
    tenant: tenant && tenantToWire(tenant),
    platform: platform && figuresToWire(platform),
  }
}

export const HEALTH: HealthOut = {
  status: 'degraded',
  parts: ORDER.map((name) => partToWire(name, name === 'keys' ? 'down' : 'up')),
  tenant: {
    outbox: { waiting: 1, oldestSeconds: 0 },
    statusLists: {
      unpublished: 1,
      oldestSeconds: 75,
      lists: [
        {
          id: '9f0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f',
          kind: 'BitstringStatusList',
          purpose: 'revocation',
          issuer: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
          since: '2027-01-31T12:00:00.000Z',
          failures: 2,
        },
      ],
    },
    deliveries: { late: 0, oldestSeconds: 0 },
  },
  platform: null,
}
