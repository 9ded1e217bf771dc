import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { readSdJwt } from '../../../protocol/sd-jwt-credentials/read.ts'
import { createDid, payload, verdictOf, verify } from '../../support/credentials/credentials.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { type Json, pathsOf } from '../../support/credentials/vc-api.ts'
import { type IssuedSdJwt, keyPair, namesIn } from '../../support/enveloped/sd-jwt.ts'
import { pythonWith } from '../../support/parts/python.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const BASE = '/v1/credentials/web-semantic'
const TERMS = { '@vocab': 'https://e.example/#' }
const holder = keyPair()

const withPython = needs('Python')
/** The library of the authors of the RFC. */
const python = pythonWith('sd-jwt==0.10.4')

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
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

async function issue(terms?: Json, more?: Json): Promise<IssuedSdJwt> {
  const reply = await trySign(terms, more)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<IssuedSdJwt>()
}

/** The credential with some of its disclosures, as its holder shows it. */
function shown({ encoded }: IssuedSdJwt, isShown: (name: string | undefined, value: unknown) => boolean): Json {
  const { disclosures } = readSdJwt(encoded)
  const kept = disclosures.filter(({ name, value }) => isShown(name, value)).map(({ encoded: each }) => `${each}~`)
  const url = `data:application/vc+sd-jwt,${encoded.slice(0, encoded.indexOf('~') + 1)}${kept.join('')}`
  return { '@context': CONTEXT.credentialsV2, id: url, type: 'EnvelopedVerifiableCredential' }
}

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

test('a warning says that members of the credential are not disclosed, and one may be a status', async (t) => {
  const issued = await issue({ selectively: [['name'], ['credentialSubject', 'course']] }, { name: 'A course' })
  const typesOf = async (isShown: (name: string | undefined) => boolean) => {
    const { verified, warnings } = await verdictOf(world, shown(issued, isShown))
    t.true(verified)
    return warnings.map(({ type }) => type).filter((type) => type === 'UndisclosedMembers')
  }
  t.deepEqual(await typesOf(() => true), [])
  t.deepEqual(await typesOf((name) => name === 'name'), [])
  t.deepEqual(await typesOf((name) => name === 'course'), ['UndisclosedMembers'])
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
  ...[
    ...['@context', 'type', 'issuer', 'validFrom', 'validUntil', 'credentialStatus', 'credentialSchema'],
    ...['relatedResource', 'termsOfUse', 'proof'],
  ].map((member): (typeof REFUSED)[number] => [
    `${member} hidden`,
    { selectively: [[member]] },
    {},
    ['credential.invalid', 'disclosure.never', 'selectively.0'],
  ]),
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
