import { DAY_MS } from '../../frame/moments.ts'
import { pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import type { Say, Texts } from '../../texts/index.ts'

export interface Attention {
  text: string
  /** Why, as the API says it. */
  detail?: string
  href?: string
}

/** So long before its end a document signer is worth a look. */
const SIGNER_DAYS = 30
/** Lists begin with what is new; that not all was looked at is said. */
const LOOKED_AT = 100
const NEWEST = { limit: LOOKED_AT }

/** What a part found, and how many there are of what it looked at. */
interface Found {
  items: Attention[]
  total?: number
}

async function health({ home, health: { names } }: Texts, say: Say): Promise<Attention[]> {
  const { parts, tenant } = await api.get('/v1/health')
  const href = pathOf('health')
  const unpublished = tenant?.statusLists.unpublished ?? 0
  return [
    ...parts
      .filter(({ state }) => state === 'down')
      .map(({ name, remedy }) => ({
        text: say(home.partDown, { part: names[name] }),
        detail: remedy ?? undefined,
        href,
      })),
    ...(unpublished > 0 ? [{ text: say(home.listsUnpublished, { count: unpublished }), href }] : []),
  ]
}

async function webhooks({ home }: Texts, say: Say): Promise<Attention[]> {
  const since = new Date(Date.now() - DAY_MS).toISOString()
  const [failed, disabled] = await Promise.all([
    api.get('/v1/webhooks/deliveries', {
      params: { query: { limit: 1, status: 'FAILED', redelivered: false, since } },
    }),
    api.get('/v1/webhooks', { params: { query: { limit: 1, status: 'disabled' } } }),
  ])
  const href = pathOf('webhooks')
  const detail = failed.deliveries[0]?.error
  return [
    ...(failed.totalCount > 0
      ? [{ text: say(home.failedDeliveries, { count: failed.totalCount }), detail, href }]
      : []),
    ...(disabled.totalCount > 0 ? [{ text: say(home.disabledWebhooks, { count: disabled.totalCount }), href }] : []),
  ]
}

async function signers({ home }: Texts, say: Say): Promise<Found> {
  const { data, totalCount: total } = await api.get('/v1/credentials/mobile/document-signers', {
    params: { query: NEWEST },
  })
  const items = data.flatMap((signer): Attention[] => {
    const { id, usability, certificateData, renewedById } = signer
    if (renewedById) return []
    const href = pathOf('document-signers', id)
    if (usability === 'expired' || usability === 'no_certificate' || usability === 'iaca_inactive')
      return [{ text: home.signerUnusable, detail: `${id}: ${usability}`, href }]
    if (usability !== 'usable' || !certificateData) return []
    const days = Math.floor((Date.parse(certificateData.notAfter) - Date.now()) / DAY_MS)
    return days <= SIGNER_DAYS ? [{ text: say(home.signerEnds, { days }), detail: id, href }] : []
  })
  return { items, total }
}

async function domains({ home }: Texts, say: Say): Promise<Found> {
  const { domains: rows, totalCount: total } = await api.get('/v1/config/domain', { params: { query: NEWEST } })
  const items = rows
    .filter(({ isVerified }) => !isVerified)
    .map(({ id, domain, waiting, failureReason }) => ({
      text: say(home.domain, { domain }),
      detail: failureReason ?? waiting?.reason,
      href: pathOf('domains', id),
    }))
  return { items, total }
}

async function dids({ home }: Texts, say: Say): Promise<Found> {
  const { dids: rows, totalCount: total } = await api.get('/v1/dids', { params: { query: NEWEST } })
  const items = rows
    .filter(({ registrationStatus, warning }) => registrationStatus !== 'COMPLETED' || warning)
    .map(({ did, waiting, failureReason, warning }) => ({
      text: say(home.did, { did }),
      detail: failureReason ?? warning?.reason ?? waiting?.reason,
      href: pathOf('dids', did),
    }))
  return { items, total }
}

async function batches({ home }: Texts, say: Say): Promise<Attention[]> {
  const listed = async (status: 'PAUSED' | 'PROCESSING') =>
    (await api.get('/v1/credentials/batches', { params: { query: { ...NEWEST, status } } })).data
  const [paused, open] = await Promise.all([listed('PAUSED'), listed('PROCESSING')])
  return [
    ...paused.map((batch) => ({ text: say(home.batch, { id: batch.id }), detail: batch.paused?.message, batch })),
    ...open.flatMap((batch) =>
      batch.waiting ? [{ text: say(home.batchWaits, { id: batch.id }), detail: batch.waiting.part, batch }] : [],
    ),
  ].map(({ batch: { id }, ...item }) => ({ ...item, href: pathOf('batches', id) }))
}

export interface AllAttention {
  items: Attention[]
  /** What was not looked at as a whole. */
  partly: string[]
}

/** What needs attention, of what the role may read; worst first. */
export async function readAttention(scopes: ReadonlySet<string>, texts: Texts, say: Say): Promise<AllAttention> {
  const { home, areas } = texts
  const whole = async (items: Promise<Attention[]>): Promise<Found> => ({ items: await items })
  const parts: [string, false | Promise<Found>][] = [
    [areas.health, whole(health(texts, say))],
    [areas.webhooks, scopes.has('webhooks:read') && whole(webhooks(texts, say))],
    [areas['document-signers'], scopes.has('mobile-credentials:read') && signers(texts, say)],
    [areas.batches, scopes.has('semantic-credentials:read') && whole(batches(texts, say))],
    [areas.domains, scopes.has('domains:read') && domains(texts, say)],
    [areas.dids, scopes.has('dids:read') && dids(texts, say)],
  ]
  const found = await Promise.all(
    parts.map(async ([what, part]) => {
      const { items, total = 0 } = (await part) || { items: [] }
      const partly = total > LOOKED_AT ? [say(home.newest, { count: LOOKED_AT, total, what })] : []
      return { items, partly }
    }),
  )
  return { items: found.flatMap(({ items }) => items), partly: found.flatMap(({ partly }) => partly) }
}
