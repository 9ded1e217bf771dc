import test from 'ava'
import { sign } from '../../support/credentials/credentials.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { openSdJwt } from '../../support/openid/presenting.sd-jwt.ts'
import { encrypted, keyOf, post, type WalletRequest, wallet } from '../../support/openid/presenting.ts'
import { identityQuery, openAsking, type requestsOf } from '../../support/openid/requests.ts'
import type { World } from '../../support/world.ts'

let world: World
let issuer: string
let requests: ReturnType<typeof requestsOf>
test.before(async () => {
  ;({ world, issuer, requests } = await openAsking('ed25519'))
})
test.after.always(() => world?.close())

const FRAME = { given_name: true }
const CLEAR = { responseMode: 'direct_post' }
const ORIGIN = 'https://shop.university.example'
const V2 = 'https://www.w3.org/ns/credentials/v2'
const VC = 'https://www.w3.org/2018/credentials#VerifiableCredential'
const [ADULT, NEWS] = ['https://terms.example/adult', 'https://terms.example/news']

async function asked(body: object = {}) {
  const created = await requests.create(body)
  return { created, request: await wallet.readRequest(created.uri) }
}

async function askedInBrowser(body: object = {}) {
  const { id, browserRequest } = await requests.create({
    ...{ responseMode: 'dc_api.jwt', expectedOrigins: [ORIGIN] },
    ...body,
  })
  return { id, request: await wallet.readBrowserRequest(browserRequest?.data ?? { request: '' }, ORIGIN) }
}

/** Asks for a credential of JSON-LD whose subject has a claim. */
const linkedQuery = (path: unknown[], value: unknown) => ({
  credentials: [{ id: 'one', format: 'ldp_vc', meta: { type_values: [[VC]] }, claims: [{ path, values: [value] }] }],
})

test('a holder cannot give a claim of JSON-LD the name of another one (D-1060)', async (t) => {
  const holder = makeHolder()
  const terms = { adult: ADULT, news: NEWS }
  const subject = { id: holder.did, adult: false, news: true }
  const { credential } = await sign(world, issuer, { more: { '@context': [V2, terms], credentialSubject: subject } })
  const renamed = {
    ...credential,
    '@context': [V2, { adult: NEWS, news: ADULT }],
    credentialSubject: { ...subject, adult: true, news: false },
  }
  const answer = async (presented: object, name: string, value: boolean, trusted: object) => {
    const { created, request } = await asked({ dcqlQuery: linkedQuery(['credentialSubject', name], value), ...trusted })
    const { nonce: challenge, client_id: domain } = request
    const { status } = await wallet.answer(request, { one: [await holder.present([presented], { challenge, domain })] })
    const [found] = (await requests.read(created.id)).credentials
    return { status, reasons: found?.reason ?? [] }
  }
  for (const trusted of [{}, { trustedContexts: [] }, { trustedContexts: [terms] }]) {
    const { status, reasons } = await answer(renamed, 'adult', true, trusted)
    t.is(status, 400, 'the proof holds for the renamed claims, too')
    t.true(
      reasons.some(({ message }) => /context/.test(message)),
      JSON.stringify(reasons),
    )
  }
  t.is((await answer(credential, 'news', true, {})).status, 400, 'its context is a stranger’s')
  t.is((await answer(credential, 'news', true, { trustedContexts: [terms] })).status, 200)
})

test('a query of JSON-LD has no index, transaction data of one key binding one algorithm, and a context its form', async (t) => {
  const entries = ['sha-256', 'sha-512'].map((algorithm) => ({
    ...{ type: 'pay', credential_ids: ['identity'], transaction_data_hashes_alg: [algorithm] },
  }))
  const cases: [object, string, string][] = [
    [{ dcqlQuery: linkedQuery(['a', 0], 'x') }, 'dcqlQuery.credentials.0.claims.0.path.1', 'step'],
    [{ transactionData: entries }, 'transactionData.1.transaction_data_hashes_alg', 'algorithm'],
    [{ trustedContexts: ['no URL'] }, 'trustedContexts.0', 'context'],
  ]
  for (const [body, path, code] of cases) {
    const reply = await requests.creating(body)
    t.is(reply.status, 400, reply.text)
    t.like(reply.json<{ errors: object[] }>().errors[0], { path, code })
  }
})

test('a claim about another subject of a credential of JSON-LD is none about the holder', async (t) => {
  const holder = makeHolder()
  const subjects = [
    { id: holder.did, course: 'CS-101' },
    { id: 'did:example:other', course: 'CS-202' },
  ]
  const { credential } = await sign(world, issuer, { more: { credentialSubject: subjects } })
  const trustedContexts = [{ course: 'https://schema.org/courseCode' }]
  for (const [course, status] of [
    ['CS-202', 400],
    ['CS-101', 200],
  ] as const) {
    const path = ['credentialSubject', null, 'course']
    const { request } = await asked({ dcqlQuery: linkedQuery(path, course), trustedContexts })
    const { nonce: challenge, client_id: domain } = request
    const reply = await wallet.answer(request, { one: [await holder.present([credential], { challenge, domain })] })
    t.is(reply.status, status, `${course} ${JSON.stringify(reply.body)}`)
  }
})

test('what a refused presentation of JSON-LD says of its holder is not kept', async (t) => {
  const [holder, other] = [makeHolder(), makeHolder()]
  const { credential } = await sign(world, issuer, { more: { credentialSubject: { id: other.did, course: 'CS-101' } } })
  const trustedContexts = [{ course: 'https://schema.org/courseCode' }]
  const { created, request } = await asked({
    ...{ dcqlQuery: linkedQuery(['credentialSubject', 'course'], 'CS-101'), trustedContexts },
  })
  const { nonce: challenge, client_id: domain } = request
  const reply = await wallet.answer(request, { one: [await holder.present([credential], { challenge, domain })] })
  t.is(reply.status, 400)
  const [found] = (await requests.read(created.id)).credentials
  t.true(found?.reason.some(({ type }) => type === 'holderBinding'))
  for (const did of [holder.did, other.did]) t.false(JSON.stringify(found).includes(did))
})

test('an index counts the elements that are not disclosed (D-1064)', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer, selectively: [['nationalities', null]] })
  const cases: [number, string, number][] = [
    [1, 'NL', 200],
    [0, 'NL', 400],
    [1, 'GB', 400],
  ]
  for (const [index, value, status] of cases) {
    const claims = [{ path: ['nationalities', index], values: [value] }]
    const { created, request } = await asked({ ...CLEAR, dcqlQuery: identityQuery({ claims }) })
    const reply = await wallet.answer(request, await held.present(request, { nationalities: { 1: true } }))
    t.is(reply.status, status, `${index} ${value} ${JSON.stringify(reply.body)}`)
    const [found] = (await requests.read(created.id)).credentials
    if (status === 200) t.deepEqual(found?.claims?.nationalities, ['NL'])
  }
})

test('only a wallet whose person declines ends a request (D-1061)', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const { created, request } = await asked(CLEAR)
  for (const error of ['wallet_unavailable', 'invalid_request', 'vp_formats_not_supported'])
    t.is((await post(request.response_uri, { error })).status, 200)
  t.like(await requests.read(created.id), { failures: 3, failureCode: 'openid_presentation.wallet_error' })
  t.is((await wallet.answer(request, await held.present(request, FRAME))).status, 200)
  t.is((await requests.read(created.id)).state, 'VERIFIED')
})

test('of answers that come all at once ten are verified (D-1062)', async (t) => {
  const { created, request } = await asked(CLEAR)
  const wrong = { vp_token: JSON.stringify({ identity: ['e30.e30.e30~'] }) }
  const replies = await Promise.all(Array.from({ length: 40 }, () => post(request.response_uri, wrong)))
  t.true(replies.every(({ status }) => status === 400))
  const { rows } = await world.dependencies.systemSql.query<{ attempts: number; failures: number }>({
    text: 'select attempts, failures from openid_presentations where id = $1',
    values: [created.id],
  })
  t.true((rows[0]?.attempts ?? 0) <= 10, JSON.stringify(rows))
  t.is(rows[0]?.failures, 5)
})

test('an accepted answer that its wallet sends again leads to the same place, until it is redeemed (D-1063)', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const created = await requests.create({ redirectUri: 'https://shop.university.example/done' })
  const request: WalletRequest = await wallet.readRequest(created.sameDeviceUri ?? '')
  const vp_token = await held.present(request, FRAME)
  const form = { response: await encrypted({ vp_token }, keyOf(request)) }
  const first = await post(request.response_uri, form)
  const again = await post(request.response_uri, form)
  t.deepEqual([first.status, again.status, again.text], [200, 200, first.text])
  const other = { response: await encrypted({ vp_token }, keyOf(request)) }
  t.is((await post(request.response_uri, other)).status, 400, 'another answer is none')
  const { redirect_uri } = JSON.parse(first.text) as { redirect_uri: string }
  const code = new URL(redirect_uri).searchParams.get('response_code') ?? ''
  t.is((await requests.redeem(created.id, code)).status, 200)
  t.is((await post(request.response_uri, form)).status, 400)
})

test('an answer of the browser has no state, and none is asked for (D-1065)', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const dcqlQuery = identityQuery({ require_cryptographic_holder_binding: false })
  const { id, request } = await askedInBrowser({ dcqlQuery })
  t.false('state' in request)
  const vp_token = { identity: [await held.unbound(FRAME)] }
  const reply = await requests.answer(id, ORIGIN, { response: await encrypted({ vp_token }, keyOf(request)) })
  t.is(reply.status, 200, reply.text)
})

test('an answer in clear is none to dc_api.jwt, whatever else it has', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const { id, request } = await askedInBrowser()
  const vp_token = await held.present({ ...request, client_id: `origin:${ORIGIN}` }, FRAME)
  const reply = await requests.answer(id, ORIGIN, { error: 'x', vp_token })
  t.is(reply.status, 400)
  t.regex(reply.text, /answer_malformed/)
})
