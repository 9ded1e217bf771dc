import { createPrivateKey, randomUUID, sign as signBytes } from 'node:crypto'
import test from 'ava'
import { calculateJwkThumbprint } from 'jose'
import { createPlatform } from '../../../activities/index.ts'
import { createRequestExpiry } from '../../../activities/openid/presentations/expiry.ts'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { type CborMap, decodeCbor, encodeCbor } from '../../../protocol/cose/cbor.ts'
import { addKeyBinding } from '../../../protocol/sd-jwt-credentials/key-binding.ts'
import { createDid, payload, sign } from '../../support/credentials/credentials.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { type Json, vcApi, vcApiSettings } from '../../support/credentials/vc-api.ts'
import { asSdJwt } from '../../support/enveloped/credentials.ts'
import { type IssuedSdJwt, keyPair } from '../../support/enveloped/sd-jwt.ts'
import { openAuthority } from '../../support/openid/certificates.ts'
import { openSdJwt, VCT } from '../../support/openid/presenting.sd-jwt.ts'
import { DOC_TYPE, NAMESPACE, openMdoc, wallet } from '../../support/openid/presenting.ts'
import { identityQuery, openAsking, REQUESTS, requestsOf } from '../../support/openid/requests.ts'
import { createTemplate, createVerifier } from '../../support/openid/verifiers.ts'
import type { World } from '../../support/world.ts'

let world: World
let issuer: string
let requests: ReturnType<typeof requestsOf>
test.before(async () => {
  ;({ world, issuer, requests } = await openAsking('ed25519'))
})
test.after.always(() => world?.close())

const FRAME = { given_name: true }

test('a foreign wallet presents an SD-JWT VC, encrypted, and the client reads every check (OpenID4VP 1.0)', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const created = await requests.create()
  t.like(created, { state: 'PENDING', sameDeviceUri: null })
  t.regex(created.qrCode, /^data:image\/png;base64,/)
  const request = await wallet.readRequest(created.uri)
  t.like(request, { response_mode: 'direct_post.jwt', client_id: created.clientId })
  t.is((await requests.read(created.id)).state, 'FETCHED')
  t.deepEqual(await wallet.answer(request, await held.present(request, FRAME)), { status: 200, body: {} })
  const read = await requests.read(created.id)
  t.like(read, { state: 'VERIFIED', failures: 0, failureCode: null, needsResponseCode: false })
  const [credential] = read.credentials
  t.like(credential, { id: 'identity', format: 'dc+sd-jwt', verified: true, issuer, types: [VCT], reason: [] })
  t.is(credential?.claims?.given_name, 'Ada')
  t.false('family_name' in (credential?.claims ?? {}), 'the wallet did not disclose it')
  const results = new Map(credential?.checks.map(({ name, result }) => [name, result]))
  for (const name of ['Signature', 'KeyBinding', 'Status', 'query']) t.is(results.get(name), 'passed', name)
  t.is(results.get('Policy'), 'passed')
})

test('a foreign wallet presents a mobile credential, encrypted (OpenID4VP 1.0, appendix B.2.6)', async (t) => {
  const mdoc = await openMdoc(world)
  const claims = [{ path: [NAMESPACE, 'family_name'] }, { path: [NAMESPACE, 'age_over_18'], values: [true] }]
  const credentials = [{ id: 'licence', format: 'mso_mdoc', meta: { doctype_value: DOC_TYPE }, claims }]
  const created = await requests.create({ dcqlQuery: { credentials } })
  const request = await wallet.readRequest(created.uri)
  const names = ['family_name', 'age_over_18']
  const replayed = await mdoc.present({ ...request, client_metadata: {} }, names)
  t.is((await wallet.answer(request, replayed)).status, 400, 'the key of the answer is part of the session')
  const vpToken = await mdoc.present(request, names)
  const top = decodeCbor(Buffer.from(String(vpToken.licence?.[0]), 'base64url'), {
    code: 'x',
    maxBytes: 1e6,
  }) as CborMap
  const [document] = top.get('documents') as CborMap[]
  const twice = encodeCbor(new Map([...top, ['documents', [document ?? null, document ?? null]]]))
  const more = await wallet.answer(request, { licence: [Buffer.from(twice).toString('base64url')] })
  t.regex(String(more.body.error_description), /not exactly one document/)
  t.is((await wallet.answer(request, vpToken)).status, 200)
  const [credential] = (await requests.read(created.id)).credentials
  t.like(credential, { verified: true, types: [DOC_TYPE] })
  t.like(credential?.claims, { [NAMESPACE]: { family_name: 'Lovelace', age_over_18: true } })
  t.deepEqual(credential?.checks.find(({ name }) => name === 'Device')?.result, 'passed')
})

test('a credential of JSON-LD is presented by its types and claims, or as a template asks for it', async (t) => {
  const holder = makeHolder()
  const { credential } = await sign(world, issuer, {
    more: { credentialSubject: { id: holder.did, course: 'CS-101' } },
  })
  const meta = { type_values: [['https://www.w3.org/2018/credentials#VerifiableCredential']] }
  const claims = [{ path: ['credentialSubject', 'course'], values: ['CS-101'] }]
  const trustedContexts = [{ course: 'https://schema.org/courseCode' }]
  const cases: [object, string][] = [
    [{ dcqlQuery: { credentials: [{ id: 'course', format: 'ldp_vc', meta, claims }] }, trustedContexts }, 'course'],
    [{ dcqlQuery: null, presentationTemplateId: await createTemplate(world) }, 'credential_0'],
  ]
  for (const [body, id] of cases) {
    const created = await requests.create(body)
    const request = await wallet.readRequest(created.uri)
    const { nonce: challenge, client_id: domain } = request
    const { credential: second } = await sign(world, issuer, {
      more: { credentialSubject: { id: holder.did, course: 'CS-101' } },
    })
    const both = { [id]: [await holder.present([credential, second], { challenge, domain })] }
    const refused = await wallet.answer(request, both)
    t.regex(String(refused.body.error_description), /not exactly one credential/)
    const vpToken = { [id]: [await holder.present([credential], { challenge, domain })] }
    t.is((await wallet.answer(request, vpToken)).status, 200)
    const [presented] = (await requests.read(created.id)).credentials
    t.like(presented, { id, verified: true, holder: holder.did, issuer })
    t.true(presented?.checks.some(({ name, result }) => name === 'holderBinding' && result === 'passed'))
  }
})

test('a vc+sd-jwt in a W3C presentation is bound to nonce and client id of the request (D-839)', async (t) => {
  await vcApiSettings(world, true)
  const [holder, { jwk, privateJwk }] = [await createDid(world), keyPair()]
  const body = {
    payload: payload(issuer, { credentialSubject: { course: 'CS-101' } }),
    ...{ proofType: 'vc+sd-jwt', revocable: false, holderKey: jwk },
  }
  const issued = await world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })
  const { encoded } = issued.json<IssuedSdJwt>()
  const meta = { type_values: [['https://www.w3.org/2018/credentials#VerifiableCredential']] }
  const created = await requests.create({
    dcqlQuery: { credentials: [{ id: 'course', format: 'ldp_vc', meta }] },
    trustedContexts: [{ course: 'https://schema.org/courseCode' }],
  })
  const request = await wallet.readRequest(created.uri)
  const { nonce: challenge, client_id: domain } = request
  const key = createPrivateKey({ key: privateJwk, format: 'jwk' })
  const answer = async (audience: string) => {
    const terms = { alg: 'ES256', nonce: challenge, audience, issuedAt: new Date(), algorithm: 'sha-256' } as const
    const bound = await addKeyBinding(encoded, terms, async (data) =>
      signBytes('sha256', data, { key, dsaEncoding: 'ieee-p1363' }),
    )
    const presentation = {
      '@context': [CONTEXT.credentialsV2],
      type: ['VerifiablePresentation'],
      ...{ holder, verifiableCredential: [asSdJwt(bound)] },
    }
    const options = { cryptosuite: 'eddsa-rdfc-2022', challenge, domain }
    const proved = await vcApi(world, 'presentations/prove', { presentation, options })
    return wallet.answer(request, { course: [proved.json<{ verifiablePresentation: Json }>().verifiablePresentation] })
  }
  const refused = await answer('https://elsewhere.example')
  t.is(refused.status, 400)
  t.is((await answer(domain)).status, 200)
  const [presented] = (await requests.read(created.id)).credentials
  t.like(presented, { id: 'course', verified: true, holder: await calculateJwkThumbprint(jwk), issuer })
  t.true(presented?.checks.some(({ name, result }) => name === 'holderBinding' && result === 'passed'))
})

test('on the same device only the browser that came back gets what was presented (OpenID4VP 1.0, section 13.3)', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const created = await requests.create({ redirectUri: 'https://shop.university.example/done?order=42' })
  const request = await wallet.readRequest(created.sameDeviceUri ?? '')
  const { status, body } = await wallet.answer(request, await held.present(request, FRAME))
  t.is(status, 200)
  const back = new URL(String(body.redirect_uri))
  t.is(`${back.origin}${back.pathname}`, 'https://shop.university.example/done')
  t.is(back.searchParams.get('order'), '42')
  const waiting = await requests.read(created.id)
  t.like(waiting, { state: 'VERIFIED', needsResponseCode: true, credentials: [] })
  const code = back.searchParams.get('response_code') ?? ''
  const wrong = await requests.redeem(created.id, 'another-code')
  t.deepEqual(
    [wrong.status, wrong.json<{ type: string }>().type],
    [400, '/problems#openid_presentation.response_code_wrong'],
  )
  const redeemed = await requests.redeem(created.id, code)
  t.is(redeemed.status, 200, redeemed.text)
  t.is(redeemed.json<{ credentials: { claims: { given_name: string } }[] }>().credentials[0]?.claims.given_name, 'Ada')
  t.is((await requests.redeem(created.id, code)).status, 400, 'once')
  t.is((await requests.read(created.id)).credentials.length, 1)
  t.is((await fetch(new URL(created.uri).searchParams.get('request_uri') ?? '')).status, 400, 'nor by the other device')
})

test('a verifier is known by its DID, its certificate, or the DNS name in it (OpenID4VP 1.0, section 5.9.3)', async (t) => {
  const did = await createDid(world, 'p256')
  const authority = await openAuthority()
  const certificate_chain = await authority.certify(did)
  const { id: verifierId } = await createVerifier(world, { verifier_did: did, certificate_chain })
  const none = { verifierDid: null, verifierId }
  t.regex((await requests.create(none)).clientId, /^x509_hash:[\w-]{43}$/)
  const byDid = await requests.create({ ...none, clientIdPrefix: 'decentralized_identifier' })
  t.is(byDid.clientId, `decentralized_identifier:${did}`)
  t.is((await wallet.readRequest(byDid.uri)).client_id, byDid.clientId)
  const chain = { verifierDid: did, certificateChain: certificate_chain }
  t.regex((await requests.create(chain)).clientId, /^x509_hash:/)
  const unnamed = await requests.creating({ ...chain, clientIdPrefix: 'x509_san_dns' })
  const longer = await requests.creating({
    ...{ ...chain, clientIdPrefix: 'x509_san_dns' },
    certificateChain: await authority.certify(did, { dnsName: 'localhost.example' }),
  })
  for (const reply of [unnamed, longer])
    t.like(reply.json<{ errors: object[] }>().errors[0], { path: 'certificateChain', code: 'dns_name' })
  const certificateChain = await authority.certify(did, { dnsName: 'localhost' })
  const named = await requests.create({ ...chain, certificateChain, clientIdPrefix: 'x509_san_dns' })
  t.is(named.clientId, 'x509_san_dns:localhost')
  t.is((await wallet.readRequest(named.uri)).client_id, named.clientId)
})

test('what a request cannot be is refused with the place and the rule', async (t) => {
  const sdJwt = identityQuery().credentials[0]
  const query = (credentials: unknown[], more: object = {}) => ({ dcqlQuery: { credentials, ...more } })
  const cases: [object, string, string][] = [
    [{ verifierDid: null }, 'verifierDid', 'required'],
    [{ verifierId: randomUUID() }, 'verifierId', 'exclusive'],
    [{ dcqlQuery: null }, 'dcqlQuery', 'required'],
    [{ expiresInSec: 30, redirectUri: 'http://shop.example/' }, 'redirectUri', 'https'],
    [{ redirectUri: 'javascript:alert(1)' }, 'redirectUri', 'https'],
    [query([]), 'dcqlQuery.credentials', 'list'],
    [query([{ ...sdJwt, id: 'a b' }]), 'dcqlQuery.credentials.0.id', 'id'],
    [query([{ ...sdJwt, id: '__proto__' }]), 'dcqlQuery.credentials.0.id', 'id'],
    [query([sdJwt, sdJwt]), 'dcqlQuery.credentials.1.id', 'repeated'],
    [query([{ ...sdJwt, format: 'jwt_vc_json' }]), 'dcqlQuery.credentials.0.format', 'enum'],
    [query([{ ...sdJwt, meta: {} }]), 'dcqlQuery.credentials.0.meta.vct_values', 'list'],
    [query([{ ...sdJwt, typo: 1 }]), 'dcqlQuery.credentials.0.typo', 'unknown'],
    [query([{ ...sdJwt, claims: [{ path: [] }] }]), 'dcqlQuery.credentials.0.claims.0.path', 'list'],
    [query([{ ...sdJwt, claims: [{ path: ['a', -1] }] }]), 'dcqlQuery.credentials.0.claims.0.path.1', 'step'],
    [
      query([{ ...sdJwt, claims: [{ path: ['a'], values: [1.5] }] }]),
      'dcqlQuery.credentials.0.claims.0.values.0',
      'value',
    ],
    [query([{ ...sdJwt, claim_sets: [['a']] }]), 'dcqlQuery.credentials.0.claims.0.id', 'required'],
    [
      query([{ ...sdJwt, trusted_authorities: [{ type: 'etsi_tl', values: ['https://x.example'] }] }]),
      'dcqlQuery.credentials.0.trusted_authorities.0.values.0',
      'trust_list',
    ],
    [query([sdJwt], { credential_sets: [{ options: [['other']] }] }), 'dcqlQuery.credential_sets.0.options.0.0', 'id'],
    [
      query([sdJwt], { credential_sets: [{ options: [['identity']], required: false }] }),
      'dcqlQuery.credential_sets',
      'required',
    ],
    [{ transactionData: [{ type: 'pay', credential_ids: ['other'] }] }, 'transactionData.0.credential_ids.0', 'id'],
    [
      { transactionData: [1, 2].map(() => ({ type: 'pay', credential_ids: ['identity'] })) },
      'transactionData.1',
      'repeated',
    ],
    ...[
      { ...sdJwt, require_cryptographic_holder_binding: false },
      { id: 'identity', format: 'mso_mdoc', meta: { doctype_value: DOC_TYPE } },
    ].map((asked): [object, string, string] => [
      { ...query([asked]), transactionData: [{ type: 'pay', credential_ids: ['identity'] }] },
      'transactionData.0.credential_ids.0',
      'format',
    ]),
    [{ certificateChain: 'x' }, 'certificateChain', 'pem'],
  ]
  for (const [body, path, code] of cases) {
    const reply = await requests.creating(body)
    t.is(reply.status, 400, `${path} ${reply.text}`)
    const { errors } = reply.json<{ errors: { path: string; code: string }[] }>()
    t.true(
      errors.some((each) => each.code === code && each.path === path),
      `${path} ${code}: ${reply.text}`,
    )
  }
})

test('requests are listed by their state without what was presented, and deleted with it', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const created = await requests.create()
  const request = await wallet.readRequest(created.uri)
  await wallet.answer(request, await held.present(request, FRAME))
  const list = async (state: string) =>
    (await world.ask(`${REQUESTS}?state=${state}&limit=100`, { token: world.token })).json<{ data: { id: string }[] }>()
  const listed = (await list('VERIFIED')).data.find(({ id }) => id === created.id)
  t.truthy(listed)
  t.false('credentials' in (listed ?? {}))
  t.false((await list('PENDING')).data.some(({ id }) => id === created.id))
  t.is((await requests.remove(created.id)).status, 204)
  t.is((await world.ask(`${REQUESTS}/${created.id}`, { token: world.token })).status, 404)
})

test('the end of a request is an event with ids and a state, and no personal data', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const created = await requests.create()
  const request = await wallet.readRequest(created.uri)
  await wallet.answer(request, await held.present(request, FRAME))
  const later = { ...world.dependencies, now: () => new Date(Date.now() + 86_400_000) }
  const subject = { tenantId: world.first.tenantId, presentationId: created.id }
  const expiry = createRequestExpiry({ ...later, webhookEvents: createPlatform(world.dependencies).webhookEvents })
  t.deepEqual(await expiry.expirePresentationRequest(subject), {})
  t.is((await requests.read(created.id)).state, 'VERIFIED', 'what has ended does not expire')
  const { rows } = await world.dependencies.systemSql.query<{ type: string; metadata: string }>({
    text: `select type, metadata::text from logs where metadata->>'id' = $1 and type like 'OPENID4VP_REQUEST_END%'`,
    values: [created.id],
  })
  t.deepEqual(
    rows.map(({ type }) => type),
    ['OPENID4VP_REQUEST_END_SUCCESS'],
  )
  t.regex(rows[0]?.metadata ?? '', /"state":\s*"VERIFIED"/)
  t.notRegex(rows[0]?.metadata ?? '', /Ada/)
})
