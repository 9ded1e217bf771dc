import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { createSessionScopes } from '../../activities/administration/accounts/standing.ts'
import { createTokens } from '../../activities/tokens-logs/tokens.ts'
import { factsOf, OPERATIONS } from '../../protocol/operations.ts'
import { ALL_SCOPES, type Scope } from '../../protocol/tokens-logs/index.ts'
import { refusal } from '../support/credentials/templates.ts'
import { EXAMPLES } from '../support/frame/examples/index.ts'
import { makeSample, type Sample } from '../support/frame/examples/sample.ts'
import { bodySchema, fill, operations, synthesize } from '../support/frame/openapi.ts'
import { addClient } from '../support/frame/tenants.ts'
import { type Ask, type Client, openWorld, type Reply, type World } from '../support/world.ts'

/** Public files: they belong to no tenant's log, for nobody asked in its name. */
const PUBLISHED = [
  'getTokenKeySet',
  'getWebhookKeySet',
  'getLinkedDIDs',
  'getDIDConfiguration',
  'getPublishedStatusList',
  'getSignedPresentationRequest',
  'getPublishedIacas',
  'getPublishedIacaCertificate',
  'getPublishedIacaCertificatePem',
  'getPublishedIacaCrl',
  'getCompactRevocationLists',
  'getCompactRevocationList',
  'getMobileStatusList',
  'getSdJwtTypeMetadata',
  'getJwtVcIssuerMetadata',
  'receiveMessage',
  'getAttestationChallenge',
  'getCredentialNonce',
  'getCredentialIssuerMetadata',
  'getAuthorizationServerMetadata',
  'openIdCredentialMetadata',
  'getEcosystemIssuer',
  'getEcosystemPolicy',
  'getEcosystemVerifier',
  'getBlogCategory',
  'getBlogPost',
  'getHelpArticle',
  'getHelpArticles',
  'getLegalPolicy',
  'getLegalPolicyVersion',
  'listBlogCategories',
  'listBlogPosts',
  'listLegalPolicies',
  'listLegalPolicyVersions',
]

/** Written apart from the controllers, so that a scope that changes there fails here. `public`: no token is asked for. */
const SCOPE_OF: Record<string, Scope | 'public'> = {
  ...Object.fromEntries(PUBLISHED.map((id) => [id, 'public' as const])),
  ...Object.fromEntries(Object.keys(OPERATIONS).map((id) => [id, factsOf(id)?.scope ?? 'public'])),
}

interface Asked {
  name: string
  scope: Scope
  path(sample: Sample): string
  ask(sample: Sample): Ask
}

/** What a token is asked for: the operations of the document, and the one beside it. */
const asked: Asked[] = [
  ...operations.flatMap((operation): Asked[] => {
    const scope = SCOPE_OF[operation.operationId]
    if (scope === undefined || scope === 'public') return []
    const { operationId: name, method, path } = operation
    return [
      {
        name,
        scope,
        path: (sample) => fill(path, EXAMPLES[name]?.path?.(sample) ?? {}),
        ask: (sample) => ({
          method,
          ...(operation.requestBody && { body: EXAMPLES[name]?.body?.(sample) ?? synthesize(bodySchema(operation)) }),
        }),
      },
    ]
  }),
  {
    name: 'GET /1.0/identifiers/{did}',
    scope: 'dids:read',
    path: ({ did }) => `/1.0/identifiers/${did}`,
    ask: () => ({ method: 'GET' }),
  },
]

let world: World
let sample: Sample
/** A client that holds every scope, of operators too. */
let client: Client
test.before(async () => {
  // VC_API lets callers in who bring no token: those who bring one need its scope all the same
  world = await openWorld({ env: { VC_API: 'true', RATE_LIMIT_PER_MINUTE: '1000000' } })
  sample = await makeSample(world, world.first)
  client = await addClient(world.dependencies.systemSql, { tenantId: world.first.tenantId, scopes: ALL_SCOPES })
})
test.after.always(() => world?.close())

const tokens = new Map<string, string>()
const tokenWith = async (scopes: readonly Scope[]): Promise<string> => {
  const scope = scopes.join(' ')
  const token = tokens.get(scope) ?? (await world.tokenOf(client, scope))
  tokens.set(scope, token)
  return token
}

/** Of the sample's person, for operations on own accounts. */
async function personTokenWith(scope: Scope): Promise<string> {
  const session = {
    accountId: sample.person.id,
    sessionId: String(decodeJwt(sample.personToken).sid),
    tenantId: world.first.tenantId,
  }
  const dependencies = { ...world.dependencies, sessionScopes: createSessionScopes(world.dependencies) }
  return (await createTokens(dependencies).issueSessionToken({ ...session, scopes: [scope] })).accessToken
}

const request = ({ path, ask }: Asked, token: string): Promise<Reply> =>
  world.ask(path(sample), { ...ask(sample), token, headers: { 'idempotency-key': randomUUID() } })

/** All rows but those of the log, which records refusals, of limits, of the clock, and the tries of starts without a Temporal. */
async function everything(): Promise<Record<string, string>> {
  const sql = world.dependencies.systemSql
  const tables = await sql.query<{ name: string }>({
    text: `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname not in ('logs', 'log_pending', 'rate_limits', 'platform_epoch', 'outbox') and has_table_privilege(oid, 'select') order by 1`,
    values: [],
  })
  const digests: Record<string, string> = {}
  for (const { name } of tables.rows) {
    const { rows } = await sql.query<{ digest: string }>({
      text: `select count(*) || ' ' || coalesce(md5(string_agg(r::text, e'\\n' order by r::text)), '') as digest from ${name} r`,
      values: [],
    })
    digests[name] = rows[0]?.digest ?? ''
  }
  const started = await sql.query<{ ids: string }>({
    text: `select coalesce(string_agg(workflow_id, ' ' order by workflow_id), '') as ids from outbox`,
    values: [],
  })
  return { ...digests, outbox: started.rows[0]?.ids ?? '' }
}

test('the table of scopes names every operation of the document, and says what the document says', (t) => {
  for (const { operationId, security = [] } of operations) {
    const scopes = security.flatMap((each) => Object.values(each).flat())
    t.deepEqual(scopes.length > 0 ? scopes : ['public'], [SCOPE_OF[operationId]], operationId)
  }
  t.deepEqual(Object.keys(SCOPE_OF).sort(), operations.map(({ operationId }) => operationId).sort())
})

test.serial(
  'a token without the scope of an operation is 403 and changes nothing, whatever else it may do',
  async (t) => {
    const before = await everything()
    t.true(Object.keys(before).length > 15)
    const admitted: string[] = []
    for (const each of asked) {
      // an operator's scope permits with organizations what a person's does (D-631)
      const same = [each.scope, each.scope.replace('accounts:', 'platform:')]
      const others = ALL_SCOPES.filter((scope) => !same.includes(scope))
      for (const scopes of [others, ...others.map((scope) => [scope])]) {
        const reply = await request(each, await tokenWith(scopes))
        const code = refusal(reply, 403)
        if (code !== 'token.insufficient_scope') admitted.push(`${each.name} with ${scopes.join(' ')}: ${code}`)
        else if (!reply.headers.get('www-authenticate')?.endsWith(`error="insufficient_scope", scope="${each.scope}"`))
          admitted.push(`${each.name}: ${reply.headers.get('www-authenticate')}`)
      }
    }
    t.deepEqual(admitted, [])
    t.deepEqual(await everything(), before)
  },
)

test.serial('the scope of an operation alone is enough for it', async (t) => {
  const refused: string[] = []
  // what is deleted is asked for last
  const deletions = asked.filter(({ ask }) => ask(sample).method === 'DELETE')
  for (const each of [...asked.filter((one) => !deletions.includes(one)), ...deletions]) {
    const token = each.scope.startsWith('accounts:') ? await personTokenWith(each.scope) : await tokenWith([each.scope])
    const { status, text } = await request(each, token)
    if (status === 401 || status === 403 || status >= 500) refused.push(`${each.name}: ${status} ${text}`)
  }
  t.deepEqual(refused, [])
})
