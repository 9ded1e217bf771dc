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
/** What needs attention is new, and lists begin with it. */
const NEWEST = { limit: 100 }

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

async function signers({ home }: Texts, say: Say): Promise<Attention[]> {
  const { data } = await api.get('/v1/credentials/mobile/document-signers', { params: { query: NEWEST } })
  return data.flatMap((signer): Attention[] => {
    const { id, usability, certificateData, renewedById } = signer
    if (renewedById) return []
    const href = pathOf('document-signers', id)
    if (usability === 'expired' || usability === 'no_certificate' || usability === 'iaca_inactive')
      return [{ text: home.signerUnusable, detail: `${id}: ${usability}`, href }]
    if (usability !== 'usable' || !certificateData) return []
    const days = Math.floor((Date.parse(certificateData.notAfter) - Date.now()) / DAY_MS)
    return days <= SIGNER_DAYS ? [{ text: say(home.signerEnds, { days }), detail: id, href }] : []
  })
}

async function domains({ home }: Texts, say: Say): Promise<Attention[]> {
  const { domains: rows } = await api.get('/v1/config/domain', { params: { query: NEWEST } })
  return rows
    .filter(({ isVerified }) => !isVerified)
    .map(({ id, domain, waiting, failureReason }) => ({
      text: say(home.domain, { domain }),
      detail: failureReason ?? waiting?.reason,
      href: pathOf('domains', id),
    }))
}

async function dids({ home }: Texts, say: Say): Promise<Attention[]> {
  const { dids: rows } = await api.get('/v1/dids', { params: { query: NEWEST } })
  return rows
    .filter(({ registrationStatus, warning }) => registrationStatus !== 'COMPLETED' || warning)
    .map(({ did, waiting, failureReason, warning }) => ({
      text: say(home.did, { did }),
      detail: failureReason ?? warning?.reason ?? waiting?.reason,
      href: pathOf('dids', did),
    }))
}

async function batches({ home }: Texts, say: Say): Promise<Attention[]> {
  const { data } = await api.get('/v1/credentials/batches', { params: { query: NEWEST } })
  return data.flatMap(({ id, status, paused, waiting }) => {
    if (status === 'PAUSED') return [{ text: say(home.batch, { id }), detail: paused?.message }]
    return waiting ? [{ text: say(home.batchWaits, { id }), detail: waiting.part }] : []
  })
}

/** What needs attention, of what the role may read; worst first. */
export async function readAttention(scopes: ReadonlySet<string>, texts: Texts, say: Say): Promise<Attention[]> {
  const parts = [
    health(texts, say),
    scopes.has('webhooks:read') && webhooks(texts, say),
    scopes.has('mobile-credentials:read') && signers(texts, say),
    scopes.has('semantic-credentials:read') && batches(texts, say),
    scopes.has('domains:read') && domains(texts, say),
    scopes.has('dids:read') && dids(texts, say),
  ]
  return (await Promise.all(parts)).flatMap((part) => part || [])
}
