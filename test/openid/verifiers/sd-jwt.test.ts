import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { openSdJwt, VCT } from '../../support/openid/presenting.sd-jwt.ts'
import { DOC_TYPE, NAMESPACE, openMdoc, type WalletRequest, wallet } from '../../support/openid/presenting.ts'
import { requestsOf } from '../../support/openid/requests.ts'
import {
  createTemplate,
  createVerifier,
  createVerifierClient,
  openRelyingParty,
  qrLink,
  VERIFIERS,
  verifierBody,
} from '../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'ed25519', world.token, true)
})
test.after.always(() => world?.close())

const CLAIMS = [{ path: ['given_name'] }, { path: ['address', 'country'], values: ['GB', 'NL'] }]
const FRAME = { given_name: true, address: true }

const identity = (more: object = {}) => ({
  format: 'dc+sd-jwt',
  meta: { vct_values: [VCT] },
  claims: CLAIMS,
  ...more,
})

const asking = (credentialQuery: object[]) => createTemplate(world, [{ type: 'DCQL', credentialQuery }])

const mapped = (...names: [string, string][]) => names.map(([json_ld_fqn, oidc_claim]) => ({ json_ld_fqn, oidc_claim }))

/** A verifier that asks for this, and its relying party. */
async function openParty(credentialQuery: object[], claim_mappings: object[] = [], more: object = {}) {
  const presentation_template_id = await asking(credentialQuery)
  const verifier = await createVerifier(world, { presentation_template_id, claim_mappings, ...more })
  const party = await openRelyingParty(verifier, await createVerifierClient(world, verifier.id))
  return {
    verifier,
    ...party,
    async asked() {
      const begun = await party.begin()
      return { begun, request: await wallet.readRequest(qrLink(begun.page)) }
    },
  }
}

test('dc+sd-jwt: a person signs in with an SD-JWT VC, and gets the claims of the mappings (OpenID4VP 1.0, appendix B.3)', async (t) => {
  const mappings = mapped(
    ['given_name', 'given_name'],
    ['address/country', 'country'],
    ['nationalities', 'nationalities'],
    ['https://claims.example/level', 'level'],
    ['address/none', 'none'],
    ['family_name', 'family_name'],
  )
  const claimsAsked = [...CLAIMS, { path: ['nationalities', null] }, { path: ['https://claims.example/level'] }]
  const party = await openParty([identity({ claims: claimsAsked })], mappings, { include_presentation: true })
  const held = await openSdJwt(world, { issuer_did: issuer }, { 'https://claims.example/level': 'high' })
  const frame = { ...FRAME, family_name: true, nationalities: true, 'https://claims.example/level': true }
  const signIn = async () => {
    const { begun, request } = await party.asked()
    const vpToken = await held.present(request, frame)
    t.deepEqual(await wallet.answer(request, vpToken), { status: 200, body: {} })
    const tokens = await party.grant(await party.back(begun, begun.page.url), begun)
    return { request, vpToken, claims: { ...tokens.claims() } }
  }
  const { request, vpToken, claims } = await signIn()
  t.deepEqual(request.dcql_query as unknown, {
    credentials: [{ id: 'credential_0', format: 'dc+sd-jwt', meta: { vct_values: [VCT] }, claims: claimsAsked }],
  })
  t.like(claims, { given_name: 'Ada', country: 'GB', level: 'high', vp_token: vpToken })
  t.deepEqual(claims.nationalities, ['GB', 'NL'])
  t.false('none' in claims, 'what the credential does not say is left out')
  t.false('family_name' in claims, 'what nobody asked for is not taken, though it is disclosed')
  t.is((await signIn()).claims.sub, claims.sub, 'one key is one person')
})

test('what is not the asked SD-JWT VC, of a trusted issuer and by its own holder, signs nobody in', async (t) => {
  const party = await openParty([identity({ trustedIssuer: [{ issuer, required: true }] })])
  const by = { issuer_did: issuer }
  const held = await openSdJwt(world, by)
  const thief = await openSdJwt(world, by)
  const other = await openSdJwt(world, by, { vct: 'https://credentials.example/other' })
  const abroad = await openSdJwt(world, by, { address: { country: 'FR' } })
  const foreign = await openSdJwt(world, { issuer_did: await createDid(world, 'p256') })
  const unbound = await openSdJwt(world, by, {}, false)
  const revoked = await openSdJwt(world, by)
  const path = `/v1/credentials/sd-jwt-vc/${revoked.id}/revocation-status`
  t.is((await world.ask(path, { token: world.token, body: { is_revoked: true } })).status, 200)
  const early = await openSdJwt(world, by, { nbf: Math.floor(Date.now() / 1000) + 3_600 })
  type Present = (request: WalletRequest) => Promise<string>
  const cases: [string, RegExp, Present][] = [
    [
      'a claim is not disclosed',
      /query: .*it does not disclose given_name/,
      (of) => held.presentation(of, { address: true }),
    ],
    [
      'a claim within a claim',
      /query: .*it does not disclose address\.country/,
      (of) => held.presentation(of, { given_name: true }),
    ],
    ['another value', /query: .*its address\.country is another one/, (of) => abroad.presentation(of, FRAME)],
    ['another type', /query: .*its vct is none of vct_values/, (of) => other.presentation(of, FRAME)],
    ['an issuer that is not trusted', /IssuerKey: .*trusted/, (of) => foreign.presentation(of, FRAME)],
    ['the nonce of another request', /KeyBinding/, (of) => held.presentation({ ...of, nonce: 'another' }, FRAME)],
    ['for another verifier', /KeyBinding/, (of) => held.presentation({ ...of, client_id: 'x509_hash:a' }, FRAME)],
    ['nobody signed it', /KeyBinding/, () => held.unbound(FRAME)],
    ['it names no key', /KeyBinding/, (of) => unbound.presentation(of, FRAME)],
    [
      'the binding of another key',
      /KeyBinding/,
      async (of) => {
        const [own, stolen] = [await thief.presentation(of, FRAME), await held.unbound(FRAME)]
        return `${stolen}${own.slice(own.lastIndexOf('~') + 1)}`
      },
    ],
    ['revoked', /Status/, (of) => revoked.presentation(of, FRAME)],
    ['not valid yet', /Validity/, (of) => early.presentation(of, FRAME)],
    ['no SD-JWT', /Syntax/, async () => 'e30.e30.e30'],
  ]
  for (const [what, reason, present] of cases) {
    const { begun, request } = await party.asked()
    const { status, body } = await wallet.answer(request, { credential_0: [await present(request)] })
    t.deepEqual([status, body.error], [400, 'invalid_request'], what)
    t.regex(String(body.error_description), reason, what)
    const page = await begun.browser.open(begun.page.url)
    t.regex(page.text, /The last credential was not accepted/, what)
    t.is((await begun.browser.open(`${begun.page.url}/done`)).status, 400, what)
  }
  const { rows } = await world.dependencies.systemSql.query<{ metadata: string }>({
    text: `select metadata::text from logs where type = 'OIDC_VERIFIER_AUTH_FAIL'`,
    values: [],
  })
  const logged = rows.map(({ metadata }) => metadata).join()
  for (const reason of ['query', 'IssuerKey', 'KeyBinding', 'Status']) t.true(logged.includes(`"${reason}"`), reason)
  t.notRegex(logged, /Ada|Lovelace|GB/, 'the log names nobody')
})

test('an SD-JWT VC and a mobile credential together: optional ones may be left out, and each keeps its place', async (t) => {
  await makeIaca(world)
  await makeSigner(world, { active: true })
  const licence = {
    format: 'mso_mdoc',
    meta: { doctype_value: DOC_TYPE },
    claims: [{ path: [NAMESPACE, 'family_name'] }],
  }
  const mappings = mapped(['given_name', 'given_name'], [`${NAMESPACE}/family_name`, 'family_name'])
  const party = await openParty([licence, identity({ required: false })], mappings)
  const held = await openSdJwt(world, { issuer_did: issuer })
  const mdoc = await openMdoc(world)
  const signedIn = async (tokenOf: (request: WalletRequest) => Promise<Record<string, unknown[]>>) => {
    const { begun, request } = await party.asked()
    t.deepEqual(
      request.dcql_query.credentials.map(({ id, format }) => [id, format]),
      [
        ['credential_0', 'mso_mdoc'],
        ['credential_1', 'dc+sd-jwt'],
      ],
    )
    const { status, body } = await wallet.answer(request, await tokenOf(request))
    t.is(status, 200, JSON.stringify(body))
    return (await party.grant(await party.back(begun, begun.page.url), begun)).claims()
  }
  const both = await signedIn(async (request) => ({
    ...(await mdoc.present(request, ['family_name'])),
    ...(await held.present(request, FRAME, 'credential_1')),
  }))
  t.like(both, { given_name: 'Ada', family_name: 'Lovelace' })
  const alone = await signedIn((request) => mdoc.present(request, ['family_name']))
  t.like(alone, { family_name: 'Lovelace' })
  t.false('given_name' in (alone ?? {}))
})

test('who leaves out an optional credential cannot state its claims by another one, nor change who signs in', async (t) => {
  const card = 'https://credentials.example/loyalty'
  const asked = [
    identity({ required: false, trustedIssuer: [{ issuer }] }),
    { format: 'dc+sd-jwt', meta: { vct_values: [card] }, claims: [{ path: ['points'] }, { path: ['given_name'] }] },
  ]
  const mappings = mapped(['given_name', 'given_name'], ['address/country', 'country'], ['points', 'points'])
  const party = await openParty(asked, mappings)
  const held = await openSdJwt(world, { issuer_did: issuer })
  const own = { issuer_did: await createDid(world, 'ed25519') }
  const loyalty = await openSdJwt(world, own, { vct: card, given_name: 'Mallory', points: 7 })
  const signedIn = async (more: (request: WalletRequest) => Promise<object>) => {
    const { begun, request } = await party.asked()
    const frame = { points: true, given_name: true, address: true }
    const token = { ...(await more(request)), ...(await loyalty.present(request, frame, 'credential_1')) }
    const { status, body } = await wallet.answer(request, token)
    t.is(status, 200, JSON.stringify(body))
    return { ...(await party.grant(await party.back(begun, begun.page.url), begun)).claims() } as Record<
      string,
      unknown
    >
  }
  const alone = await signedIn(async () => ({}))
  t.deepEqual([alone.given_name, alone.country, alone.points], [undefined, undefined, 7])
  const both = await signedIn((request) => held.present(request, FRAME, 'credential_0'))
  t.deepEqual([both.given_name, both.country, both.points], ['Ada', 'GB', 7])
  t.is(both.sub, alone.sub, 'the required credential says who it is')
})

test('a request of OpenID4VP by such a template trusts its issuers alone', async (t) => {
  const { create, read } = requestsOf(world, await createDid(world, 'p256'))
  const trusted = await openSdJwt(world, { issuer_did: issuer })
  const foreign = await openSdJwt(world, { issuer_did: await createDid(world, 'ed25519') })
  const presentationTemplateId = await asking([identity({ trustedIssuer: [{ issuer }] })])
  const { id, uri } = await create({ dcqlQuery: null, presentationTemplateId })
  const request = await wallet.readRequest(uri)
  t.is((await wallet.answer(request, await foreign.present(request, FRAME))).status, 400)
  t.like((await read(id)).credentials[0], {
    verified: false,
    reason: [{ type: 'IssuerKey', code: 'sd_jwt.issuer_not_trusted' }],
  })
  t.is((await wallet.answer(request, await trusted.present(request, FRAME))).status, 200)
  t.like((await read(id)).credentials[0], { verified: true, issuer, types: [VCT] })
})

test('a plain name of a claim is mapped where the template asks for SD-JWT VCs, and is refused elsewhere', async (t) => {
  const creating = async (presentation_template_id: string, name: string) => {
    const body = await verifierBody(world, { presentation_template_id, claim_mappings: mapped([name, 'name']) })
    const reply = await world.ask(VERIFIERS, { token: world.token, body })
    const { errors = [] } = reply.json<{ errors?: { path: string; code: string }[] }>()
    return [reply.status, ...errors.map(({ path, code }) => `${path} ${code}`)]
  }
  const fault = [400, 'claim_mappings.0.json_ld_fqn fqn']
  const template = await asking([identity()])
  for (const name of ['given_name', 'address/country', 'https://claims.example/level'])
    t.deepEqual(await creating(template, name), [201], name)
  for (const name of ['', 'given name', '__proto__', 'address/__proto__', 'x'.repeat(2_049)])
    t.deepEqual(await creating(template, name), fault, name)
  t.deepEqual(await creating(await createTemplate(world), 'given_name'), fault)
})
