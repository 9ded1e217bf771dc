import test from 'ava'
import { digestOf } from '../../../activities/frame/secrets.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import {
  DOC_TYPE,
  NAMESPACE,
  openMdoc,
  post,
  presentJsonLd,
  type WalletRequest,
  wallet,
} from '../../support/openid/presenting.ts'
import { openSignIns, type SignIns } from '../../support/openid/signing-in.ts'
import {
  courseQuery,
  createTemplate,
  createVerifier,
  createVerifierClient,
  openRelyingParty,
  qrLink,
  REDIRECT,
  sameDeviceLink,
} from '../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let at: SignIns
test.before(async () => {
  world = await openWorld()
  at = await openSignIns(world)
})
test.after.always(() => world?.close())

test('a presentation for one request answers no other one: of another sign-in, or of the other device', async (t) => {
  const holder = makeHolder()
  const { credential } = await at.credentialFor(holder)
  const [first, second] = [await at.asked(), await at.asked()]
  const vpToken = await presentJsonLd(holder, credential, first.request)
  const answered = (to: WalletRequest, token = vpToken) => post(to.response_uri, { vp_token: JSON.stringify(token) })
  const replayed = await answered(second.request)
  t.is(replayed.status, 400)
  t.regex(replayed.text, /challenge/)
  const same = await wallet.readRequest(sameDeviceLink(first.begun.page))
  t.not(same.nonce, first.request.nonce)
  t.is((await answered(same)).status, 400)
  const elsewhere = await holder.present([credential], { challenge: second.request.nonce, domain: 'another.example' })
  t.regex((await answered(second.request, { credential_0: [elsewhere] })).text, /domain/)
  t.is((await answered(first.request)).status, 200)
  t.is((await answered(first.request)).status, 200, 'the same answer again has the same result (D-1108)')
  const other = await presentJsonLd(holder, credential, first.request)
  t.is((await answered(first.request, other)).status, 400, 'another one comes too late')
  t.is((await answered(same)).status, 400, 'nor by the other device then')
  t.is((await fetch(first.request.response_uri.replace('answers', 'requests'))).status, 400)
})

test('a person is not signed in by a revoked, a foreign, or somebody else’s credential; five failures end it', async (t) => {
  const { begun, request } = await at.asked()
  const holder = makeHolder()
  const answer = async (credential: unknown, by = holder) =>
    wallet.answer(request, await presentJsonLd(by, credential, request))
  const revoked = await at.credentialFor(holder, at.issuer, true)
  const path = `/v1/credentials/web-semantic/${revoked.id}/revocation-status`
  await world.ask(path, { token: world.token, body: { is_revoked: true } })
  const foreign = await at.credentialFor(holder, await createDid(world))
  const { credential } = await at.credentialFor(holder)
  const changed = { ...credential, credentialSubject: { id: holder.did, course: 'CS-999' } }
  const cases: [unknown, RegExp, ReturnType<typeof makeHolder>?][] = [
    [revoked.credential, /credentialStatus: Revoked/],
    [foreign.credential, /query/],
    [credential, /holderBinding/, makeHolder()],
    [changed, /credentialProof/],
    [{ ...credential, proof: undefined }, /credential/],
  ]
  for (const [presented, reason, by] of cases) {
    const { status, body } = await answer(presented, by)
    t.is(status, 400)
    t.is(body.error, 'invalid_request')
    t.regex(String(body.error_description), reason)
  }
  t.is((await answer(credential)).status, 400, 'the sign-in is over')
  const page = await begun.browser.open(begun.page.url)
  t.regex(page.text, /You are not signed in/)
  const back = await begun.browser.open(`${begun.page.url}/cancel`, {})
  const end = await begun.browser.follow(back.location ?? '', REDIRECT)
  t.is(new URL(end.location ?? '').searchParams.get('error'), 'access_denied')
  const { rows } = await world.dependencies.systemSql.query<{ metadata: string }>({
    text: `select metadata::text from logs where type = 'OIDC_VERIFIER_AUTH_FAIL'`,
    values: [],
  })
  const logged = rows.map(({ metadata }) => metadata).join()
  t.regex(logged, /"reason":"credentialStatus"/)
  t.false(logged.includes(holder.did), 'the log names nobody')
})

test('of answers that come all at once in a sign-in ten are verified (D-1062)', async (t) => {
  const { request } = await at.asked()
  const wrong = { vp_token: JSON.stringify({ credential_0: ['e30.e30.e30~'] }) }
  const replies = await Promise.all(Array.from({ length: 40 }, () => post(request.response_uri, wrong)))
  t.deepEqual([...new Set(replies.map(({ status }) => status))], [400])
  const { rows } = await world.dependencies.systemSql.query<{ attempts: number; failures: number; state: string }>({
    text: 'select attempts, failures, state from oidc_sign_ins where $1 in (other_device_digest, same_device_digest)',
    values: [digestOf(new URL(request.response_uri).pathname.split('/').at(-1) ?? '')],
  })
  t.true((rows[0]?.attempts ?? 0) <= 10, JSON.stringify(rows))
  t.like(rows[0], { failures: 5, state: 'REFUSED' })
})

test('a sign-in that its person cancels takes no answer any more, and is logged', async (t) => {
  const { begun, request } = await at.asked()
  const holder = makeHolder()
  const answer = await presentJsonLd(holder, (await at.credentialFor(holder)).credential, request)
  t.is((await begun.browser.open(`${begun.page.url}/cancel`, {})).status, 303)
  t.is((await wallet.answer(request, answer)).status, 400)
  const { rows } = await world.dependencies.systemSql.query<{ count: number }>({
    text: `select count(*)::int from logs where type = 'OIDC_VERIFIER_AUTH_FAIL' and metadata ->> 'code' = 'sign_in.cancelled'`,
    values: [],
  })
  t.is(rows[0]?.count, 1)
})

test('two people do not sign in together: all credentials are of one holder', async (t) => {
  const [query] = courseQuery()
  const both = [{ ...query, credentialQuery: [...(query?.credentialQuery ?? []), ...(query?.credentialQuery ?? [])] }]
  const verifier = await createVerifier(world, { presentation_template_id: await createTemplate(world, both) })
  const party = await openRelyingParty(verifier, await createVerifierClient(world, verifier.id))
  const request = await wallet.readRequest(qrLink((await party.begin()).page))
  const [one, other] = [makeHolder(), makeHolder()]
  const presented = async (by: typeof one) => {
    const { credential } = await at.credentialFor(by)
    return [await by.present([credential], { challenge: request.nonce, domain: request.client_id })]
  }
  const { status, body } = await wallet.answer(request, {
    credential_0: await presented(one),
    credential_1: await presented(other),
  })
  t.is(status, 400)
  t.regex(String(body.error_description), /different holders/)
  const alone = { credential_0: await presented(one), credential_1: await presented(one) }
  t.is((await wallet.answer(request, alone)).status, 200)
})

test('an answer that is huge, deep or no answer is refused, and nothing is a fault of the server', async (t) => {
  const { request } = await at.asked()
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
  const bodies: [string, number][] = [
    ['', 400],
    ['vp_token=', 400],
    ['vp_token=x', 400],
    ['vp_token=null', 400],
    ['vp_token=1', 400],
    ['vp_token=[]', 400],
    ['vp_token={}', 400],
    ['vp_token={"credential_0":[]}', 400],
    ['vp_token={"credential_0":[{}]}', 400],
    ['vp_token={"credential_0":["text"]}', 400],
    ['vp_token={"credential_0":[{},{}]}', 400],
    ['vp_token={"credential_0":[{"__proto__":{}}]}', 400],
    ['vp_token={"other":[{}]}', 400],
    ['vp_token={"__proto__":[{}]}', 400],
    ['vp_token={"credential_0":[{}],"credential_0":[{}]}', 400],
    [`vp_token=${deep}`, 400],
    [`vp_token={"credential_0":[{"a":${deep}}]}`, 400],
    ['vp_token={}&vp_token={}', 400],
    ['vp_token={}&error=access_denied', 400],
    ['vp_token=%ff%fe', 400],
    [`vp_token=${'x'.repeat(2_000_000)}`, 413],
    [Array.from({ length: 50 }, (_, nth) => `p${nth}=1`).join('&'), 400],
  ]
  for (const [body, status] of bodies) {
    const { request: fresh } = await at.asked()
    const reply = await fetch(fresh.response_uri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
    t.is(reply.status, status, body.slice(0, 60))
    t.is(((await reply.json()) as Record<string, string>).error, 'invalid_request')
  }
  const json = await fetch(request.response_uri, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  t.is(json.status, 400)
  const unable = await post(request.response_uri, { error: 'wallet_unavailable' })
  t.is(unable.status, 200, 'another wallet may do')
  t.is((await post(request.response_uri, { error: 'access_denied' })).status, 200, 'a wallet may decline')
  t.is((await post(request.response_uri, { error: 'access_denied' })).status, 400)
})

test('a mobile credential is accepted from its own device alone, with the elements that were asked for', async (t) => {
  await makeIaca(world)
  await makeSigner(world, { active: true })
  const claims = [{ path: [NAMESPACE, 'family_name'] }, { path: [NAMESPACE, 'age_over_18'], values: [true] }]
  const credentialQuery = [{ format: 'mso_mdoc', meta: { doctype_value: DOC_TYPE }, claims }]
  const mobile = await createVerifier(world, {
    presentation_template_id: await createTemplate(world, [{ type: 'DCQL', credentialQuery }]),
    claim_mappings: [],
  })
  const relying = await openRelyingParty(mobile, await createVerifierClient(world, mobile.id))
  const begun = await relying.begin()
  const request = await wallet.readRequest(qrLink(begun.page))
  const mdoc = await openMdoc(world)
  const names = ['family_name', 'age_over_18']
  const cases: [Record<string, unknown[]>, RegExp][] = [
    [mdoc.copy(request), /Device/],
    [await mdoc.present({ ...request, nonce: 'another' }, names), /Device/],
    [await mdoc.present({ ...request, client_id: 'another' }, names), /Device/],
    [await mdoc.present(request, ['family_name']), /does not disclose age_over_18/],
  ]
  for (const [vpToken, reason] of cases) {
    const { status, body } = await wallet.answer(request, vpToken)
    t.is(status, 400)
    t.regex(String(body.error_description), reason)
  }
  t.is((await wallet.answer(request, await mdoc.present(request, names))).status, 200)
})
