import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { identityQuery, REQUESTS } from '../../support/openid/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let bls: string
let foreign: string
test.before(async () => {
  world = await openWorld()
  bls = await createDid(world, 'bls12381g2')
  const token = await world.tokenOf(await world.addTenant())
  const body = { method: 'KEY', options: { keyType: 'p256' } }
  foreign = (await world.ask('/v1/dids', { token, body })).json<{ did: string }>().did
})
test.after.always(() => world?.close())

interface Refused {
  type: string
  errors: { path: string; code: string; message: string }[]
}

/** What a newcomer sends, and what the answer tells of it. */
const CASES: [
  what: string,
  body: () => object,
  expected: [status: number, path: string, code: string],
  says: RegExp,
][] = [
  [
    'neither a DID nor a verifier',
    () => ({}),
    [400, 'verifierDid', 'required'],
    /expected verifierDid, a DID of the tenant .* or else verifierId, the id of a verifier of createOidcVerifier/,
  ],
  [
    'both',
    () => ({ verifierDid: bls, verifierId: randomUUID() }),
    [400, 'verifierId', 'exclusive'],
    /expected exactly one of verifierDid and verifierId/,
  ],
  [
    'the id of no verifier',
    () => ({ verifierId: randomUUID() }),
    [404, 'verifierId', 'unknown'],
    /expected the id of a verifier of createOidcVerifier, as indexOidcVerifier lists it; .* name a DID in verifierDid/,
  ],
  ['a DID as the id', () => ({ verifierId: 'did:key:z6Mk' }), [400, 'verifierId', 'schema'], /expected a UUID/],
  ['a word as the DID', () => ({ verifierDid: 'me' }), [400, 'verifierDid', 'did'], /expected/],
  ['a DID of nobody', () => ({ verifierDid: 'did:web:nobody.example' }), [400, 'verifierDid', 'did'], /expected/],
  ['a DID of another tenant', () => ({ verifierDid: foreign }), [400, 'verifierDid', 'did'], /expected/],
  ['a DID whose key signs no request', () => ({ verifierDid: bls }), [400, 'verifierDid', 'did'], /expected/],
  [
    'a name in another spelling',
    () => ({ verifier_id: randomUUID() }),
    [400, 'verifier_id', 'schema'],
    /did you mean verifierId/,
  ],
]

for (const [what, body, [status, path, code], says] of CASES)
  test(`a request of OpenID4VP with ${what} is refused with the field, the rule and what is expected`, async (t) => {
    const sent = { dcqlQuery: identityQuery(), ...body() }
    const reply = await world.ask(REQUESTS, { token: world.token, body: sent })
    t.is(reply.status, status, reply.text)
    const [error] = reply.json<Refused>().errors
    t.like(error, { path, code })
    t.regex(error?.message ?? '', says)
  })
