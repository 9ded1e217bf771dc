import { inflateSync } from 'node:zlib'
import test from 'ava'
import { importJWK, jwtVerify } from 'jose'
import { readList } from '../../protocol/compact-credentials/status-lists.ts'
import { verificationKey } from '../../protocol/data-integrity/keys.ts'
import { dereference, publicKeyOf, toJwk } from '../../protocol/dids/index.ts'
import { resolveDidKey } from '../../protocol/dids/key.ts'
import { statusAt } from '../../protocol/status-list/token.ts'
import { COMPACT, listIdOf, signCompact } from '../support/credentials/compact.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

/** A published list as its bytes. */
async function bytesAt(url: URL, accept: string): Promise<{ type: string; etag: string; bytes: Uint8Array }> {
  const response = await fetch(url, { headers: { accept } })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { type: response.headers.get('content-type') ?? '', etag: response.headers.get('etag') ?? '', bytes }
}

test('the published list has a revoked credential, in each form that a reader accepts (D-283)', async (t) => {
  const iss = await createDid(world, 'P-256')
  const [revoked, valid] = [
    await signCompact(world, { iss }, { revocable: true }),
    await signCompact(world, { iss }, { revocable: true }),
  ]
  await world.ask(`${COMPACT}/${revoked.id}/revocation-status`, { token: world.token, body: { is_revoked: true } })
  const id = listIdOf(revoked)
  const url = new URL(revoked.decoded.status?.url ?? '')
  t.is(url.pathname, `${COMPACT}/revocation-lists/${id}`)
  const lists = await world.ask(`${COMPACT}/revocation-lists`)
  const { data } = lists.json<{ data: { id: string }[] }>()
  t.deepEqual(
    data.find((each) => each.id === id),
    { id, issuer: iss, url: url.href } as { id: string },
  )
  const places = [revoked, valid].map(({ decoded }) => Number(decoded.status?.index))
  const keyOf = async (kid: string) =>
    verificationKey(dereference(resolveDidKey(iss), `${iss}#${kid}`, 'assertionMethod').method)
  const clock = { now: new Date() }
  const tags = new Set<string>()
  for (const [accept, expected, kind] of [
    ['*/*', 'application/cwt', 'bit-index'],
    ['text/html', 'application/cwt', 'bit-index'],
    ['application/statuslist+cwt', 'application/statuslist+cwt', 'token'],
  ] as const) {
    const { type, etag, bytes } = await bytesAt(url, accept)
    t.is(type, expected)
    const list = await readList(bytes, { kind, index: 0, url: url.href }, iss, keyOf, clock)
    t.deepEqual(places.map(list.isSet), [true, false], accept)
    tags.add(etag)
    const fresh = await world.ask(url.pathname, { headers: { accept, 'if-none-match': etag } })
    t.is(fresh.status, 304)
  }
  const { type, bytes, etag } = await bytesAt(url, 'application/statuslist+jwt')
  tags.add(etag)
  t.is(type, 'application/statuslist+jwt')
  t.is(tags.size, 3)
  const { publicJwk } = await jwkOf(iss)
  const { payload, protectedHeader } = await jwtVerify(bytes, await importJWK(publicJwk, 'ES256'), {
    typ: 'statuslist+jwt',
    subject: url.href,
    issuer: iss,
  })
  t.regex(protectedHeader.kid ?? '', /^did:key:/)
  const { lst, bits } = payload.status_list as { lst: string; bits: number }
  const statuses = inflateSync(Buffer.from(lst, 'base64url'))
  t.deepEqual(
    places.map((place) => statusAt(statuses, bits, place)),
    [1, 0],
  )
  t.is((await world.ask(`/v1/revocation-lists/${id}`)).status, 404, 'not among the lists that are credentials')
})

const jwkOf = async (did: string) => {
  const { method } = dereference(resolveDidKey(did), `${did}#${did.slice('did:key:'.length)}`, 'assertionMethod')
  return { publicJwk: { ...toJwk(publicKeyOf(method)) } }
}
