import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { readSdJwt } from '../../../protocol/sd-jwt-credentials/read.ts'
import { COURSE, create, results, until as untilBatch } from '../../support/credentials/batches.ts'
import { createDid, payload, verify } from '../../support/credentials/credentials.ts'
import { createTemplate, refusal, TEMPLATES } from '../../support/credentials/templates.ts'
import { type Json, pathsOf, vcApi, vcApiSettings } from '../../support/credentials/vc-api.ts'
import { pythonWith } from '../../support/parts/python.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const BASE = '/v1/credentials/web-semantic'
const TERMS = { '@vocab': 'https://e.example/#' }
/** The key of a holder: a public and a private JWK. */
function keyPair() {
  const privateJwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const { d: _, ...jwk } = privateJwk
  return { jwk, privateJwk }
}
const holder = keyPair()

const withPython = needs('Python')
/** The library of the authors of the RFC. */
const python = pythonWith('sd-jwt==0.10.4')

interface Issued {
  credential: Json
  encoded: string
  decoded: Json & { credentialSubject: Json }
}

let world: World
let did: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  await vcApiSettings(world, true)
  did = await createDid(world, 'p256')
})
test.after.always(() => world?.close())

const ask = (path: string, body: Json) => world.ask(path, { token: world.token, body })

const subject = {
  id: 'did:example:holder',
  type: 'Person',
  course: 'CS-101',
  address: { street: 'Torvet 1', city: 'Ærø' },
  nationalities: ['DK', 'DE'],
}
const given = (more: Json = {}) =>
  payload(did, { '@context': [CONTEXT.credentialsV2, TERMS], credentialSubject: subject, ...more })

const trySign = (terms: Json = {}, more: Json = {}) =>
  ask(`${BASE}/sign`, { payload: given(more), proofType: 'vc+sd-jwt', revocable: false, ...terms })

async function issue(terms?: Json, more?: Json): Promise<Issued> {
  const reply = await trySign(terms, more)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<Issued>()
}

/** The credential with some of its disclosures, as its holder shows it. */
function shown({ encoded }: Issued, isShown: (name: string | undefined, value: unknown) => boolean): Json {
  const { disclosures } = readSdJwt(encoded)
  const kept = disclosures.filter(({ name, value }) => isShown(name, value)).map(({ encoded: each }) => `${each}~`)
  const url = `data:application/vc+sd-jwt,${encoded.slice(0, encoded.indexOf('~') + 1)}${kept.join('')}`
  return { '@context': CONTEXT.credentialsV2, id: url, type: 'EnvelopedVerifiableCredential' }
}

const namesIn = ({ encoded }: Issued) => readSdJwt(encoded).disclosures.map(({ name, value }) => name ?? value)

test('every claim of the subject may be left out, and nothing else (VC-JOSE-COSE 1.0, section 3.2)', async (t) => {
  const issued = await issue({ revocable: true })
  const { header, payload: signed } = readSdJwt(issued.encoded)
  const url = `${did}#${did.slice('did:key:'.length)}`
  t.deepEqual(header, { alg: 'ES256', typ: 'vc+sd-jwt', cty: 'vc', kid: url })
  t.deepEqual(namesIn(issued), ['course', 'address', 'nationalities'])
  t.deepEqual(Object.keys(signed).sort(), [
    '@context',
    '_sd_alg',
    'credentialStatus',
    'credentialSubject',
    'id',
    'issuer',
    'type',
    'validFrom',
  ])
  const { _sd: digests, ...plain } = signed.credentialSubject as Json
  t.deepEqual(plain, { id: subject.id, type: 'Person' })
  t.is((digests as unknown[]).length, 3)
  t.deepEqual(issued.decoded.credentialSubject, subject)
  t.deepEqual(await verify(world, issued.credential), { verified: true, reason: [] })
  t.deepEqual(
    await verify(
      world,
      shown(issued, (name) => name === 'course'),
    ),
    { verified: true, reason: [] },
  )
})

test('paths choose parts of claims and elements of lists; decoys stand beside them, and the key of the holder in cnf', async (t) => {
  const selectively = [
    ['credentialSubject', 'address', 'street'],
    ['credentialSubject', 'nationalities', null],
  ]
  const { jwk } = holder
  const issued = await issue({ selectively, decoys: 4, holderKey: { ...jwk, kid: 'mine', use: 'sig' } })
  t.deepEqual(namesIn(issued), ['street', 'DK', 'DE'])
  const { payload: signed } = readSdJwt(issued.encoded)
  t.is(((signed.credentialSubject as Json)._sd as unknown[]).length, 4)
  t.deepEqual(signed.cnf, { jwk })
  t.deepEqual(issued.decoded.cnf, { jwk })
  t.deepEqual(await verify(world, issued.credential), { verified: true, reason: [] })
  t.deepEqual(
    await verify(
      world,
      shown(issued, (_, value) => value === 'DK'),
    ),
    { verified: true, reason: [] },
  )
})

test('of several subjects each has its claims and its decoys', async (t) => {
  const credentialSubject = [
    { id: 'did:example:a', course: 'CS-101' },
    { id: 'did:example:b', course: 'CS-102' },
  ]
  const issued = await issue({ decoys: 1 }, { credentialSubject })
  t.deepEqual(namesIn(issued), ['course', 'course'])
  const subjects = readSdJwt(issued.encoded).payload.credentialSubject as Json[]
  t.deepEqual(
    subjects.map(({ _sd: digests }) => (digests as unknown[]).length),
    [2, 2],
  )
})

/** Terms and members that are refused, with the code of the refusal and the first error's code and path. */
const REFUSED: [what: string, terms: Json, more: Json, expected: [code: string, error: string, path: string]][] = [
  ...['@context', 'type', 'issuer', 'validFrom', 'validUntil', 'credentialStatus', 'credentialSchema'].map(
    (member): (typeof REFUSED)[number] => [
      `${member} hidden`,
      { selectively: [[member]] },
      {},
      ['credential.invalid', 'disclosure.never', 'selectively.0'],
    ],
  ),
  [
    'a part of the issuer hidden',
    {
      selectively: [
        ['credentialSubject', 'course'],
        ['issuer', 'name'],
      ],
    },
    {},
    ['credential.invalid', 'disclosure.never', 'selectively.1'],
  ],
  [
    'the type of a claim hidden',
    { selectively: [['credentialSubject', 'type']] },
    {},
    ['credential.invalid', 'disclosure.never', 'selectively.0'],
  ],
  [
    'the whole subject hidden',
    { selectively: [['credentialSubject']] },
    {},
    ['credential.invalid', 'disclosure.never', 'selectively.0'],
  ],
  [
    'a path to no claim',
    { selectively: [['credentialSubject', 'curse']] },
    {},
    ['credential.invalid', 'disclosure.claim', 'selectively.0'],
  ],
  [
    'a reserved name in a path',
    { selectively: [['credentialSubject', '_sd']] },
    {},
    ['credential.invalid', 'disclosure.name', 'selectively.0'],
  ],
  ['a private key', { holderKey: { ...holder.jwk, d: 'AAAA' } }, {}, ['credential.invalid', 'holder_key', 'holderKey']],
  ['a member cnf', {}, { cnf: { jwk: {} } }, ['credential.invalid', 'claim.reserved', 'payload.cnf']],
  ['a member exp', {}, { exp: 1 }, ['credential.invalid', 'credential.registered_claim', 'payload.exp']],
  [
    'a member of SD-JWTs',
    {},
    { credentialSubject: { id: 'did:example:holder', _sd: ['x'] } },
    ['credential.invalid', 'claim.reserved', 'payload.credentialSubject._sd'],
  ],
  [
    'more disclosures than a verifier reads',
    { selectively: [['credentialSubject', 'nationalities', null]] },
    { credentialSubject: { nationalities: Array.from({ length: 1_001 }, (_, index) => `N${index}`) } },
    ['credential.invalid', 'disclosure.too_many', 'payload'],
  ],
]

for (const [what, terms, more, [code, error, path]] of REFUSED)
  test(`${what}: ${code}, ${error} at ${path}`, async (t) => {
    const reply = await trySign(terms, more)
    t.is(refusal(reply, 400), code)
    t.like(reply.json<{ errors: Json[] }>().errors[0], { code: error, path })
  })

for (const [member, value] of Object.entries({
  selectively: [['credentialSubject', 'course']],
  decoys: 1,
  holderKey: holder.jwk,
}))
  test(`${member} is refused with another proof type`, async (t) => {
    const reply = await trySign({ proofType: 'vc+jwt', [member]: value })
    t.is(refusal(reply, 400), 'request.invalid')
    t.deepEqual(pathsOf(reply.text), [member])
  })

const template = (more: Json) => ({
  proof_type: 'vc+sd-jwt',
  claim_mappings: { course: 'claims.course', grade: 'claims.grade' },
  ...more,
})

test('a template says what may be left out; a claim that is not there hides nothing', async (t) => {
  const selectively = [
    ['credentialSubject', 'course'],
    ['credentialSubject', 'grade'],
  ]
  const { id } = await createTemplate(world, template({ selectively: [selectively[0], selectively[1]], decoys: 2 }))
  const read = (await world.ask(`${TEMPLATES}/${id}`, { token: world.token })).json<Json>()
  t.like(read, { proof_type: 'vc+sd-jwt', selectively, decoys: 2 })
  const claims = { id: 'did:example:holder', course: 'CS-101' }
  const body = { claims, issuer_did: did, holder_key: holder.jwk }
  const reply = await ask(`${TEMPLATES}/${id}/sign`, body)
  t.is(reply.status, 200, reply.text)
  const issued = reply.json<Issued>()
  t.deepEqual(namesIn(issued), ['course'])
  t.deepEqual(issued.decoded.cnf, { jwk: holder.jwk })
  t.deepEqual(await verify(world, issued.credential), { verified: true, reason: [] })
  const refused = await ask(`${TEMPLATES}/${id}/sign`, { ...body, holder_key: { ...holder.jwk, crv: 'P-384' } })
  t.is(refused.status, 400)
})

for (const [what, more, path] of [
  ['a path that no mapping makes', { selectively: [['credentialSubject', 'curse']] }, 'selectively.0'],
  ['a member that is always disclosed', { selectively: [['issuer']] }, 'selectively.0'],
  ['terms of another proof type', { proof_type: 'vc+jwt', decoys: 1 }, 'decoys'],
] as [string, Json, string][])
  test(`a template with ${what} is refused`, async (t) => {
    const reply = await ask(TEMPLATES, {
      name: 'Course',
      type: 'CourseCredential',
      additional_types: [],
      issuer: { name: 'Example University' },
      revocable: false,
      contexts: [CONTEXT.credentialsV2, TERMS],
      ...template(more),
    })
    t.is(refusal(reply, 400), 'credential_template.invalid')
    t.deepEqual(pathsOf(reply.text), [path])
  })

test('rows of a batch have their own paths, decoys and keys', async (t) => {
  const row = (more: Json) =>
    JSON.stringify({ payload: { credentialSubject: { course: 'CS-1', title: 'A' } }, ...more })
  const context = { '@vocab': 'https://e.example/#' }
  const rows = [
    row({ selectively: [['credentialSubject', 'title']], holderKey: holder.jwk }),
    row({ decoys: 1 }),
    row({ selectively: [['issuer']] }),
  ]
  const options = { issuer: did, proofType: 'vc+sd-jwt', context: [COURSE, JSON.stringify(context)] }
  const batch = await create(world, rows.join('\n'), options)
  const done = await untilBatch(world, batch.id, ({ status }) => status.startsWith('COMPLETED'))
  t.like(done, { failed: 1 })
  const made = (await results(world, batch.id)) as unknown as Issued[]
  const names = made.map(({ credential }) =>
    namesIn({ encoded: String(credential.id).slice('data:application/vc+sd-jwt,'.length) } as Issued),
  )
  t.deepEqual(names, [['title'], ['course', 'title']])
})

test('by the VC API the terms are options', async (t) => {
  const credential = { ...given(), id: 'urn:uuid:5e0f3a7c-8f04-4f5b-9d0a-0d7a2cf5f3b1', type: ['VerifiableCredential'] }
  const selectively = [['credentialSubject', 'course']]
  const options = { type: 'vc+sd-jwt', selectively, holderKey: holder.jwk }
  const reply = await vcApi(world, 'credentials/issue', { credential, options })
  t.is(reply.status, 201, reply.text)
  const { verifiableCredential } = reply.json<{ verifiableCredential: Json }>()
  const encoded = String(verifiableCredential.id).slice('data:application/vc+sd-jwt,'.length)
  t.deepEqual(namesIn({ encoded } as Issued), ['course'])
  const verified = await vcApi(world, 'credentials/verify', { verifiableCredential })
  t.is(verified.status, 200, verified.text)
  for (const [member, value] of Object.entries({ selectively: 'course', decoys: 'x', holderKey: [] })) {
    const refused = await vcApi(world, 'credentials/issue', { credential, options: { ...options, [member]: value } })
    t.deepEqual(pathsOf(refused.text), [`options.${member}`])
  }
})

/** Verifies with a public JWK, and prints the claims; with a holder's key, also what it presents. */
const VERIFY = `
import json, sys
from jwcrypto.jwk import JWK
from sd_jwt.holder import SDJWTHolder
from sd_jwt.verifier import SDJWTVerifier
text, issuer, holder = sys.argv[1], JWK.from_json(sys.argv[2]), JWK.from_json(sys.argv[3])
whole = SDJWTVerifier(text, lambda iss, header: issuer).get_verified_payload()
presenter = SDJWTHolder(text)
presenter.create_presentation({"credentialSubject": {"course": True}}, "nonce", "verifier", holder)
some = SDJWTVerifier(presenter.sd_jwt_presentation, lambda iss, header: issuer, "verifier", "nonce").get_verified_payload()
print(json.dumps([whole, some]))
`

withPython("Python's sd-jwt verifies ours, as issued and as its holder presents it (RFC 9901)", async (t) => {
  const issued = await issue({ decoys: 2, holderKey: holder.jwk })
  const url = `${did}#${did.slice('did:key:'.length)}`
  const jwk = toJwk(publicKeyOf(dereference(resolveDidKey(did), url, 'assertionMethod').method))
  const mine = JSON.stringify(holder.privateJwk)
  const [whole, some] = JSON.parse(await python(VERIFY, issued.encoded, JSON.stringify(jwk), mine)) as Json[]
  t.deepEqual(whole, issued.decoded)
  t.deepEqual(some, {
    ...issued.decoded,
    credentialSubject: { id: subject.id, type: subject.type, course: subject.course },
  })
  await t.throwsAsync(python(VERIFY, issued.encoded, JSON.stringify(keyPair().jwk), mine), {
    message: /InvalidJWSSignature/,
  })
})
