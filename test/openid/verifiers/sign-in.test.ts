import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import * as openid from 'openid-client'
import { inTenant } from '../../../entities/orm.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { DOC_TYPE, NAMESPACE, openMdoc, presentJsonLd, wallet } from '../../support/openid/presenting.ts'
import {
  createTemplate,
  createVerifier,
  createVerifierClient,
  openRelyingParty,
  qrLink,
  sameDeviceLink,
  VERIFIERS,
  type Verifier,
} from '../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let issuer: string
let verifier: Verifier
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'ed25519', world.token, true)
  await makeIaca(world)
  await makeSigner(world, { active: true })
  verifier = await createVerifier(world)
})
test.after.always(() => world?.close())

async function courseOf(holder = makeHolder(), course = 'CS-101') {
  const { credential } = await sign(world, issuer, { more: { credentialSubject: { id: holder.did, course } } })
  return { holder, credential }
}

const mdocQuery = (more: object = {}) => [
  {
    type: 'DCQL',
    credentialQuery: [
      {
        format: 'mso_mdoc',
        meta: { doctype_value: DOC_TYPE },
        claims: [{ path: [NAMESPACE, 'family_name'] }, { path: [NAMESPACE, 'age_over_18'] }],
        ...more,
      },
    ],
  },
]

test('ldp_vc: a person signs in with a wallet on another device (OpenID Connect Core 1.0, OpenID4VP 1.0)', async (t) => {
  const party = await openRelyingParty(verifier, await createVerifierClient(world, verifier.id))
  const begun = await party.begin()
  t.is(begun.page.status, 200, begun.page.text)
  const request = await wallet.readRequest(qrLink(begun.page))
  t.is(request.client_id, `decentralized_identifier:${verifier.verifierDid}`)
  const [asked] = request.dcql_query.credentials
  t.is(asked?.format, 'ldp_vc')
  t.deepEqual(asked?.meta, { type_values: [['https://www.w3.org/2018/credentials#VerifiableCredential']] })
  t.deepEqual(asked?.claims, [{ path: ['credentialSubject', 'course'] }])
  const { holder, credential } = await courseOf()
  t.deepEqual(await wallet.answer(request, await presentJsonLd(holder, credential, request)), { status: 200, body: {} })
  const back = await party.back(begun, begun.page.url)
  t.is(back.searchParams.get('iss'), verifier.issuer, 'RFC 9207')
  const tokens = await party.grant(back, begun)
  const claims = tokens.claims()
  t.is(claims?.course, 'CS-101')
  t.false('vp_token' in (claims ?? {}))
  t.regex(claims?.sub ?? '', /^[\w-]{43}$/)
  const info = await openid.fetchUserInfo(party.config, tokens.access_token, claims?.sub ?? '')
  t.like(info, { sub: claims?.sub, course: 'CS-101' })
  const again = await openid.refreshTokenGrant(party.config, tokens.refresh_token ?? '')
  t.is(again.claims()?.course, 'CS-101')
  t.not(again.refresh_token, tokens.refresh_token)
})

test('the same device: the wallet leads back with a response code, and polling does not go on without it', async (t) => {
  const party = await openRelyingParty(verifier, await createVerifierClient(world, verifier.id))
  const begun = await party.begin()
  const request = await wallet.readRequest(sameDeviceLink(begun.page))
  const { holder, credential } = await courseOf()
  const presentation = await presentJsonLd(holder, credential, request)
  const { status, body } = await wallet.answer(request, presentation)
  t.is(status, 200)
  const again = await wallet.answer(request, presentation)
  t.like(again, { status: 200, body: { redirect_uri: body.redirect_uri } }, 'where the first answer was lost (D-1108)')
  const state = await begun.browser.open(`${begun.page.url}/state`)
  t.deepEqual(JSON.parse(state.text), { state: 'returning', failures: 0 })
  for (const code of ['', '?response_code=', '?response_code=another'])
    t.is((await begun.browser.open(`${begun.page.url}/done${code}`)).status, 400, code)
  const tokens = await party.grant(await party.back(begun, String(body.redirect_uri)), begun)
  t.is(tokens.claims()?.course, 'CS-101')
})

test('two sign-ins begun in one browser both succeed, also where somebody had signed in there before', async (t) => {
  const parties = await Promise.all(
    [1, 2].map(async () => openRelyingParty(verifier, await createVerifierClient(world, verifier.id))),
  )
  let browser: Awaited<ReturnType<(typeof parties)[number]['begin']>>['browser'] | undefined
  for (const parameters of [{}, { prompt: 'login' }] as Record<string, string>[]) {
    const begun = []
    for (const party of parties) {
      const one = await party.begin(browser, parameters)
      browser = one.browser
      begun.push({ party, one })
    }
    for (const [at, { party, one }] of begun.entries()) {
      t.is(one.page.status, 200, one.page.text)
      const { holder, credential } = await courseOf(makeHolder(), `CS-${at}`)
      const request = await wallet.readRequest(qrLink(one.page))
      await wallet.answer(request, await presentJsonLd(holder, credential, request))
      const tokens = await party.grant(await party.back(one, one.page.url), one)
      t.is(tokens.claims()?.course, `CS-${at}`, JSON.stringify(parameters))
    }
  }
})

test('a sign-in whose time is over takes no answer, and signs in nobody who has answered', async (t) => {
  const own = await createVerifier(world)
  const party = await openRelyingParty(own, await createVerifierClient(world, own.id))
  const { holder, credential } = await courseOf()
  for (const answersFirst of [false, true]) {
    const begun = await party.begin()
    const request = await wallet.readRequest(qrLink(begun.page))
    const answer = async () => (await wallet.answer(request, await presentJsonLd(holder, credential, request))).status
    if (answersFirst) t.is(await answer(), 200)
    await inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
      em.execute(`update oidc_sign_ins set expires_at = now() - interval '1 second' where verifier_id = '${own.id}'`),
    )
    t.is(answersFirst ? (await begun.browser.open(`${begun.page.url}/done`)).status : await answer(), 400)
  }
})

test('claims are kept for as long as a client may ask, which no refresh token prolongs, and not longer', async (t) => {
  const { holder, credential } = await courseOf()
  for (const [grants, least, most] of [
    [['authorization_code'], 3_600, 2 * 3_600],
    [['authorization_code', 'refresh_token'], 14 * 86_400, 15 * 86_400],
  ] as const) {
    const own = await createVerifier(world)
    const party = await openRelyingParty(own, await createVerifierClient(world, own.id, { grantTypes: grants }))
    const execute = (text: string) =>
      inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
        em.execute<{ seconds: string }[]>(text, [own.id]),
      )
    const begun = await party.begin()
    const request = await wallet.readRequest(qrLink(begun.page))
    await wallet.answer(request, await presentJsonLd(holder, credential, request))
    const tokens = await party.grant(await party.back(begun, begun.page.url), begun)
    const kept = 'select extract(epoch from expires_at - now()) as seconds from oidc_sign_ins where verifier_id = ?'
    const [row] = await execute(kept)
    t.true(Number(row?.seconds) > least && Number(row?.seconds) < most, row?.seconds)
    const about = () => openid.fetchUserInfo(party.config, tokens.access_token, openid.skipSubjectCheck)
    t.is((await about()).course, 'CS-101')
    let refreshed = tokens.refresh_token
    t.is(refreshed !== undefined, grants.length > 1)
    if (refreshed !== undefined) {
      await setTimeout(3_000)
      refreshed = (await openid.refreshTokenGrant(party.config, refreshed)).refresh_token ?? ''
      const [ends] = await execute(
        `select extract(epoch from max(expires_at) - min(expires_at)) as seconds from oidc_payloads
        where verifier_id = ? and kind = 'RefreshToken'`,
      )
      t.true(Number(ends?.seconds) < 2, ends?.seconds)
    }
    await execute(`update oidc_sign_ins set expires_at = now() - interval '1 second' where verifier_id = ?`)
    await t.throwsAsync(about())
    if (refreshed !== undefined) await t.throwsAsync(openid.refreshTokenGrant(party.config, refreshed))
  }
})

test('mso_mdoc: a person signs in with a mobile credential, and gets the claims of its elements', async (t) => {
  const mobile = await createVerifier(world, {
    presentation_template_id: await createTemplate(world, mdocQuery()),
    claim_mappings: [{ json_ld_fqn: `${NAMESPACE}/family_name`, oidc_claim: 'family_name' }],
    include_presentation: true,
  })
  const more = { idTokenSignedResponseAlg: 'EdDSA', tokenEndpointAuthMethod: 'client_secret_post' }
  const registered = await createVerifierClient(world, mobile.id, more)
  const post = openid.ClientSecretPost(registered.secret)
  const party = await openRelyingParty(mobile, registered, post)
  const begun = await party.begin()
  const request = await wallet.readRequest(qrLink(begun.page))
  const mdoc = await openMdoc(world)
  const vpToken = await mdoc.present(request, ['family_name', 'age_over_18'])
  t.deepEqual(await wallet.answer(request, vpToken), { status: 200, body: {} })
  const tokens = await party.grant(await party.back(begun, begun.page.url), begun)
  t.like(tokens.claims() ?? {}, { family_name: 'Lovelace', vp_token: vpToken })
})

test('getOpenIdConfiguration answers JSON in the casing of the specification, for a code and for a refresh token', async (t) => {
  const more = { tokenEndpointAuthMethod: 'client_secret_post' }
  const registered = await createVerifierClient(world, verifier.id, more)
  const party = await openRelyingParty(verifier, registered, openid.ClientSecretPost(registered.secret))
  const begun = await party.begin()
  const request = await wallet.readRequest(qrLink(begun.page))
  const { holder, credential } = await courseOf()
  await wallet.answer(request, await presentJsonLd(holder, credential, request))
  const back = await party.back(begun, begun.page.url)
  const ask = (body: object) => world.ask(`${VERIFIERS}/${verifier.id}/token`, { body })
  const client = { clientId: registered.id, clientSecret: registered.secret, redirectUri: party.redirectUri }
  const { pkceCodeVerifier: codeVerifier } = begun.checks
  const first = await ask({
    ...client,
    code: back.searchParams.get('code'),
    codeVerifier,
    grantType: 'authorization_code',
  })
  t.is(first.status, 200, first.text)
  const names = ['accessToken', 'expiresIn', 'idToken', 'refreshToken', 'scope', 'tokenType']
  t.deepEqual(Object.keys(first.json()).sort(), names)
  t.is(first.headers.get('cache-control'), 'no-store')
  const { refreshToken } = first.json<Record<string, string>>()
  const second = await ask({ ...client, refreshToken, grantType: 'refresh_token' })
  t.is(second.status, 200, second.text)
  t.deepEqual(Object.keys(second.json()).sort(), names)
})

test('one person has one sub at a verifier, and another one at another verifier; max_age and prompt are heeded', async (t) => {
  const party = await openRelyingParty(verifier, await createVerifierClient(world, verifier.id))
  const { holder, credential } = await courseOf()
  const signIn = async (of: typeof party, browser?: Parameters<typeof party.begin>[0], parameters = {}) => {
    const begun = await of.begin(browser, parameters)
    if (begun.page.location === undefined) {
      const request = await wallet.readRequest(qrLink(begun.page))
      await wallet.answer(request, await presentJsonLd(holder, credential, request))
    }
    const back = begun.page.location ? new URL(begun.page.location) : await of.back(begun, begun.page.url)
    return { begun, back, tokens: await of.grant(back, begun) }
  }
  const first = await signIn(party)
  const { browser } = first.begun
  const silent = await signIn(party, browser, { prompt: 'none' })
  t.is(silent.begun.page.status, 303, 'the session of the browser is enough')
  t.is(silent.tokens.claims()?.sub, first.tokens.claims()?.sub)
  const asked = await party.begin(browser, { prompt: 'login' })
  t.is(asked.page.status, 200, 'a client may ask for a new presentation')
  const none = await party.begin(undefined, { prompt: 'none' })
  t.is(new URL(none.page.location ?? '').searchParams.get('error'), 'login_required')
  const other = await createVerifier(world)
  const elsewhere = await signIn(await openRelyingParty(other, await createVerifierClient(world, other.id)))
  t.not(elsewhere.tokens.claims()?.sub, first.tokens.claims()?.sub)
  const somebody = await courseOf(makeHolder(), 'CS-202')
  const request = await wallet.readRequest(qrLink(asked.page))
  await wallet.answer(request, await presentJsonLd(somebody.holder, somebody.credential, request))
  const changed = await party.grant(await party.back(asked, asked.page.url), asked)
  t.is(changed.claims()?.course, 'CS-202', 'another person in the same browser')
  t.not(changed.claims()?.sub, first.tokens.claims()?.sub)
})
