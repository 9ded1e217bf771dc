import { randomBytes } from 'node:crypto'
import type { Reply, World } from './world.ts'

export const CLAIM_SOURCES = '/v1/claim-sources'

export interface ClaimSourceAnswer {
  id: string
  org_id: string
  name: string
  url: string
  request_method: 'GET' | 'POST'
  request_parameters: Record<string, { map_from?: string; default_value?: unknown }>
  authorization?: Record<string, Record<string, string>>
}

export const SECRET = 'a-secret-of-many-characters-m1J7x'

/** A source that nobody in the world answers at. */
export const claimSource = (more: object = {}) => ({
  name: 'Registry',
  url: `https://c${randomBytes(6).toString('hex')}.example/claims`,
  request_parameters: { sub: { map_from: 'claims.sub' } },
  ...more,
})

export const apiKey = (value = SECRET, more: object = {}) => ({ ApiKey: { type: 'api-key', value, ...more } })

export const oauth = (more: object = {}) => ({
  OAuthClientCredentials: {
    type: 'oauth-client-credentials',
    client_id: 'countersign',
    client_secret: SECRET,
    token_endpoint: 'https://login.university.example/token',
    ...more,
  },
})

/** The claim source operations of one tenant. */
export const claimSourcesOf = (world: Pick<World, 'ask'>, token: string) => ({
  create: (body: object): Promise<Reply> => world.ask(CLAIM_SOURCES, { token, body }),
  async created(body: object = claimSource()): Promise<ClaimSourceAnswer> {
    const reply = await this.create(body)
    if (reply.status !== 201) throw new Error(`no claim source: ${reply.text}`)
    return reply.json<ClaimSourceAnswer>()
  },
  read: (id: string) => world.ask(`${CLAIM_SOURCES}/${id}`, { token }),
  async list(query = '') {
    const reply = await world.ask(`${CLAIM_SOURCES}${query}`, { token })
    return reply.json<{ data: ClaimSourceAnswer[]; limit: number; total_count: number; total_pages: number }>()
  },
  update: (id: string, body: object) => world.ask(`${CLAIM_SOURCES}/${id}`, { method: 'PUT', token, body }),
  remove: (id: string) => world.ask(`${CLAIM_SOURCES}/${id}`, { method: 'DELETE', token }),
})

const createClaimSource = (world: World, token: string): Promise<ClaimSourceAnswer> =>
  claimSourcesOf(world, token).created()

/** What the examples of requests speak of. */
export interface ClaimSourceSample {
  claimSourceId: string
  /** For the operation that deletes it. */
  spareClaimSourceId: string
}

export async function makeClaimSourceSample(world: World, token: string): Promise<ClaimSourceSample> {
  const [source, spare] = [await createClaimSource(world, token), await createClaimSource(world, token)]
  return { claimSourceId: source.id, spareClaimSourceId: spare.id }
}

/** URLs of claim sources that are refused, each with its rule (specification, Limits). */
export const URLS: [url: string, rule: string][] = [
  ['http://a.example/claims', 'https'],
  ['ftp://a.example/claims', 'https'],
  ['https://a.example/claims?x=1', 'query'],
  ['https://a.example/claims?', 'query'],
  ['https://user@a.example/claims', 'user_info'],
  ['https://192.0.2.1/claims', 'address'],
  ['https://[::ffff:7f00:1]/claims', 'address'],
  ['https://0x7f.1/claims', 'address'],
  ['https://①②⑦.0.0.1/claims', 'address'],
  ['https://localhost/claims', 'not_public'],
  ['https://db.internal/claims', 'not_public'],
  ['https://registry.corp/claims', 'not_public'],
  ['https://co.uk/claims', 'public_suffix'],
  ['https://a.example\\claims', 'characters'],
  ['https://a.example/\tclaims', 'characters'],
  ['a.example', 'url'],
  [`https://a.example/${'a'.repeat(2_048)}`, 'length'],
]

/** The place of the variant in a body. */
export const OAUTH = 'authorization.OAuthClientCredentials'
/** Authorizations that are refused, each with the place and the rule. */
export const AUTHORIZATIONS: [authorization: object, path: string, rule: string][] = [
  [{}, 'authorization', 'variant'],
  [{ ...apiKey(), ...oauth() }, 'authorization', 'variant'],
  [apiKey('a\r\nx-admin: 1'), 'authorization.ApiKey.value', 'text'],
  [apiKey('schlüssel-aus-münchen'), 'authorization.ApiKey.value', 'text'],
  [apiKey(''), 'authorization.ApiKey.value', 'text'],
  [apiKey(' a'), 'authorization.ApiKey.value', 'text'],
  [apiKey('k'.repeat(2_049)), 'authorization.ApiKey.value', 'text'],
  [apiKey(SECRET, { type: 'basic' }), 'authorization.ApiKey.type', 'type'],
  ...[
    'x-a: 1\r\nx-b',
    'Host',
    'cookie',
    'Content-Length',
    'transfer-encoding',
    'proxy-authorization',
    'X-Forwarded-For',
    '',
    'a b',
  ].map((header): [object, string, string] => [apiKey(SECRET, { header }), 'authorization.ApiKey.header', 'text']),
  [oauth({ client_id: 'a\nb' }), `${OAUTH}.client_id`, 'text'],
  [oauth({ client_secret: 'a\r\nb' }), `${OAUTH}.client_secret`, 'text'],
  [oauth({ token_endpoint_auth_method: 'private_key_jwt' }), `${OAUTH}.token_endpoint_auth_method`, 'choice'],
  [oauth({ scope: 'a  b' }), `${OAUTH}.scope`, 'text'],
  [oauth({ audience: 'a b' }), `${OAUTH}.audience`, 'text'],
]
