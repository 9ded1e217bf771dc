import test from 'ava'
import { compactVerify, importJWK, type JWK } from 'jose'
import { eraseCredentials } from '../../../activities/credentials/erase.ts'
import { inTenant } from '../../../entities/orm.ts'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { HEADER, readCoseSign1 } from '../../../protocol/cose/sign1.ts'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { COURSE, create, lines, results, until as untilBatch } from '../../support/credentials/batches.ts'
import { createDid, payload, verify } from '../../support/credentials/credentials.ts'
import { createTemplate, refusal, TEMPLATES } from '../../support/credentials/templates.ts'
import { codesOf, type Json, pathsOf, vcApi, vcApiIssue, vcApiSettings } from '../../support/credentials/vc-api.ts'
import { openWorld, type World } from '../../support/world.ts'

const BASE = '/v1/credentials/web-semantic'
const PROOF_TYPES = ['vc+jwt', 'vc+cose', 'vc+sd-jwt'] as const

interface Issued {
  id: string
  credential: Json & { id: string }
  encoded: string
  decoded: Json
}

let world: World
let dids: { ed25519: string; p256: string }
test.before(async () => {
  world = await openWorld({ workflows: true })
  await vcApiSettings(world, true)
  dids = { ed25519: await createDid(world), p256: await createDid(world, 'p256') }
})
test.after.always(() => world?.close())

const ask = (path: string, body?: Json, method?: string) =>
  world.ask(path, { token: world.token, ...(body && { body }), ...(method && { method }) })

const trySign = (proofType: string, given: Json, more: Json = {}) =>
  ask(`${BASE}/sign`, { payload: given, proofType, revocable: false, ...more })

async function issue(proofType: string, did: string, more: Json = {}): Promise<Issued> {
  const reply = await trySign(proofType, payload(did), more)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<Issued>()
}

const typesOf = async (credential: unknown) => (await verify(world, credential)).reason.map(({ type }) => type)

const methodOf = (did: string) => {
  const url = `${did}#${did.slice('did:key:'.length)}`
  return { url, jwk: toJwk(publicKeyOf(dereference(resolveDidKey(did), url, 'assertionMethod').method)) }
}

for (const [keyType, alg] of [
  ['p256', 'ES256'],
  ['ed25519', 'EdDSA'],
] as const) {
  test(`vc+jwt by ${alg} is a JWS whose payload is the credential; jose verifies it (VC-JOSE-COSE 1.0, section 3.1.1)`, async (t) => {
    const { id, credential, encoded, decoded } = await issue('vc+jwt', dids[keyType])
    t.deepEqual(credential, {
      '@context': CONTEXT.credentialsV2,
      id: `data:application/vc+jwt,${encoded}`,
      type: 'EnvelopedVerifiableCredential',
    })
    const { url, jwk } = methodOf(dids[keyType])
    const read = await compactVerify(encoded, await importJWK({ ...jwk } as JWK, alg))
    t.deepEqual(read.protectedHeader, { alg, typ: 'vc+jwt', cty: 'vc', kid: url })
    t.deepEqual(JSON.parse(new TextDecoder().decode(read.payload)), decoded)
    t.like(decoded, { id: `urn:uuid:${id}`, type: ['VerifiableCredential'], issuer: { id: dids[keyType] } })
    t.deepEqual(
      ['proof', 'vc', 'iss'].filter((name) => name in decoded),
      [],
    )
    t.deepEqual(await verify(world, credential), { verified: true, reason: [] })
  })

  test(`vc+cose by ${alg} is a COSE_Sign1 of the credential (VC-JOSE-COSE 1.0, section 3.3.1)`, async (t) => {
    const { credential, encoded, decoded } = await issue('vc+cose', dids[keyType])
    t.is(credential.id, `data:application/vc+cose;base64,${encoded}`)
    const bytes = new Uint8Array(Buffer.from(encoded, 'base64'))
    const message = readCoseSign1(bytes, { code: 'x', maxBytes: 100_000 })
    t.is(bytes[0], 0xd2) // the tag of a COSE_Sign1
    t.deepEqual(
      [...message.protected],
      [
        [HEADER.typ, 'application/vc+cose'],
        [HEADER.contentType, 'application/vc'],
        [HEADER.kid, new Uint8Array(Buffer.from(methodOf(dids[keyType]).url))],
        [HEADER.alg, alg === 'ES256' ? -7 : -8],
      ],
    )
    t.deepEqual(JSON.parse(new TextDecoder().decode(message.payload)), decoded)
    t.deepEqual(await verify(world, credential), { verified: true, reason: [] })
  })
}

for (const proofType of PROOF_TYPES)
  test(`${proofType}: read, listed, suspended, revoked and timed as every credential (VC Data Model 2.0, section 4.12)`, async (t) => {
    const tag = `tag-${proofType}`
    const { id, credential, encoded, decoded } = await issue(proofType, dids.p256, {
      revocable: true,
      suspendable: true,
      tag,
    })
    const entries = decoded.credentialStatus as Json[]
    t.deepEqual(
      entries.map(({ type, statusPurpose }) => [type, statusPurpose]),
      [
        ['BitstringStatusListEntry', 'revocation'],
        ['BitstringStatusListEntry', 'suspension'],
      ],
    )
    const details = (await ask(`${BASE}/${id}`)).json<Json>()
    t.like(details, { id, encoded, proof_type: proofType, revocable: true, is_revoked: false, suspendable: true, tag })
    t.deepEqual([details.credential, details.decoded], [credential, decoded])
    t.like(details.credential_status, { revocation_list_credential: entries[0]?.statusListCredential })
    const { data } = (await ask(`${BASE}?tag=${encodeURIComponent(tag)}`)).json<{ data: Json[] }>()
    t.deepEqual(
      data.map((each) => [each.id, each.credential, each.encoded, each.decoded]),
      [[id, credential, encoded, decoded]],
    )
    t.deepEqual(await typesOf(credential), [])
    const suspended = await ask(`${BASE}/${id}/suspension-status`, { is_suspended: true })
    t.is(suspended.status, 200, suspended.text)
    t.deepEqual(await typesOf(credential), ['Suspended'])
    await ask(`${BASE}/${id}/suspension-status`, { is_suspended: false })
    await ask(`${BASE}/${id}/revocation-status`, { is_revoked: true })
    t.deepEqual(await typesOf(credential), ['Revoked'])
    const timeline = (await ask(`/v1/credentials/${id}/timeline`)).text
    for (const event of ['credential.issued', 'credential.revoked']) t.true(timeline.includes(event), timeline)
    const list = await fetch(String(entries[0]?.statusListCredential), { headers: { accept: 'application/json' } })
    t.like(await list.json(), { proof: { cryptosuite: 'ecdsa-rdfc-2019' } })
    const { rows } = await world.dependencies.systemSql.query<{ type: string; metadata: Json }>({
      text: `select type, metadata from logs where metadata->>'id' = $1 and type = 'CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS'`,
      values: [id],
    })
    t.like(rows[0]?.metadata, { proofType, revocable: true })
  })

test('an erasure leaves no envelope, which has all claims in it', async (t) => {
  const { id } = await issue('vc+jwt', dids.p256)
  const { tenantId } = world.first
  await inTenant(world.dependencies.database.tenants, tenantId, (em) => eraseCredentials(em, tenantId, [id]))
  const { rows } = await world.dependencies.systemSql.query<{ envelope: string | null; document: string }>({
    text: 'select envelope, document::text from credentials where id = $1',
    values: [id],
  })
  t.deepEqual(rows, [{ envelope: null, document: '{}' }])
  t.is((await ask(`${BASE}/${id}`)).status, 404)
})

for (const proofType of PROOF_TYPES) {
  test(`${proofType} from a template, and its rehearsal when the template is made`, async (t) => {
    const { id } = await createTemplate(world, { proof_type: proofType, revocable: true })
    const body = { claims: { id: 'did:example:holder', course: 'CS-101' }, issuer_did: dids.ed25519 }
    const reply = await ask(`${TEMPLATES}/${id}/sign`, body)
    t.is(reply.status, 200, reply.text)
    const signed = reply.json<Issued & { template_id: string }>()
    t.is(signed.template_id, id)
    t.like(signed.decoded, { type: ['VerifiableCredential', 'CourseCredential'] })
    t.deepEqual(await verify(world, signed.credential), { verified: true, reason: [] })
    const contexts = ['https://www.w3.org/2018/credentials/v1', { '@vocab': 'https://example.edu/terms#' }]
    const refused = await ask(TEMPLATES, {
      name: 'Older',
      type: 'CourseCredential',
      additional_types: [],
      issuer: { name: 'Example University' },
      revocable: false,
      contexts,
      proof_type: proofType,
    })
    t.is(refusal(refused, 400), 'credential_template.invalid')
    t.deepEqual(pathsOf(refused.text), ['contexts.0'])
  })

  test(`${proofType} in a batch: the results have the envelopes`, async (t) => {
    const options = { issuer: dids.p256, proofType, context: COURSE, revocable: 'true' }
    const batch = await create(world, lines(3), options)
    await untilBatch(world, batch.id, ({ status }) => status === 'COMPLETED')
    const made = await results(world, batch.id)
    t.is(made.length, 3)
    for (const { credential } of made) {
      t.deepEqual(Object.keys(credential), ['@context', 'id', 'type'])
      t.true(String(credential.id).startsWith(`data:application/${proofType}`))
      t.deepEqual(await verify(world, credential), { verified: true, reason: [] })
    }
  })

  test(`${proofType} by the VC API, named by option or by path`, async (t) => {
    const given = { ...payload(dids.p256), id: 'urn:uuid:5e0f3a7c-8f04-4f5b-9d0a-0d7a2cf5f3b1' }
    for (const [options, path] of [
      [{ type: proofType }, 'credentials/issue'],
      [{}, `${proofType}/credentials/issue`],
    ] as const) {
      const verifiableCredential = await vcApiIssue(world, given, options, path)
      t.is(verifiableCredential.type, 'EnvelopedVerifiableCredential')
      const verified = await vcApi(world, 'credentials/verify', { verifiableCredential })
      t.is(verified.status, 200, verified.text)
    }
  })
}

test('a template of envelopes is not offered to wallets, whose protocol has no format for them', async (t) => {
  const { id } = await createTemplate(world, { proof_type: 'vc+jwt' })
  const refused = await ask('/v1/openid/offers', { credentials: [id] })
  t.is(refusal(refused, 404), 'openid_offer.unknown_configuration')
  const { credential_configurations_supported: offered } = (
    await world.ask('/.well-known/openid-credential-issuer')
  ).json<{ credential_configurations_supported: Json }>()
  t.false(id in offered)
})

/** Payloads and options that are refused, with the code and the first path. */
const REFUSED: [
  what: string,
  proofType: string,
  given: () => Json | Promise<Json>,
  expected: [code: string, path: string],
][] = [
  [
    'data model 1.1',
    'vc+jwt',
    () =>
      payload(dids.p256, {
        '@context': ['https://www.w3.org/2018/credentials/v1', { '@vocab': 'https://e.example/#' }],
      }),
    ['credential.invalid', 'payload.@context.0'],
  ],
  [
    'data model 1.1',
    'vc+cose',
    () =>
      payload(dids.p256, {
        '@context': ['https://www.w3.org/2018/credentials/v1', { '@vocab': 'https://e.example/#' }],
      }),
    ['credential.invalid', 'payload.@context.0'],
  ],
  [
    'a registered claim',
    'vc+jwt',
    () => payload(dids.p256, { '@context': [CONTEXT.credentialsV2, { '@vocab': 'https://e.example/#' }], exp: 1 }),
    ['credential.invalid', 'payload.exp'],
  ],
  [
    'the claim of data model 1.1',
    'vc+jwt',
    () =>
      payload(dids.p256, { '@context': [CONTEXT.credentialsV2, { '@vocab': 'https://e.example/#' }], vc: { a: 1 } }),
    ['credential.invalid', 'payload.vc'],
  ],
  ['an undefined term', 'vc+jwt', () => payload(dids.p256, { oops: 1 }), ['credential.term_undefined', 'payload.oops']],
  ['a proof', 'vc+cose', () => payload(dids.p256, { proof: { type: 'x' } }), ['credential.invalid', 'payload.proof']],
  [
    'a DID of another key',
    'vc+jwt',
    async () => payload(await createDid(world, 'bls12381g2')),
    ['credential.issuer_key_unfit', 'payload.issuer.id'],
  ],
  [
    'a DID of others',
    'vc+cose',
    () => payload('did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'),
    ['credential.issuer_unknown', 'payload.issuer.id'],
  ],
  [
    'a name of another proof type',
    'vp+jwt',
    () => payload(dids.p256),
    ['credential.proof_type_unsupported', 'proofType'],
  ],
  [
    'a credential that is too long for its envelope',
    'vc+jwt',
    () => payload(dids.p256, { credentialSubject: { id: 'did:example:holder', course: 'x'.repeat(560_000) } }),
    ['credential.invalid', 'payload'],
  ],
]

for (const [what, proofType, given, [code, path]] of REFUSED)
  test(`${proofType} refuses ${what} (${code})`, async (t) => {
    const reply = await trySign(proofType, await given())
    t.is(refusal(reply, 400), code)
    t.is(pathsOf(reply.text)[0], path)
  })

test('pointers of selective disclosure are refused for an envelope', async (t) => {
  const credential = payload(dids.p256)
  const options = { type: 'vc+jwt', mandatoryPointers: ['/issuer'] }
  const reply = await vcApi(world, 'credentials/issue', { credential, options })
  t.deepEqual(codesOf(reply.text), ['request.invalid', 'selective'])
})
