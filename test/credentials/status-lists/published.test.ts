import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import test from 'ava'
import { importJWK, jwtVerify } from 'jose'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { createDid, payload, type Signed, sign, verify } from '../../support/credentials/credentials.ts'
import { peerVerifies } from '../../support/credentials/linkage.ts'
import { pythonWith } from '../../support/parts/python.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const withPython = needs('Python')
const jwcrypto = pythonWith('jwcrypto==1.6.1')

const urlOfKey = (did: string) => `${did}#${did.slice('did:key:'.length)}`
const methodOf = (did: string) => dereference(resolveDidKey(did), urlOfKey(did), 'assertionMethod').method

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

for (const [proofType, keyType] of [
  ['Ed25519Signature2018', 'ed25519'],
  ['eddsa-rdfc-2022', 'ed25519'],
  ['ecdsa-rdfc-2019', 'p256'],
  ['ecdsa-rdfc-2019', 'p384'],
  ['bbs-2023', 'bls12381g2'],
] as const)
  for (const base of ['https://www.w3.org/2018/credentials/v1', 'https://www.w3.org/ns/credentials/v2'])
    test.serial(
      `the list of ${proofType} by ${keyType} under ${base} is anybody’s to verify: a BBS one is derived`,
      async (t) => {
        const did = await createDid(world, keyType)
        const more = { '@context': [base, { course: 'https://schema.org/courseCode' }] }
        const { credential } = await sign(world, did, { proofType, revocable: true, more })
        const entry = credential.credentialStatus as Record<string, string>
        const url = entry.revocationListCredential ?? entry.statusListCredential ?? ''
        const list = (await world.ask(new URL(url).pathname)).json<Json>()
        t.is(list.issuer, did)
        const peer = await peerVerifies(list, async (issuer) => resolveDidKey(issuer))
        t.true(peer.verified, JSON.stringify(peer.error))
        t.deepEqual(await verify(world, list), { verified: true, reason: [] })
      },
    )

test.serial('a list whose key is gone, as after a restore, is away and no fault of the reader', async (t) => {
  const did = await createDid(world)
  const { credential } = await sign(world, did, { revocable: true })
  const url = (credential.credentialStatus as Record<string, string>).statusListCredential ?? ''
  await world.dependencies.systemSql.query({
    text: 'delete from keys where did_id = (select id from dids where did = $1)',
    values: [did],
  })
  await setTimeout(5_100) // an issuer is remembered for 5 s
  const reply = await world.ask(new URL(url).pathname)
  t.is(reply.status, 503, reply.text)
  t.is(reply.json<{ type: string }>().type, '/problems#keys.unavailable')
  t.is(reply.headers.get('retry-after'), '3600')
})

test.serial('a list that nobody read before its issuer was deleted is gone (D-332)', async (t) => {
  const did = await createDid(world)
  const { credential } = await sign(world, did, { revocable: true })
  const url = (credential.credentialStatus as Record<string, string>).statusListCredential ?? ''
  t.is((await world.ask(`/v1/dids/${did}`, { method: 'DELETE', token: world.token })).status, 204)
  const reply = await world.ask(new URL(url).pathname)
  t.is(reply.status, 410, reply.text)
  t.is(reply.json<{ type: string }>().type, '/problems#status_list.issuer_gone')
})

const settings = async (body: object) => {
  const reply = await world.ask('/v1/settings', { method: 'PUT', token: world.token, body })
  if (reply.status !== 200) throw new Error(reply.text)
}

const listUrlOf = ({ credential, decoded }: Partial<Signed> & { decoded?: Json }): string => {
  const { credentialStatus } = (decoded ?? credential) as { credentialStatus: Record<string, string> }
  return credentialStatus.statusListCredential ?? credentialStatus.revocationListCredential ?? ''
}

const read = (url: string, headers: Record<string, string> = {}) => world.ask(new URL(url).pathname, { headers })

const revoke = async ({ id }: Pick<Signed, 'id'>) => {
  const path = `/v1/credentials/web-semantic/${id}/revocation-status`
  const reply = await world.ask(path, { token: world.token, body: { is_revoked: true } })
  if (reply.status !== 200) throw new Error(reply.text)
}

test.serial('lists that exist keep their form; new ones of a tenant that chose so are vc+jwt (D-837)', async (t) => {
  const did = await createDid(world, 'p256')
  const before = listUrlOf(await sign(world, did, { proofType: 'ecdsa-rdfc-2019', revocable: true }))
  await settings({ envelopedStatusLists: true })
  const signed = [
    await sign(world, did, { proofType: 'ecdsa-rdfc-2019', revocable: true }),
    await sign(world, did, { proofType: 'vc+jwt', revocable: true }),
    await sign(world, did, { proofType: 'vc+cose', revocable: true }),
    await sign(world, did, { proofType: 'vc+sd-jwt', revocable: true }),
  ]
  const urls = new Set(signed.map((each) => listUrlOf(each)))
  t.is(urls.size, 1, 'one list for all of them')
  const [url = ''] = urls
  t.not(url, before)
  t.like((await read(before)).json<Json>(), { id: before, proof: { cryptosuite: 'ecdsa-rdfc-2019' } })

  const reply = await read(url)
  t.deepEqual(
    [reply.status, reply.headers.get('content-type'), reply.headers.get('cache-control'), reply.headers.get('vary')],
    [200, 'application/vc+jwt', 'public, max-age=3', 'Accept'],
  )
  t.is(reply.headers.get('access-control-allow-origin'), '*')
  const key = await importJWK({ ...toJwk(publicKeyOf(methodOf(did))) }, 'ES256')
  const { payload, protectedHeader } = await jwtVerify(reply.text, key, { typ: 'vc+jwt', algorithms: ['ES256'] })
  t.like(protectedHeader, { cty: 'vc', kid: urlOfKey(did) })
  t.like(payload, { id: url, issuer: did, type: ['VerifiableCredential', 'BitstringStatusListCredential'] })
  t.false('proof' in payload)
  await settings({ envelopedStatusLists: false })
  t.is(listUrlOf(await sign(world, did, { proofType: 'vc+jwt', revocable: true })), before)
})

test.serial('a list as vc+jwt is an object with the envelope for callers who accept only JSON', async (t) => {
  await settings({ envelopedStatusLists: true })
  const did = await createDid(world, 'ed25519')
  const url = listUrlOf(await sign(world, did, { revocable: true }))
  const jwt = (await read(url)).text
  const tags = new Set<string | null>()
  for (const [accept, type] of [
    ['application/vc', 'application/vc'],
    ['application/ld+json', 'application/ld+json'],
    ['application/json;q=0.9, text/html;q=0.5', 'application/json'],
    ['application/vc;q=0.5, application/vc+jwt', 'application/vc+jwt'],
    ['text/html', 'application/vc+jwt'],
    ['*/*', 'application/vc+jwt'],
  ] as const) {
    const { status, headers, text } = await read(url, { accept })
    const etag = headers.get('etag') ?? ''
    t.deepEqual([status, headers.get('content-type')?.replace(/;.*/, '')], [200, type], accept)
    tags.add(etag)
    t.is((await read(url, { accept, 'if-none-match': etag })).status, 304)
    if (type === 'application/vc+jwt') t.is(text, jwt)
    else {
      t.deepEqual(JSON.parse(text), {
        '@context': 'https://www.w3.org/ns/credentials/v2',
        id: `data:application/vc+jwt,${jwt}`,
        type: 'EnvelopedVerifiableCredential',
      })
      t.deepEqual(await verify(world, JSON.parse(text)), { verified: true, reason: [] })
    }
  }
  t.is(tags.size, 4, 'each form has a tag of its own')
  const own = `/v1/credentials/web-semantic/revocation-lists/${url.split('/').at(-1)}`
  const shown = (await world.ask(own, { token: world.token })).json<Record<string, unknown>>()
  t.like(shown, { credential_id: url, credential: { id: `data:application/vc+jwt,${jwt}` } })
})

test.serial('lists of data model 1.1 and of BBS keys keep their proof where the others are vc+jwt', async (t) => {
  await settings({ envelopedStatusLists: true })
  const did = await createDid(world, 'ed25519')
  const more = { '@context': ['https://www.w3.org/2018/credentials/v1', { course: 'https://schema.org/courseCode' }] }
  const older = await sign(world, did, { proofType: 'Ed25519Signature2018', revocable: true, more })
  t.like((await read(listUrlOf(older))).json<Json>(), { proof: { type: 'Ed25519Signature2018' } })
  const bbs = await createDid(world, 'bls12381g2')
  const derived = await sign(world, bbs, { proofType: 'bbs-2023', revocable: true })
  t.like((await read(listUrlOf(derived))).json<Json>(), { proof: { cryptosuite: 'bbs-2023' } })
})

test.serial('a revocation and a suspension show in lists as vc+jwt, here and in what is published', async (t) => {
  await settings({ envelopedStatusLists: true })
  const did = await createDid(world, 'p256')
  const body = { payload: payload(did), proofType: 'vc+jwt', revocable: true, suspendable: true }
  const reply = await world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })
  const signed = reply.json<Signed & { decoded: { credentialStatus: Record<string, string>[] } }>()
  const [revocation, suspension] = signed.decoded.credentialStatus
  t.deepEqual(await verify(world, signed.credential), { verified: true, reason: [] })
  await revoke(signed)
  t.like(await verify(world, signed.credential), { verified: false, reason: [{ type: 'Revoked' }] })
  const bitOf = async ({ statusListCredential = '', statusListIndex }: Record<string, string> = {}) => {
    const [, content = ''] = (await read(statusListCredential)).text.split('.')
    const { credentialSubject } = JSON.parse(Buffer.from(content, 'base64url').toString())
    const bits = gunzipSync(Buffer.from(credentialSubject.encodedList.slice(1), 'base64url'))
    const index = Number(statusListIndex)
    return [credentialSubject.statusPurpose, ((bits[index >> 3] ?? 0) >> (7 - (index & 7))) & 1]
  }
  t.deepEqual(
    [await bitOf(revocation), await bitOf(suspension)],
    [
      ['revocation', 1],
      ['suspension', 0],
    ],
  )
})

/** Verifies a list as a JWT with a public JWK, and prints the bit of an entry (Bitstring Status List 1.0, section 3.2). */
const READ_BIT = `
import base64, gzip, json, sys
from jwcrypto import jwk, jws
token = jws.JWS()
token.deserialize(sys.argv[1], jwk.JWK.from_json(sys.argv[2]))
text = json.loads(token.payload)["credentialSubject"]["encodedList"][1:]
bits = gzip.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
index = int(sys.argv[3])
print(bits[index // 8] >> (7 - index % 8) & 1)
`

withPython('PyPI’s jwcrypto verifies our list as vc+jwt, and reads the bits of its entries', async (t) => {
  await settings({ envelopedStatusLists: true })
  const did = await createDid(world, 'ed25519')
  const [good, bad] = [await sign(world, did, { revocable: true }), await sign(world, did, { revocable: true })]
  await revoke(bad)
  const list = (await read(listUrlOf(good))).text
  const jwk = JSON.stringify(toJwk(publicKeyOf(methodOf(did))))
  const bitOf = async ({ credential }: Signed) => {
    const { statusListIndex = '' } = credential.credentialStatus as Record<string, string>
    return (await jwcrypto(READ_BIT, list, jwk, statusListIndex)).trim()
  }
  t.deepEqual([await bitOf(good), await bitOf(bad)], ['0', '1'])
})
