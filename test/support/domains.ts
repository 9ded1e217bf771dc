import { randomBytes } from 'node:crypto'
import type { Reply, World } from './world.ts'

export interface DomainAnswer {
  id: string
  name: string
  domain: string
  verificationToken: string
  isVerified: boolean
  verifiedAt: string | null
  status: 'WAITING' | 'VERIFIED' | 'GIVEN_UP'
  failureReason?: string
  waiting?: { code: string; reason: string; lastLookAt?: string; nextLookAt?: string; until?: string }
  recheck?: { lastLookAt: string; nextLookAt: string }
}

export const DOMAINS = '/v1/config/domain'

/** A name that no other test has, and that nobody in the world can have. */
export const newDomainName = () => `d${randomBytes(6).toString('hex')}.example`

/** The domain operations of one tenant. */
export const domainsOf = (world: Pick<World, 'ask'>, token: string) => ({
  create: (domain: string, name = 'A domain'): Promise<Reply> => world.ask(DOMAINS, { token, body: { domain, name } }),
  async created(domain = newDomainName()): Promise<DomainAnswer> {
    const reply = await this.create(domain)
    if (reply.status !== 200) throw new Error(`no domain: ${reply.text}`)
    return reply.json<DomainAnswer>()
  },
  async read(id: string): Promise<DomainAnswer> {
    return (await world.ask(`${DOMAINS}/${id}`, { token })).json<DomainAnswer>()
  },
  async list(query = '') {
    const reply = await world.ask(`${DOMAINS}${query}`, { token })
    return reply.json<{ domains: DomainAnswer[]; limit: number; totalCount: number; totalPages: number }>()
  },
  rename: (id: string, name: string) => world.ask(`${DOMAINS}/${id}`, { method: 'PUT', token, body: { name } }),
  verify: (id: string) => world.ask(`${DOMAINS}/${id}/verify`, { method: 'POST', token }),
  invalidate: (id: string) => world.ask(`${DOMAINS}/${id}/invalidate`, { method: 'POST', token }),
  remove: (id: string) => world.ask(`${DOMAINS}/${id}`, { method: 'DELETE', token }),
})

export const createDomain = (
  world: Pick<World, 'ask'>,
  { domain = newDomainName() }: { domain?: string },
  token: string,
): Promise<DomainAnswer> => domainsOf(world, token).created(domain)
