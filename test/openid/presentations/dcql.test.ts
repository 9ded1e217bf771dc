import test from 'ava'
import { openSdJwt, VCT } from '../../support/openid/presenting.sd-jwt.ts'
import { DOC_TYPE, NAMESPACE, openMdoc, post, wallet } from '../../support/openid/presenting.ts'
import { identityQuery, openAsking, requestsOf } from '../../support/openid/requests.ts'
import type { World } from '../../support/world.ts'

let world: World
let issuer: string
let requests: ReturnType<typeof requestsOf>
let held: Awaited<ReturnType<typeof openSdJwt>>
test.before(async () => {
  ;({ world, issuer, requests } = await openAsking())
  held = await openSdJwt(world, { issuer_did: issuer })
})
test.after.always(() => world?.close())

async function asked(body: object) {
  const created = await requests.create(body)
  return { id: created.id, request: await wallet.readRequest(created.uri) }
}

const sdJwt = { id: 'identity', format: 'dc+sd-jwt', meta: { vct_values: [VCT] }, claims: [{ path: ['given_name'] }] }
const mdoc = {
  id: 'licence',
  format: 'mso_mdoc',
  meta: { doctype_value: DOC_TYPE },
  claims: [{ path: [NAMESPACE, 'family_name'] }],
}

test('one query asks for two formats, and both are needed unless a set says otherwise (section 6.2)', async (t) => {
  const document = await openMdoc(world)
  const both = await asked({ dcqlQuery: { credentials: [sdJwt, mdoc] } })
  const identity = await held.present(both.request, { given_name: true }, 'identity')
  t.is((await wallet.answer(both.request, identity)).status, 400, 'the licence is missing')
  const [licence] = Object.values(await document.present(both.request, ['family_name']))
  t.is((await wallet.answer(both.request, { ...identity, licence: licence ?? [] })).status, 200)
  t.deepEqual(
    (await requests.read(both.id)).credentials.map(({ id, verified }) => [id, verified]),
    [
      ['identity', true],
      ['licence', true],
    ],
  )
  const either = await asked({
    dcqlQuery: { credentials: [sdJwt, mdoc], credential_sets: [{ options: [['identity'], ['licence']] }] },
  })
  const answer = await wallet.answer(either.request, await held.present(either.request, { given_name: true }))
  t.is(answer.status, 200, JSON.stringify(answer.body))
})

test('a set of claims is enough, in the order of the verifier (section 6.4.1)', async (t) => {
  const claims = [
    { id: 'a', path: ['family_name'] },
    { id: 'b', path: ['given_name'] },
    { id: 'c', path: ['nationalities', null], values: ['NL'] },
  ]
  const dcqlQuery = identityQuery({ claims, claim_sets: [['a'], ['b', 'c']] })
  for (const [frame, status] of [
    [{ family_name: true }, 200],
    [{ given_name: true }, 400],
    [{ given_name: true, nationalities: true }, 200],
  ] as const) {
    const { request } = await asked({ dcqlQuery })
    t.is((await wallet.answer(request, await held.present(request, frame))).status, status, JSON.stringify(frame))
  }
})

test('several credentials are taken where the query allows them, and only there (multiple)', async (t) => {
  for (const [multiple, status] of [
    [true, 200],
    [false, 400],
  ] as const) {
    const { id, request } = await asked({ dcqlQuery: identityQuery({ multiple }) })
    const second = await openSdJwt(world, { issuer_did: issuer }, { given_name: 'Grace' })
    const frame = { given_name: true }
    const presented = [await held.presentation(request, frame), await second.presentation(request, frame)]
    t.is((await wallet.answer(request, { identity: presented })).status, status)
    const { credentials } = await requests.read(id)
    t.deepEqual(
      credentials.map(({ claims }) => claims?.given_name),
      multiple ? ['Ada', 'Grace'] : [],
    )
  }
})

test('authorities are those of the certificates of a credential (section 6.1.1, aki)', async (t) => {
  const certified = await openSdJwt(world, { issued_as: 'x5c' })
  const key = await authorityKey(certified.encoded)
  const cases: [typeof held, string, number][] = [
    [certified, key, 200],
    [certified, Buffer.alloc(20).toString('base64url'), 400],
    [held, key, 400],
  ]
  for (const [credential, value, status] of cases) {
    const trusted_authorities = [{ type: 'aki', values: [value] }]
    const { request } = await asked({ dcqlQuery: identityQuery({ trusted_authorities }) })
    const { body, ...reply } = await wallet.answer(request, await credential.present(request, { given_name: true }))
    t.is(reply.status, status, JSON.stringify(body))
  }
})

/** The key identifier of the authority of the certificate in the header, as a wallet computes it. */
async function authorityKey(encoded: string): Promise<string> {
  const { AuthorityKeyIdentifierExtension, X509Certificate } = await import('@peculiar/x509')
  const header = JSON.parse(Buffer.from(encoded.split('.')[0] ?? '', 'base64url').toString()) as { x5c: string[] }
  const certificate = new X509Certificate(Buffer.from(header.x5c[0] ?? '', 'base64'))
  const { keyId = '' } = certificate.getExtension(AuthorityKeyIdentifierExtension) ?? {}
  return Buffer.from(keyId, 'hex').toString('base64url')
}

test('a credential without a holder is taken where the query allows it, with the state of the request (section 5.3)', async (t) => {
  const free = await openSdJwt(world, { issuer_did: issuer }, {}, false)
  const dcqlQuery = identityQuery({ require_cryptographic_holder_binding: false })
  const { id, request } = await asked({ dcqlQuery, responseMode: 'direct_post' })
  const vp_token = JSON.stringify({ identity: [await free.unbound({ given_name: true })] })
  t.truthy(request.state)
  t.is((await post(request.response_uri, { vp_token })).status, 400)
  t.is((await post(request.response_uri, { vp_token, state: 'another' })).status, 400)
  const { state = '' } = request
  const frame = { given_name: true }
  const bound = JSON.stringify({ identity: [await held.presentation({ ...request, nonce: 'another' }, frame)] })
  t.regex(
    (await post(request.response_uri, { vp_token: bound, state })).text,
    /KeyBinding/,
    'who binds it binds it here',
  )
  t.is((await post(request.response_uri, { vp_token, state })).status, 200)
  const [credential] = (await requests.read(id)).credentials
  t.like(credential, { verified: true })
  t.false('holder' in (credential ?? {}))
})

test('the holder agrees to transaction data with their key, or nothing is accepted (appendix B.3.3.1)', async (t) => {
  const transactionData = [{ type: 'https://bank.example/payment', credential_ids: ['identity'], amount: '12.00 EUR' }]
  const { id, request } = await asked({ transactionData })
  const [entry = ''] = request.transaction_data ?? []
  t.deepEqual(JSON.parse(Buffer.from(entry, 'base64url').toString()), transactionData[0])
  const frame = { given_name: true }
  const silent = await held.present({ ...request, transaction_data: undefined as never }, frame)
  const other = await held.present({ ...request, transaction_data: ['e30'] }, frame)
  for (const [vpToken, reason] of [
    [silent, /transactionData/],
    [other, /other transaction data/],
  ] as const) {
    const { status, body } = await wallet.answer(request, vpToken)
    t.is(status, 400)
    t.regex(String(body.error_description), reason)
  }
  t.is((await wallet.answer(request, await held.present(request, frame))).status, 200)
  t.is((await requests.read(id)).state, 'VERIFIED')
  const two = await asked({ transactionData, dcqlQuery: { credentials: [sdJwt, { ...sdJwt, id: 'second' }] } })
  const alone = { ...two.request, transaction_data: undefined as never }
  const elsewhere = {
    ...(await held.present(alone, frame, 'identity')),
    ...(await held.present(two.request, frame, 'second')),
  }
  const { status, body } = await wallet.answer(two.request, elsewhere)
  t.is(status, 400, 'the data names the other credential')
  t.regex(String(body.error_description), /transaction data/)
})
