import test from 'ava'
import { createDid } from '../../../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../../../support/credentials/mobile.ts'
import { openAuthority } from '../../../support/openid/certificates.ts'
import { DOC_TYPE, NAMESPACE, openMdoc, wallet } from '../../../support/openid/presenting.ts'
import {
  createTemplate,
  createVerifier,
  createVerifierClient,
  openRelyingParty,
  sameDeviceLink,
} from '../../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../../support/world.ts'

// one test for each module of oid4vp-1final-verifier-test-plan for mdocs (docs/conformance-openid.md)

let world: World
let party: Awaited<ReturnType<typeof openRelyingParty>>
let mdoc: Awaited<ReturnType<typeof openMdoc>>
test.before(async () => {
  world = await openWorld()
  await makeIaca(world)
  await makeSigner(world, { active: true })
  const did = await createDid(world, 'p256')
  const claims = [{ path: [NAMESPACE, 'family_name'] }]
  const query = [{ type: 'DCQL', credentialQuery: [{ format: 'mso_mdoc', meta: { doctype_value: DOC_TYPE }, claims }] }]
  const verifier = await createVerifier(world, {
    verifier_did: did,
    certificate_chain: await (await openAuthority()).certify(did),
    presentation_template_id: await createTemplate(world, query),
    claim_mappings: [{ json_ld_fqn: `${NAMESPACE}/family_name`, oidc_claim: 'family_name' }],
  })
  party = await openRelyingParty(verifier, await createVerifierClient(world, verifier.id))
  mdoc = await openMdoc(world)
})
test.after.always(() => world?.close())

async function asked() {
  const begun = await party.begin()
  const link = sameDeviceLink(begun.page)
  return { begun, link, request: await wallet.readRequest(link) }
}

test('oid4vp-1final-verifier-happy-flow: the request has what the wallet needs and no more, and its answer signs in', async (t) => {
  const { begun, request } = await asked()
  t.deepEqual(Object.keys(request).sort(), [
    ...['aud', 'client_id', 'client_metadata', 'dcql_query', 'exp', 'iat', 'nonce', 'response_mode', 'response_type'],
    'response_uri',
  ])
  t.like(request, { aud: 'https://self-issued.me/v2', response_type: 'vp_token', response_mode: 'direct_post' })
  t.regex(request.client_id, /^x509_hash:[\w-]{43}$/)
  t.regex(request.nonce, /^[\w-]{22,43}$/)
  t.deepEqual(Object.keys(request.client_metadata ?? {}), ['vp_formats_supported'])
  const { status, body } = await wallet.answer(request, await mdoc.present(request, ['family_name']))
  t.deepEqual([status, Object.keys(body)], [200, ['redirect_uri']])
  const tokens = await party.grant(await party.back(begun, String(body.redirect_uri)), begun)
  t.is(tokens.claims()?.family_name, 'Lovelace')
})

test('oid4vp-1final-verifier-request-uri-method-post: a link offers it only where the verifier says so', async (t) => {
  const { link } = await asked()
  t.deepEqual([...new URL(link).searchParams.keys()].sort(), ['client_id', 'request_uri'])
})

test('oid4vp-1final-verifier-request-uri-fetched-twice: the second time it is the same request', async (t) => {
  const { begun, link, request } = await asked()
  const again = await wallet.readRequest(link)
  t.deepEqual([again.nonce, again.response_uri], [request.nonce, request.response_uri])
  const { body } = await wallet.answer(again, await mdoc.present(again, ['family_name']))
  t.truthy((await party.back(begun, String(body.redirect_uri))).searchParams.get('code'))
})

test('oid4vp-1final-verifier-invalid-session-transcript: a device that signed another session is refused', async (t) => {
  const { begun, request } = await asked()
  const vpToken = await mdoc.present({ ...request, nonce: `${request.nonce}x` }, ['family_name'])
  const { status, body } = await wallet.answer(request, vpToken)
  t.deepEqual([status, body.error], [400, 'invalid_request'])
  t.regex(String(body.error_description), /Device/)
  t.is((await begun.browser.open(`${begun.page.url}/done`)).status, 400, 'nobody is signed in')
})
