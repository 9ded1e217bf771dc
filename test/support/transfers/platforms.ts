import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { inTenant } from '../../../entities/orm.ts'
import { course, TEMPLATES } from '../credentials/templates.ts'
import type { Sample } from '../frame/examples/sample.ts'
import type { Processes } from '../parts/processes.ts'
import { type Ask, type Client, send, type World } from '../world.ts'

export type Platform = Pick<World, 'ask' | 'url' | 'dependencies' | 'first' | 'tokenOf'>

/** The processes of the second platform, as a world is asked. */
export function asWorld({ url, dependencies, first }: Processes): Platform {
  const ask = (path: string, question: Ask = {}) => send(`${url}${path}`, question)
  const tokenOf = async ({ clientId, clientSecret }: Client) => {
    const reply = await ask('/v1/auth/token', { body: { clientId, clientSecret, grantType: 'client_credentials' } })
    if (reply.status !== 200) throw new Error(`no token: ${reply.text}`)
    return reply.json<{ access_token: string }>().access_token
  }
  return { url, dependencies, first, ask, tokenOf }
}

export const rows = async <Row extends object>(world: Platform, text: string, ...values: unknown[]): Promise<Row[]> =>
  (await world.dependencies.systemSql.query<Row>({ text, values })).rows

const POLICY = {
  requiresPar: false,
  requiresDpop: true,
  requiresClientAuthentication: false,
  allowsWalletInitiated: false,
  requiresEncryption: true,
  signsMetadata: true,
  requiresWalletAttestation: true,
  requiresKeyAttestation: true,
  keyStorage: ['iso_18045_high'],
  userAuthentication: ['iso_18045_moderate'],
  batchSize: 5,
  reissueDays: 30,
  profile: null,
}

export const WEBHOOK_SECRET = randomBytes(32).toString('base64')
export const CLAIM_SOURCE_KEY = `key-${randomUUID()}`

/** What the sample lacks, through the API where it has an operation. */
export async function enrich(here: Platform, sample: Sample): Promise<void> {
  const { token } = sample
  const { tenantId } = sample.client
  const asks: [path: string, method: string, body: object][] = [
    [`${TEMPLATES}/${sample.templateId}`, 'PUT', course({ name: 'Changed' })],
    ['/v1/openid/wallet-policy', 'PUT', POLICY],
    [`/v1/webhooks/${sample.webhookId}`, 'PUT', { secret: WEBHOOK_SECRET }],
    [
      '/v1/claim-sources',
      'POST',
      {
        name: 'With a key',
        url: 'https://claims.example.com/',
        request_parameters: {},
        authorization: { ApiKey: { type: 'api-key', value: CLAIM_SOURCE_KEY } },
      },
    ],
  ]
  for (const [path, method, body] of asks) {
    const reply = await here.ask(path, { method, token, body })
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`)
  }
  const document = JSON.stringify({ '@context': { course: 'https://schema.org/courseCode' } })
  const sha256 = createHash('sha256').update(document).digest('hex')
  await rows(
    here,
    `insert into jsonld_contexts (id, tenant_id, url, sha256, document, source)
     values (gen_random_uuid(), $1, 'https://example.edu/context', $2, $3, 'registered')`,
    ...[tenantId, sha256, document],
  )
  await inTenant(here.dependencies.database.tenants, tenantId, async (em) => {
    await em.execute(
      `update authentication_providers set auth_method = 'client_secret_basic', client_secret = ? where tenant_id = ?`,
      [randomBytes(48), tenantId],
    )
    await em.execute(
      `insert into credential_holders (tenant_id, holder_id, credential_id)
       select u.tenant_id, u.id, ? from openid_users u where u.tenant_id = ? limit 1`,
      [sample.credentialId, tenantId],
    )
  })
}
