import { DAY_MS } from '../../frame/moments.ts'
import { pathOf, withQuery } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import type { Texts } from '../../texts/index.ts'
import type { Figure } from './figures.ts'

/** The answer has the number of all. */
const COUNT = { limit: 1 }

/** Operations of all formats, by the names of their entries (getLogEventTypes). */
const SIGNED = [
  'CREDENTIAL_WEB_SEMANTIC',
  'CREDENTIAL_COMPACT',
  'CREDENTIAL_COMPACT_SEMANTIC',
  'MOBILE_CREDENTIAL',
  'CREDENTIAL_SD_JWT_VC',
]
const VERIFIED = [...SIGNED, 'PRESENTATION_WEB_SEMANTIC']

async function operations({ home }: Texts, since: Date): Promise<Figure[]> {
  const dates = { dateFrom: since.toISOString(), dateTo: new Date().toISOString() }
  const count = async (text: string, types: string[]): Promise<Figure> => {
    const body = { categories: [], types, ids: [], requestIds: [], ...dates }
    const { totalCount } = await api.post('/v1/analytics/events', { params: { query: COUNT }, body })
    return { text, count: totalCount, href: withQuery(pathOf('log'), { type: types.join(' ') }) }
  }
  return Promise.all([
    count(
      home.signed,
      SIGNED.map((name) => `${name}_SIGN_SUCCESS`),
    ),
    count(
      home.signFailed,
      SIGNED.map((name) => `${name}_SIGN_FAIL`),
    ),
    count(
      home.verifications,
      VERIFIED.map((name) => `${name}_VERIFY_SUCCESS`),
    ),
  ])
}

async function deliveries({ home }: Texts, since: Date): Promise<Figure[]> {
  const count = async (text: string, status: 'DELIVERED' | 'FAILED'): Promise<Figure> => {
    const query = { ...COUNT, status, since: since.toISOString() }
    const { totalCount } = await api.get('/v1/webhooks/deliveries', { params: { query } })
    return { text, count: totalCount, href: pathOf('webhooks') }
  }
  return Promise.all([count(home.delivered, 'DELIVERED'), count(home.notDelivered, 'FAILED')])
}

/** What was done in the last day, of what the role may read. */
export async function readDay(scopes: ReadonlySet<string>, texts: Texts): Promise<Figure[]> {
  const since = new Date(Date.now() - DAY_MS)
  const parts = [
    scopes.has('logs:read') && operations(texts, since),
    scopes.has('webhooks:read') && deliveries(texts, since),
  ]
  return (await Promise.all(parts)).flatMap((part) => part || [])
}
