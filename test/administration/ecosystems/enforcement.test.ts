import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { freePort } from '../../../stack/parts/ports.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { FORMATS, makeIssuer, type TestFormat } from '../../support/ecosystems.formats.ts'
import { newEcosystem, operatorToken } from '../../support/ecosystems.ts'
import { createEntry } from '../../support/parts/processes.ts'
import { type Ask, openWorld, type Reply, send, type World } from '../../support/world.ts'

let world: World
let operator: string
/** Another API process on the same database, which hears of no change but by looking. */
let other: ReturnType<typeof createEntry>
let otherUrl: string
test.before(async () => {
  world = await openWorld()
  operator = await operatorToken(world)
  const port = await freePort()
  otherUrl = `http://localhost:${port}`
  const { config } = world
  const env = {
    PATH: process.env.PATH,
    PUBLIC_URL: world.url,
    HOST: 'localhost',
    PORT: String(port),
    OPERATOR_PORT: String(await freePort()),
    API_PROCESSES: '1',
    DATABASE_URL: config.database.url,
    DATABASE_TIMEOUT_MS: '20000',
    TEMPORAL_ADDRESS: config.temporal.address,
    KEY_STORE_MASTER_KEY: Buffer.from(config.masterKey).toString('base64'),
    LOG_LEVEL: 'fatal',
  }
  other = createEntry('another API', 'api/server.ts', env, `${otherUrl}/health/live`)
  await other.start()
})
test.after.always(async () => {
  await other?.kill()
  await world?.close()
})

const elsewhere = () => ({
  token: world.token,
  ask: (path: string, question: Ask = {}) => send(`${otherUrl}${path}`, question),
})

const WITHIN_MS = 1_000

/** What a refusal says: status, code, and of the first error the rule. */
const refusalOf = (reply: Reply) => {
  if (reply.status === 200) return 'signed'
  const { type, errors = [] } = reply.json<{ type: string; errors?: { path: string; code: string }[] }>()
  return [reply.status, type.replace('/problems#', ''), errors[0]?.path, errors[0]?.code]
}

/** An ecosystem with a tenant in it, whose issuer and verifier are one participant. */
async function bound(format: TestFormat, more: object = {}) {
  const client = await world.addTenant()
  const issuer = await makeIssuer(world, await world.tokenOf(client))
  const ecosystem = await newEcosystem(world, operator)
  const identifiers = format.identifiers(issuer)
  const { id: participantId } = await ecosystem.participant({ identifiers, ...more })
  const sign = (type = format.type, by: Pick<World, 'ask' | 'token'> = world) => format.sign(by, issuer, type)
  return { client, issuer, ecosystem, identifiers, participantId, sign }
}

const typeFields: Record<string, string> = { mobile: 'payload.docType', 'sd-jwt-vc': 'payload.vct' }
const typeField = (profile: string) => typeFields[profile] ?? 'payload.type'
const issuerField: Record<string, string> = {
  'web-semantic': 'payload.issuer.id',
  compact: 'payload.iss',
  'compact-semantic': 'payload.issuer.id',
  mobile: 'documentSignerId',
  'sd-jwt-vc': 'issuer_did',
}

for (const [profile, format] of Object.entries(FORMATS)) {
  const REFUSED = [403, 'ecosystem.issuer_not_allowed', typeField(profile), 'issuer_constrained']

  test(`${profile}: a constrained issuer is refused, allowed after createEcosystemIssuer, refused again after delete, within a second in every process (issue 14, must show 4)`, async (t) => {
    const { client, ecosystem, participantId, sign } = await bound(format, { isIssuerConstrained: true })
    const credential = await ecosystem.credential({ profile, type: format.type })
    for (const by of [world, elsewhere()]) t.is(refusalOf(await sign(format.type, by)), 'signed', 'it is bound to none')
    await ecosystem.bind(client.tenantId, participantId)
    t.deepEqual(refusalOf(await sign()), REFUSED, 'the process that made the change sees it at once')
    for (const change of ['allow', 'take', 'allow', 'take'] as const) {
      const expected = change === 'allow' ? 'signed' : REFUSED
      // looks are remembered everywhere
      for (const by of [world, elsewhere()]) await sign(format.type, by)
      await ecosystem[change]('issuer', participantId, credential.id)
      t.deepEqual(refusalOf(await sign()), expected)
      await wait(WITHIN_MS)
      t.deepEqual(refusalOf(await sign(format.type, elsewhere())), expected, `${change} in the other process`)
    }
    await ecosystem.unbind(client.tenantId)
    t.is(refusalOf(await sign()), 'signed')
  })

  test(`${profile}: an issuer signs as a participant that is one, with types of its profile alone`, async (t) => {
    const { client, ecosystem, identifiers, participantId, sign } = await bound(format)
    await ecosystem.bind(client.tenantId, participantId)
    t.is(refusalOf(await sign()), 'signed', 'an unconstrained issuer signs all types')
    await ecosystem.update(participantId, { identifiers, isIssuer: false })
    t.deepEqual(refusalOf(await sign()), [403, 'ecosystem.issuer_not_allowed', issuerField[profile], 'not_an_issuer'])
    await ecosystem.update(participantId, { identifiers: {} })
    t.deepEqual(refusalOf(await sign()), [403, 'ecosystem.issuer_not_allowed', issuerField[profile], 'issuer_unknown'])
    await ecosystem.update(participantId, { identifiers, isIssuerConstrained: true })
    const elsewhereProfile = profile === 'compact' ? 'web-semantic' : 'compact'
    const wrong = await ecosystem.credential({ profile: elsewhereProfile, type: format.type })
    await ecosystem.allow('issuer', participantId, wrong.id)
    t.deepEqual(refusalOf(await sign()), REFUSED, 'the same type in another profile is another credential')
    const right = await ecosystem.credential({ profile, type: format.type })
    await ecosystem.allow('issuer', participantId, right.id)
    t.is(refusalOf(await sign()), 'signed')
    t.deepEqual(refusalOf(await sign(format.otherType)), REFUSED)
    if (profile.endsWith('semantic'))
      t.deepEqual(refusalOf(await sign(`${format.type} ${format.otherType}`)), REFUSED, 'each type must be allowed')
  })

  test(`${profile}: a verdict names the issuer that is not allowed and the verifier that is not, and follows the policy`, async (t) => {
    const { client, issuer, ecosystem, identifiers, participantId, sign } = await bound(format)
    const signed = format.credentialIn(await sign())
    const reasons = (by: Pick<World, 'ask' | 'token'> = world) => format.reasons(by, issuer.token, signed)
    // of two reasons compact verdicts name the first
    const both = profile.startsWith('compact') ? ['IssuerNotAllowed'] : ['IssuerNotAllowed', 'VerifierNotAllowed']
    t.deepEqual(await reasons(), [], 'a tenant that is bound to none verifies all')
    await ecosystem.bind(client.tenantId, participantId)
    t.deepEqual(await reasons(), [])
    t.deepEqual(await reasons(elsewhere()), [])
    await ecosystem.bind(client.tenantId, null)
    t.deepEqual(await reasons(), ['VerifierNotAllowed'], 'it verifies as nobody')
    await ecosystem.update(participantId, { identifiers: {} })
    t.deepEqual(await reasons(), both)
    await ecosystem.bind(client.tenantId, participantId)
    t.deepEqual(await reasons(), ['IssuerNotAllowed'])
    await wait(WITHIN_MS)
    t.deepEqual(await reasons(elsewhere()), ['IssuerNotAllowed'])
    await ecosystem.update(participantId, { identifiers, isVerifier: false })
    t.deepEqual(await reasons(), ['VerifierNotAllowed'])
    await ecosystem.update(participantId, { identifiers, isVerifierConstrained: true })
    t.deepEqual(await reasons(), ['VerifierNotAllowed'])
    const credential = await ecosystem.credential({ profile, type: format.type })
    await ecosystem.allow('verifier', participantId, credential.id)
    t.deepEqual(await reasons(), [])
    await ecosystem.update(participantId, { identifiers, isIssuerConstrained: true })
    t.deepEqual(await reasons(), ['IssuerNotAllowed'])
    await ecosystem.allow('issuer', participantId, credential.id)
    t.deepEqual(await reasons(), [])
  })
}

test('the policy of one tenant is not that of another, nor that of another ecosystem', async (t) => {
  const format = FORMATS['web-semantic']
  if (!format) return t.fail()
  const [one, two] = [await bound(format, { isIssuerConstrained: true }), await bound(format)]
  await one.ecosystem.bind(one.client.tenantId, one.participantId)
  await two.ecosystem.bind(two.client.tenantId, two.participantId)
  t.is((await one.sign()).status, 403)
  t.is((await two.sign()).status, 200)
  t.is(
    (await format.sign(world, await makeIssuer(world, await world.tokenOf(await world.addTenant())), format.type))
      .status,
    200,
  )
})

test('a credential of a stranger fails before anything is fetched for it', async (t) => {
  const { client, issuer, ecosystem, participantId } = await bound(FORMATS['web-semantic'] ?? t.fail())
  await ecosystem.bind(client.tenantId, participantId)
  const stranger = {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    type: ['VerifiableCredential'],
    issuer: 'did:web:stranger.example',
    credentialSubject: { id: 'did:example:a' },
    proof: { type: 'DataIntegrityProof' },
  }
  for (const changed of [
    {},
    { issuer: 5 },
    { issuer: null },
    { type: { a: 1 } },
    { type: 7 },
    { issuer: { id: ['x'] } },
  ]) {
    const reply = await world.ask('/v1/credentials/web-semantic/verify', {
      token: issuer.token,
      body: { payload: { ...stranger, ...changed } },
    })
    t.is(reply.status, 200, reply.text)
    t.like(reply.json<{ reason: { type: string }[] }>().reason[0], { type: 'IssuerNotAllowed' })
  }
})

test('a DID that a tenant has made since is no issuer until an operator names it', async (t) => {
  const { client, issuer, ecosystem, participantId } = await bound(FORMATS['web-semantic'] ?? t.fail())
  await ecosystem.bind(client.tenantId, participantId)
  const did = await createDid(world, 'ed25519', issuer.token)
  const sign = () => FORMATS['web-semantic']?.sign(world, { ...issuer, did }, 'DiplomaCredential')
  t.is((await sign())?.status, 403)
  await ecosystem.participant({ identifiers: { webSemantic: did } })
  t.is((await sign())?.status, 200)
})

test('a tenant that is bound to none costs one look for all tenants in half a second at most', async (t) => {
  const { createPolicyGate } = await import('../../../activities/administration/ecosystems/gate.ts')
  let [queries, elapsed] = [0, 0]
  const { systemSql } = world.dependencies
  const counted = {
    query: (query: Parameters<typeof systemSql.query>[0]) => {
      queries += 1
      return systemSql.query(query)
    },
  } as typeof systemSql
  const gate = createPolicyGate({ systemSql: counted, elapsedMs: () => elapsed })
  const ask = (tenantId: string) =>
    gate.reasonsAgainst(tenantId, { format: 'semantic', issuer: 'did:example:a', types: ['A'] })
  t.deepEqual(await ask(world.first.tenantId), [])
  const first = queries
  for (let nth = 0; nth < 1_000; nth += 1) await ask(`${nth}`)
  t.is(queries, first, 'nobody looks again at once')
  elapsed += 250
  await Promise.all(Array.from({ length: 100 }, (_, nth) => ask(`${nth}`)))
  t.is(queries, first + 1, 'one looks beside the others')
  elapsed += 600
  await Promise.all(Array.from({ length: 100 }, (_, nth) => ask(`${nth}`)))
  t.true(queries <= first + 3)
})

test('where nobody can look, nothing is allowed on what was known before', async (t) => {
  const { createPolicyGate } = await import('../../../activities/administration/ecosystems/gate.ts')
  let [isAway, elapsed] = [false, 0]
  const { systemSql } = world.dependencies
  const away = {
    query: (query: Parameters<typeof systemSql.query>[0]) =>
      isAway ? Promise.reject(new Error('the database is away')) : systemSql.query(query),
  } as typeof systemSql
  const gate = createPolicyGate({ systemSql: away, elapsedMs: () => elapsed })
  const ask = () =>
    gate.assertMayIssue(
      world.first.tenantId,
      { format: 'semantic', issuer: 'did:example:a', types: ['A'] },
      { issuer: 'issuer', type: 'type' },
    )
  await ask()
  isAway = true
  elapsed += 300
  await t.notThrowsAsync(ask(), 'what is of half a second ago still holds')
  elapsed += 300
  await t.throwsAsync(ask(), { message: 'the database is away' })
  isAway = false
  await t.notThrowsAsync(ask())
})
