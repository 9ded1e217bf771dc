import test from 'ava'
import type { JWK } from 'jose'
import { createSealer } from '../../../activities/frame/sealing.ts'
import { inTenant } from '../../../entities/orm.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { openSdJwt } from '../../support/openid/presenting.sd-jwt.ts'
import { encrypted, keyOf, post, type WalletRequest, wallet } from '../../support/openid/presenting.ts'
import { identityQuery, requestsOf } from '../../support/openid/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let issuer: string
let requests: ReturnType<typeof requestsOf>
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'p256', world.token, true)
  requests = requestsOf(world, await createDid(world, 'ed25519'))
})
test.after.always(() => world?.close())

const FRAME = { given_name: true }
const CLEAR = { responseMode: 'direct_post' }

async function asked(body: object = {}) {
  const created = await requests.create(body)
  return { created, request: await wallet.readRequest(created.uri) }
}

const answerOf = (vpToken: object, key: JWK, header: object = {}) => encrypted({ vp_token: vpToken }, key, header)

test('an answer to one request answers no other one, and none twice', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const [first, second] = [await asked(CLEAR), await asked(CLEAR)]
  const vpToken = await held.present(first.request, FRAME)
  const { status, body } = await wallet.answer(second.request, vpToken)
  t.deepEqual([status, body.error], [400, 'invalid_request'])
  t.regex(String(body.error_description), /KeyBinding/)
  t.is((await requests.read(second.created.id)).failureCode, 'openid_presentation.refused')
  const together = await Promise.all(Array.from({ length: 10 }, () => wallet.answer(first.request, vpToken)))
  t.true(together.some((each) => each.status === 200))
  t.is((await wallet.answer(first.request, await held.present(first.request, FRAME))).status, 400, 'one counts')
  t.like(await requests.read(first.created.id), { state: 'VERIFIED', failures: 0 })
})

test('a presentation that is not what was asked for is refused with its check, and kept without what it says', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const other = await openSdJwt(world, { issuer_did: issuer }, { vct: 'https://credentials.example/other' })
  const revoked = await openSdJwt(world, { issuer_did: issuer })
  const path = `/v1/credentials/sd-jwt-vc/${revoked.id}/revocation-status`
  t.is((await world.ask(path, { token: world.token, body: { is_revoked: true } })).status, 200)
  const { created, request } = await asked(CLEAR)
  const one = async (presentation: Promise<string>) => ({ identity: [await presentation] })
  const cases: [Record<string, unknown[]>, RegExp][] = [
    [await one(held.presentation({ ...request, client_id: 'x509_hash:another' }, FRAME)), /KeyBinding/],
    [await one(held.unbound(FRAME)), /KeyBinding/],
    [await one(revoked.presentation(request, FRAME)), /Status/],
    [await one(held.presentation(request, { family_name: true })), /query: .*given_name/],
    [await one(other.presentation(request, FRAME)), /query: .*vct/],
  ]
  for (const [at, [vpToken, reason]] of cases.entries()) {
    const { status, body } = await wallet.answer(request, vpToken)
    t.is(status, 400, String(at))
    t.regex(String(body.error_description), reason)
    const read = await requests.read(created.id)
    t.is(read.failures, at + 1)
    t.false(
      read.credentials.some((each) => 'claims' in each || 'holder' in each),
      'nothing of a person is kept',
    )
    t.true(read.credentials.some(({ checks }) => checks.some(({ result }) => result === 'failed')))
  }
  t.is((await wallet.answer(request, await held.present(request, FRAME))).status, 400, 'five failures end it')
  t.like(await requests.read(created.id), { state: 'REFUSED', failureCode: 'openid_presentation.refused' })
})

test('an encrypted answer is to the key of its request, by the algorithms of the request', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const stranger = await asked()
  const forms: ((request: WalletRequest, vpToken: object) => Promise<Record<string, string>>)[] = [
    async (_, vpToken) => ({ vp_token: JSON.stringify(vpToken) }),
    async (_, vpToken) => ({ response: await answerOf(vpToken, keyOf(stranger.request)) }),
    async (request, vpToken) => ({
      response: await answerOf(vpToken, keyOf(stranger.request), { kid: keyOf(request).kid }),
    }),
    async (request, vpToken) => ({ response: await answerOf(vpToken, keyOf(request), { alg: 'ECDH-ES+A128KW' }) }),
    async (request, vpToken) => ({ response: await answerOf(vpToken, keyOf(request), { enc: 'A128CBC-HS256' }) }),
    async () => ({ response: 'e30.e30.e30.e30.e30' }),
    async () => ({ response: 'x' }),
  ]
  for (const [at, formOf] of forms.entries()) {
    const { created, request } = await asked()
    const vpToken = await held.present(request, FRAME)
    const { status, text } = await post(request.response_uri, await formOf(request, vpToken))
    t.is(status, 400, `${at} ${text}`)
    t.is((JSON.parse(text) as { error: string }).error, 'invalid_request')
    t.is((await requests.read(created.id)).failureCode, 'openid_presentation.answer_malformed')
    for (const enc of at === 0 ? ['A128GCM'] : []) {
      const response = await answerOf(vpToken, keyOf(request), { enc })
      t.is((await post(request.response_uri, { response })).status, 200, enc)
    }
  }
})

test('the key of an answer is gone when its request has ended', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const { created, request } = await asked()
  const sealer = createSealer(world.config.masterKey, 'openid-presentations')
  const content = async () => {
    const { rows } = await world.dependencies.systemSql.query<{ tenant: string; content: Buffer }>({
      text: 'select tenant_id as tenant, content from openid_presentations where id = $1',
      values: [created.id],
    })
    const [row] = rows
    if (!row) throw new Error('no row')
    return sealer.open(row.content, `${row.tenant}/openid/presentations/${created.id}`).toString()
  }
  t.regex(await content(), /"d":/)
  t.is((await wallet.answer(request, await held.present(request, FRAME))).status, 200)
  t.notRegex(await content(), /"d":/)
})

/** JSON in base64url, whose header JavaScript cannot convert to text. */
const unreadable = Buffer.from('{"alg":{"toString":1},"typ":"kb+jwt"}').toString('base64url')

test('an answer that is huge, deep or no answer is refused, and nothing is a fault of the server', async (t) => {
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
  const bodies: [string, number][] = [
    ['', 400],
    ['vp_token=x', 400],
    ['vp_token=[]', 400],
    ['vp_token={}', 400],
    ['vp_token={"identity":[]}', 400],
    ['vp_token={"identity":"text"}', 400],
    ['vp_token={"identity":[1]}', 400],
    ['vp_token={"identity":["a","b"]}', 400],
    ['vp_token={"identity":["~"]}', 400],
    ['vp_token={"identity":["a.b.c~"]}', 400],
    ['vp_token={"identity":["e30.e30.e30~e30~e30.e30.e30"]}', 400],
    [`vp_token={"identity":["${unreadable}.e30.e30~"]}`, 400],
    [`vp_token={"identity":["e30.e30.e30~${unreadable}.e30.e30"]}`, 400],
    ['vp_token={"another":["a"]}', 400],
    ['vp_token={"identity":["a"],"another":["a"]}', 400],
    ['vp_token={"__proto__":["a"]}', 400],
    [`vp_token=${deep}`, 400],
    ['vp_token={}&response=x', 400],
    ['response=x', 400],
    [`vp_token=${'x'.repeat(2_000_000)}`, 413],
  ]
  for (const [body, status] of bodies) {
    const { request } = await asked(CLEAR)
    const reply = await fetch(request.response_uri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
    t.is(reply.status, status, body.slice(0, 60))
    t.is(((await reply.json()) as Record<string, string>).error, 'invalid_request')
  }
})

test('a wallet may decline, which ends the request; one that nobody made, or that was deleted, takes nothing', async (t) => {
  const { created, request } = await asked(CLEAR)
  t.is((await post(request.response_uri, { error: 'access_denied' })).status, 200)
  t.like(await requests.read(created.id), { state: 'REFUSED', failureCode: 'openid_presentation.declined' })
  t.is((await post(request.response_uri, { error: 'access_denied' })).status, 400)
  const gone = await asked(CLEAR)
  await requests.remove(gone.created.id)
  t.is((await post(gone.request.response_uri, { error: 'access_denied' })).status, 400)
  const nobody = gone.request.response_uri.replace(/[^/]+$/, 'A'.repeat(43))
  t.is((await post(nobody, { error: 'access_denied' })).status, 400)
  t.is((await fetch(nobody.replace('answers', 'requests'))).status, 400)
})

test('a request that has expired takes no answer, and says so', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const { created, request } = await asked(CLEAR)
  await expire(created.id)
  t.is((await requests.read(created.id)).state, 'EXPIRED')
  t.is((await wallet.answer(request, await held.present(request, FRAME))).status, 400)
  for (const state of ['EXPIRED', 'FETCHED', 'PENDING']) {
    const { data } = (await world.ask(`/v1/openid4vp/requests?state=${state}`, { token: world.token })).json<{
      data: { id: string }[]
    }>()
    t.is(
      data.some(({ id }) => id === created.id),
      state === 'EXPIRED',
      state,
    )
  }
})

/** Puts the end of a request into the past. */
async function expire(id: string): Promise<void> {
  const { tenantId } = world.first
  await inTenant(world.dependencies.database.tenants, tenantId, (em) =>
    em.execute(`update openid_presentations set expires_at = now() - interval '1 minute' where id = '${id}'`),
  )
}

test('values and sets of a query hold: another value of a claim is refused', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const claims = [{ path: ['address', 'country'], values: ['NL'] }]
  const { request } = await asked({ ...CLEAR, dcqlQuery: identityQuery({ claims }) })
  const { status, body } = await wallet.answer(request, await held.present(request, { address: true }))
  t.is(status, 400)
  t.regex(String(body.error_description), /address\.country is another one/)
})
