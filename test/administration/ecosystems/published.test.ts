import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createEcosystemChanges } from '../../../activities/administration/ecosystems/changes.ts'
import { asSystem } from '../../../entities/orm.ts'
import { isUnmodified } from '../../../protocol/etag.ts'
import {
  ECOSYSTEMS,
  newDid,
  newEcosystem,
  operatorToken,
  type PolicyAnswer,
  type TestEcosystem,
} from '../../support/ecosystems.ts'
import { type RawClient, rawClient } from '../../support/parts/raw.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let raw: RawClient
let token: string
test.before(async () => {
  world = await openWorld()
  raw = rawClient(world.url)
  token = await operatorToken(world)
})
test.after.always(async () => {
  raw?.close()
  await world?.close()
})

const KINDS = ['issuers', 'verifiers', 'policy'] as const
/** Without `Cache-Control: no-cache`, which fetch adds to conditional requests. */
async function read(id: string, what: string, headers: Record<string, string> = {}) {
  const { headers: told, ...reply } = await raw.ask({ path: `${ECOSYSTEMS}/${id}/${what}`, headers })
  const pairs = Object.entries(told).map(([name, value]): [string, string] => [name, String(value)])
  return { ...reply, headers: new Headers(pairs), json: <T>() => JSON.parse(reply.text) as T }
}

test('anybody reads who may issue and verify what; issuers and verifiers hold the role (specification, Policy)', async (t) => {
  const ecosystem = await newEcosystem(world, token)
  const issuer = await ecosystem.participant({ isVerifier: false, isIssuerConstrained: true })
  const verifier = await ecosystem.participant({ isIssuer: false })
  const none = await ecosystem.participant({ isIssuer: false, isVerifier: false })
  const credential = await ecosystem.credential()
  await ecosystem.allow('issuer', issuer.id, credential.id)
  const of = async (what: string) => (await read(ecosystem.id, what)).json<PolicyAnswer>()
  const shown = (each: object, issues: string[] = []) => ({
    ...each,
    isIssuerAllowedCredentials: issues,
    isVerifierAllowedCredentials: [],
  })
  const [issuers, verifiers, policy] = [await of('issuers'), await of('verifiers'), await of('policy')]
  t.deepEqual(issuers.participants, [shown(issuer, [credential.id])])
  t.deepEqual(verifiers.participants, [shown(verifier)])
  t.deepEqual(policy.participants, [shown(issuer, [credential.id]), shown(verifier), shown(none)])
  for (const each of [issuers, verifiers, policy]) {
    t.deepEqual(each.credentials, [credential])
    t.is(each.policyModifiedAt, policy.policyModifiedAt)
  }
  for (const what of KINDS) {
    const missing = await read(randomUUID(), what)
    t.like(missing.json(), { status: 404, type: '/problems#ecosystem.not_found' })
    const { headers } = await read(ecosystem.id, what)
    t.is(headers.get('access-control-allow-origin'), '*')
    t.regex(
      headers.get('access-control-expose-headers') ?? '',
      /\bETag\b/,
      'scripts may read it (Fetch standard, CORS protocol)',
    )
  }
})

/** Each change that the policy shows. */
const CHANGES: Record<
  string,
  (ecosystem: TestEcosystem, ids: { participant: string; credential: string }) => Promise<unknown>
> = {
  'a new participant': (ecosystem) => ecosystem.participant(),
  'a changed participant': (ecosystem, { participant }) => ecosystem.update(participant, { isIssuerConstrained: true }),
  'a new credential': (ecosystem) => ecosystem.credential(),
  'an allowance of an issuer': (ecosystem, { participant, credential }) =>
    ecosystem.allow('issuer', participant, credential),
  'an allowance of a verifier': (ecosystem, { participant, credential }) =>
    ecosystem.allow('verifier', participant, credential),
  'a deleted participant': (ecosystem, { participant }) => ecosystem.ask(`/participants/${participant}`, 'DELETE'),
  'a deleted credential': (ecosystem, { credential }) => ecosystem.ask(`/credentials/${credential}`, 'DELETE'),
}

for (const [change, make] of Object.entries(CHANGES))
  test(`policyModifiedAt and the tag move with ${change}`, async (t) => {
    const ecosystem = await newEcosystem(world, token)
    const participant = (await ecosystem.participant({ identifiers: { webSemantic: newDid() } })).id
    const credential = (await ecosystem.credential()).id
    const before = await read(ecosystem.id, 'policy')
    const etag = before.headers.get('etag') ?? ''
    t.is((await read(ecosystem.id, 'policy', { 'if-none-match': etag })).status, 304)
    await make(ecosystem, { participant, credential })
    const after = await read(ecosystem.id, 'policy', { 'if-none-match': etag })
    t.is(after.status, 200)
    t.true(after.json<PolicyAnswer>().policyModifiedAt > before.json<PolicyAnswer>().policyModifiedAt)
  })

for (const what of KINDS)
  test(`${what}: 304 for the version that the caller has, by tag and by time (api.md 1.9; RFC 9110, section 13.2.2)`, async (t) => {
    const ecosystem = await newEcosystem(world, token)
    const reply = await read(ecosystem.id, what)
    const { etag = '', 'last-modified': lastModified = '' } = Object.fromEntries(reply.headers)
    const modified = new Date(reply.json<PolicyAnswer>().policyModifiedAt)
    t.is(lastModified, modified.toUTCString())
    t.regex(etag, /^"[\w-]+"$/)
    const status = async (headers: Record<string, string>) => (await read(ecosystem.id, what, headers)).status
    t.is(await status({ 'if-none-match': etag }), 304)
    t.is(await status({ 'if-none-match': etag, 'cache-control': 'no-cache' }), 304, 'nothing else decides')
    t.is(await status({ 'if-none-match': `"other", W/${etag}` }), 304)
    t.is(await status({ 'if-none-match': '"other"' }), 200)
    t.is(await status({ 'if-modified-since': lastModified }), 304)
    t.is(await status({ 'if-modified-since': new Date(modified.getTime() - 1_000).toUTCString() }), 200)
    t.is(await status({ 'if-none-match': '"other"', 'if-modified-since': lastModified }), 200, 'the tag goes first')
    for (const bad of ['yesterday', modified.toISOString(), 'Mon', 'x'.repeat(5_000), ''])
      t.is(await status({ 'if-modified-since': bad }), 200, bad.slice(0, 30))
    const known = await read(ecosystem.id, what, { 'if-none-match': etag })
    t.is(known.text, '')
    t.is(known.headers.get('etag'), etag)
    t.is(known.headers.get('cache-control'), 'public, no-cache')
  })

test('a date names no version of a second in which two were made', (t) => {
  const at = new Date('2027-01-01T00:00:10.500Z')
  const before = (text: string) => ({ at, before: new Date(text) })
  const date = 'Fri, 01 Jan 2027 00:00:10 GMT'
  t.true(isUnmodified(date, { at }))
  t.true(isUnmodified(date, before('2027-01-01T00:00:09.999Z')))
  t.false(isUnmodified(date, before('2027-01-01T00:00:10.400Z')))
  t.true(isUnmodified('Fri, 01 Jan 2027 00:00:11 GMT', before('2027-01-01T00:00:10.400Z')))
  t.false(isUnmodified('Fri, 01 Jan 2027 00:00:09 GMT', { at }))
  for (const form of ['Friday, 01-Jan-27 00:00:10 GMT', 'Fri Jan  1 00:00:10 2027'])
    t.true(isUnmodified(form, { at }), form)
})

test('of changes at one moment, and of one by a clock that goes back, each is later than the one before', async (t) => {
  const ecosystem = await newEcosystem(world, token)
  const { database, now } = world.dependencies
  const modified = async () => (await ecosystem.policy()).policyModifiedAt
  const at = new Date(Date.parse(await modified()) + 60_000)
  const moved = async (clock: Date) => {
    const changes = createEcosystemChanges({ operations: {} as never, now: () => clock, forget: () => undefined })
    await asSystem(database.system, (em) => changes.movePolicy(em, ecosystem.id))
    return Date.parse(await modified()) - at.getTime()
  }
  t.deepEqual(
    [await moved(at), await moved(at), await moved(now()), await moved(new Date(at.getTime() + 5))],
    [0, 1, 2, 5],
  )
})

test('two changes of one second are told apart by time as well', async (t) => {
  const ecosystem = await newEcosystem(world, token)
  for (let tries = 0; tries < 20; tries += 1) {
    await ecosystem.credential()
    const first = await read(ecosystem.id, 'policy')
    await ecosystem.credential()
    const since = { 'if-modified-since': first.headers.get('last-modified') ?? '' }
    const second = await read(ecosystem.id, 'policy', since)
    t.is(second.status, 200)
    if (second.headers.get('last-modified') === first.headers.get('last-modified')) return t.pass()
  }
  t.fail('no two changes were made in one second')
})
