import type { Reply, World } from '../world.ts'

export const TRUST_LISTS = '/v1/trust-lists'

export interface TrustListAnswer {
  id: string
  name: string
  formats: string[]
  enforced: boolean
  state: 'current' | 'failing' | 'stale'
  source: Record<string, unknown> | null
  imported: {
    type: string | null
    sequenceNumber: number
    nextUpdate: string | null
    skipped: number
    listOfLists: { sequenceNumber: number; nextUpdate: string | null; signers: number; pivots: number } | null
  } | null
  fetchedAt: string | null
  nextRefreshAt: string | null
  staleAt: string | null
  failure: { code: string; message: string; remedy: string | null; since: string } | null
  entryCount: number
  entries: {
    name: string | null
    certificate: string | null
    certificateFingerprint: string | null
    identifier: string | null
  }[]
}

/** A list that decides nothing. */
export const trustList = (more: object = {}) => ({
  name: 'Issuers',
  formats: ['web-semantic'],
  enforced: false,
  entries: [{ name: 'An issuer', identifier: 'did:web:issuer.example' }],
  ...more,
})

/** The operations on trust lists of one tenant. */
export const trustListsOf = (world: Pick<World, 'ask'>, token: string) => ({
  create: (body: object): Promise<Reply> => world.ask(TRUST_LISTS, { token, body }),
  async created(body: object = {}): Promise<TrustListAnswer> {
    const reply = await this.create(trustList(body))
    if (reply.status !== 201) throw new Error(`no trust list: ${reply.text}`)
    return reply.json<TrustListAnswer>()
  },
  read: (id: string) => world.ask(`${TRUST_LISTS}/${id}`, { token }),
  list: (query = '') => world.ask(`${TRUST_LISTS}${query}`, { token }),
  update: (id: string, body: object) => world.ask(`${TRUST_LISTS}/${id}`, { method: 'PUT', token, body }),
  refresh: (id: string) => world.ask(`${TRUST_LISTS}/${id}/refresh`, { method: 'POST', token }),
  remove: (id: string) => world.ask(`${TRUST_LISTS}/${id}`, { method: 'DELETE', token }),
})

/** What the examples of requests speak of. */
export interface TrustListSample {
  trustListId: string
  /** For the operation that deletes it. */
  spareTrustListId: string
}

export async function makeTrustListSample(world: World, token: string): Promise<TrustListSample> {
  const lists = trustListsOf(world, token)
  return { trustListId: (await lists.created()).id, spareTrustListId: (await lists.created()).id }
}
