import type { Schemas } from '../../../client/index.ts'
import { pathOf, withQuery } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import type { Texts } from '../../texts/index.ts'

export interface Figure {
  text: string
  count: number
  href: string
}

type State = Schemas['CredentialSummaryOut']['state']

const STATES: readonly State[] = ['active', 'suspended', 'revoked', 'expired']
/** The answer has the number of all. */
const COUNT = { limit: 1 }

async function credentials({ home }: Texts): Promise<Figure[]> {
  const count = async (state: State) =>
    (await api.get('/v1/credentials', { params: { query: { ...COUNT, state } } })).total_count
  return Promise.all(
    STATES.map(async (state) => ({
      text: home[state],
      count: await count(state),
      href: withQuery(pathOf('credentials'), { state }),
    })),
  )
}

async function webhooks({ home }: Texts): Promise<Figure[]> {
  const [all, pending] = await Promise.all([
    api.get('/v1/webhooks', { params: { query: COUNT } }),
    api.get('/v1/webhooks/deliveries', { params: { query: { ...COUNT, status: 'PENDING' } } }),
  ])
  const href = pathOf('webhooks')
  return [
    { text: home.webhooks, count: all.totalCount, href },
    { text: home.pendingDeliveries, count: pending.totalCount, href },
  ]
}

async function dids({ home }: Texts): Promise<Figure[]> {
  const { totalCount } = await api.get('/v1/dids', { params: { query: COUNT } })
  return [{ text: home.dids, count: totalCount, href: pathOf('dids') }]
}

export interface Figures {
  rows: Figure[]
  /** How many there are, in all states; undefined for a role that does not read them. */
  credentials?: number
}

/** How much there is of what the role may read. */
export async function readFigures(scopes: ReadonlySet<string>, texts: Texts): Promise<Figures> {
  const mayRead = [...scopes].some((scope) => scope.endsWith('-credentials:read'))
  const parts = [
    mayRead && credentials(texts),
    scopes.has('webhooks:read') && webhooks(texts),
    scopes.has('dids:read') && dids(texts),
  ]
  const [states, ...others] = await Promise.all(parts)
  const rows = [states, ...others].flatMap((part) => part || [])
  return { rows, ...(states && { credentials: states.reduce((sum, { count }) => sum + count, 0) }) }
}
