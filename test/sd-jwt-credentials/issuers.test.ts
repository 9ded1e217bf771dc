import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import test from 'ava'
import { createDid } from '../support/credentials/credentials.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { signSdJwt, verifySdJwt } from '../support/sd-jwt/credentials.ts'
import { openWorld, type World } from '../support/world.ts'

let names: Names
let world: World
test.before(async () => {
  names = await openNames()
  world = await openWorld({ env: names.env })
  names.platform.apiPort = world.config.port
  await createDid(world, 'P-256', world.token, true)
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const failed = ({ reason }: { reason: { type: string; code: string }[] }) =>
  reason.map(({ type, code }) => `${type} ${code}`)

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function jwt(key: KeyObject, header: object, claims: object): string {
  const input = `${base64url({ alg: 'ES256', ...header })}.${base64url(claims)}`
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

/** An issuer that is nobody's here, at a path of its own of https://elsewhere.test. */
function foreignIssuer() {
  const path = `/${randomBytes(6).toString('hex')}`
  const origin = `https://elsewhere.test:${names.port}`
  const issuer = `${origin}${path}`
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }] }
  const publish = (metadata: object) =>
    names.elsewhere.set(`/.well-known/jwt-vc-issuer${path}`, JSON.stringify(metadata))
  publish({ issuer, jwks })
  const page = (name: string, text: string) => {
    names.elsewhere.set(`${path}/${name}`, text)
    return `${issuer}/${name}`
  }
  const credential = (claims: object, header: object = {}) =>
    `${jwt(privateKey, { typ: 'dc+sd-jwt', kid: 'one', ...header }, { iss: issuer, vct: 'urn:example:course', course: 'CS-101', ...claims })}~`
  const list = (name: string, revoked: number[], more: object = {}) => {
    const bits = Buffer.alloc(1_024)
    for (const index of revoked) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7))
    const uri = `${issuer}/${name}`
    const claims = {
      sub: uri,
      iat: Math.floor(Date.now() / 1000),
      status_list: { bits: 1, lst: deflateSync(bits).toString('base64url') },
    }
    page(name, jwt(privateKey, { typ: 'statuslist+jwt', kid: 'one' }, { ...claims, ...more }))
    return uri
  }
  return { issuer, jwks, publish, page, credential, list }
}

test("a credential of the tenant's address verifies by the metadata that the address publishes", async (t) => {
  const payload = { vct: 'urn:example:course', course: 'CS-101' }
  const { encoded, decoded } = await signSdJwt(world, { payload, issued_as: 'https', revocable: true })
  t.is(decoded.iss, names.origin)
  const metadata = await names.read('issuer.test', '/.well-known/jwt-vc-issuer')
  t.is(metadata.status, 200)
  t.is(metadata.headers['content-type'], 'application/json')
  t.is(metadata.headers['access-control-allow-origin'], '*')
  const { issuer, jwks } = metadata.json<{ issuer: string; jwks: { keys: { kid: string }[] } }>()
  t.is(issuer, names.origin)
  const [header = ''] = encoded.split('.')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }
  t.true(jwks.keys.some((key) => key.kid === kid))
  const verdict = await verifySdJwt(world, encoded)
  t.true(verdict.verified, JSON.stringify(verdict.reason))
  t.is(verdict.issuer, names.origin)
})

/** DIDs of the tenant that are newer than all others, each with a key of the types of a did:web that sign. */
const NEWER_DIDS = `with made as (
  insert into dids (id, tenant_id, did, method, registration_status, document, hosting, created_at)
  select gen_random_uuid(), d.tenant_id, 'did:web:issuer.example:' || n, 'WEB', 'COMPLETED', '{}', 'caller',
    now() + n * interval '1 second'
  from dids d, generate_series(1, $3::int) n where d.did = $1
  returning id, tenant_id, did, created_at)
insert into keys (id, tenant_id, key_type, did_id, public_key, did_url, created_at)
select gen_random_uuid(), made.tenant_id, k.key_type, made.id, k.public_key, made.did || '#' || k.key_type,
  made.created_at
from made, keys k join dids d on d.id = k.did_id where d.did = any($2)`

test('the metadata has the key that signs of each of up to 100 DIDs: newer ones do not take its place (D-855)', async (t) => {
  const older = await createDid(world, 'P-256')
  const ofTypes = await Promise.all(['P-256', 'P-384', 'ed25519'].map((keyType) => createDid(world, keyType)))
  await world.dependencies.systemSql.query({ name: 'newer-dids', text: NEWER_DIDS, values: [older, ofTypes, 80] })
  const metadata = await names.read('issuer.test', '/.well-known/jwt-vc-issuer')
  const kids = metadata.json<{ jwks: { keys: { kid: string }[] } }>().jwks.keys.map(({ kid }) => kid)
  const newer = kids.filter((kid) => kid.startsWith('did:web:issuer.example:'))
  t.deepEqual([newer.length, newer.filter((kid) => kid.endsWith('#p256')).length], [80, 80])
  t.true(kids.some((kid) => kid.startsWith(`${older}#`)))
})

test('a credential of a foreign issuer verifies by its metadata, and its status by its list', async (t) => {
  const foreign = foreignIssuer()
  t.true((await verifySdJwt(world, foreign.credential({}))).verified)
  const uri = foreign.list('list', [7])
  const at = (idx: number) => foreign.credential({ status: { status_list: { idx, uri } } })
  t.true((await verifySdJwt(world, at(6))).verified)
  t.deepEqual(failed(await verifySdJwt(world, at(7))), ['Status sd_jwt.revoked'])
  t.deepEqual(failed(await verifySdJwt(world, at(100_000))), ['Status sd_jwt.status_list'])
})

test('what a foreign issuer publishes wrongly is a verdict', async (t) => {
  const cases: [what: string, make: (foreign: ReturnType<typeof foreignIssuer>) => string, code: string][] = [
    [
      'metadata of another issuer',
      ({ publish, jwks, credential }) => {
        publish({ issuer: 'https://other.example', jwks })
        return credential({})
      },
      'IssuerKey',
    ],
    ['no such key', ({ credential }) => credential({}, { kid: 'two' }), 'IssuerKey'],
    [
      'no keys',
      ({ publish, issuer, credential }) => {
        publish({ issuer })
        return credential({})
      },
      'IssuerKey',
    ],
    [
      'a list at another address',
      ({ list, credential, issuer }) => {
        const uri = list('list', [], { sub: `${issuer}/another` })
        return credential({ status: { status_list: { idx: 0, uri } } })
      },
      'Status',
    ],
    [
      'an expired list',
      ({ list, credential }) =>
        credential({ status: { status_list: { idx: 0, uri: list('list', [], { exp: 1_000_000_000 }) } } }),
      'Status',
    ],
    [
      'a list of another key',
      ({ credential }) => {
        const other = foreignIssuer()
        return credential({ status: { status_list: { idx: 0, uri: other.list('list', []) } } })
      },
      'Status',
    ],
    [
      'a list that is none',
      ({ page, credential }) => credential({ status: { status_list: { idx: 0, uri: page('list', 'nothing') } } }),
      'Status',
    ],
    [
      'no list',
      ({ issuer, credential }) => credential({ status: { status_list: { idx: 0, uri: `${issuer}/none` } } }),
      'Status',
    ],
    ['a status of another kind', ({ credential }) => credential({ status: { other: {} } }), 'Status'],
  ]
  for (const [what, make, type] of cases) {
    const verdict = await verifySdJwt(world, make(foreignIssuer()))
    t.false(verdict.verified, what)
    t.deepEqual(
      verdict.reason.map((each) => each.type),
      [type],
      `${what}: ${JSON.stringify(verdict.reason)}`,
    )
  }
})

test('the metadata of a type must have the digest that the credential names', async (t) => {
  const foreign = foreignIssuer()
  const vct = `${foreign.issuer}/type`
  const text = JSON.stringify({ vct, name: 'Course' })
  foreign.page('type', text)
  const integrity = (of: string) => `sha256-${createHash('sha256').update(of).digest('base64')}`
  const right = foreign.credential({ vct, 'vct#integrity': integrity(text) })
  const verdict = await verifySdJwt(world, right)
  t.true(verdict.verified, JSON.stringify(verdict.reason))
  t.is(verdict.checks.find(({ name }) => name === 'TypeMetadata')?.result, 'passed')
  const wrong = foreign.credential({ vct, 'vct#integrity': integrity(`${text} `) })
  t.deepEqual(
    (await verifySdJwt(world, wrong)).reason.map(({ type }) => type),
    ['TypeMetadata'],
  )
  t.true((await verifySdJwt(world, wrong, { check_type_metadata: false })).verified)
  const missing = foreign.credential({ vct: `${foreign.issuer}/none` })
  t.true((await verifySdJwt(world, missing)).verified, 'nobody says that there is one')
  t.false((await verifySdJwt(world, missing, { check_type_metadata: true })).verified)
})
