import test from 'ava'
import { createDid, payload, type Signed, sign, verify } from '../support/credentials/credentials.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const SIGN = '/v1/credentials/web-semantic/sign'

for (const [proofType, keyType] of [
  ['Ed25519Signature2018', 'ed25519'],
  ['eddsa-rdfc-2022', 'ed25519'],
  ['eddsa-2022', 'ed25519'],
  ['ecdsa-rdfc-2019', 'p256'],
  ['BbsSignature2022', 'bls12381g2'],
  ['bbs-2023', 'bls12381g2'],
] as const)
  for (const base of ['https://www.w3.org/2018/credentials/v1', 'https://www.w3.org/ns/credentials/v2'])
    test(`${proofType} under ${base}: signed, verified, revoked at once, restored (specification, Endpoints)`, async (t) => {
      const did = await createDid(world, keyType)
      const more = { '@context': [base, { course: 'https://schema.org/courseCode' }], name: 'A course' }
      const { id, credential } = await sign(world, did, { proofType, revocable: true, more })
      t.deepEqual(await verify(world, credential), { verified: true, reason: [] })
      const path = `/v1/credentials/web-semantic/${id}/revocation-status`
      const revoked = await world.ask(path, { token: world.token, body: { is_revoked: true } })
      t.is(revoked.status, 200)
      t.deepEqual(revoked.json(), {})
      t.deepEqual(
        (await verify(world, credential)).reason.map(({ type }) => type),
        ['Revoked'],
      )
      await world.ask(path, { token: world.token, body: { is_revoked: false } })
      t.true((await verify(world, credential)).verified)
      const status = credential.credentialStatus as Record<string, string>
      const listUrl = status.revocationListCredential ?? status.statusListCredential
      const list = await fetch(String(listUrl))
      t.is(list.status, 200)
      t.true((await verify(world, await list.json())).verified)
    })

test('a changed credential fails by Proof, an ended one by Expired, a coming one by NotYetValid', async (t) => {
  const did = await createDid(world)
  const { credential } = await sign(world, did)
  const changed = { ...credential, credentialSubject: { id: 'did:example:other', course: 'CS-101' } }
  t.deepEqual(
    (await verify(world, changed)).reason.map(({ type }) => type),
    ['Proof'],
  )
  const past = await sign(world, did, {
    more: { validFrom: '2020-01-01T00:00:00Z', validUntil: '2020-02-01T00:00:00Z' },
  })
  t.deepEqual(
    (await verify(world, past.credential)).reason.map(({ type }) => type),
    ['Expired'],
  )
  const coming = await sign(world, did, { more: { validFrom: '2999-01-01T00:00:00Z' } })
  t.deepEqual(
    (await verify(world, coming.credential)).reason.map(({ type }) => type),
    ['NotYetValid'],
  )
})

test('a claim that no context defines is a 400 that names it', async (t) => {
  const did = await createDid(world)
  const body = {
    payload: payload(did, { credentialSubject: { id: 'did:example:a', shoeSize: 41 } }),
    proofType: 'eddsa-rdfc-2022',
    revocable: false,
  }
  const reply = await world.ask(SIGN, { token: world.token, body })
  t.is(reply.status, 400)
  t.regex(reply.text, /shoeSize/)
})

test('the issuer must be the tenant’s own, and hold a fitting key', async (t) => {
  const did = await createDid(world)
  const foreign = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
  const sent = async (issuer: string, proofType: string) =>
    (
      await world.ask(SIGN, { token: world.token, body: { payload: payload(issuer), proofType, revocable: false } })
    ).json<{
      status: number
      type: string
    }>()
  t.like(await sent(foreign, 'eddsa-rdfc-2022'), { status: 400, type: '/problems#credential.issuer_unknown' })
  t.like(await sent(did, 'bbs-2023'), { status: 400, type: '/problems#credential.issuer_key_unfit' })
  t.like(await sent(did, 'rsa'), { status: 400, type: '/problems#credential.proof_type_unsupported' })
})

test('a list filters by tag and type, and pages; the tag is not in the credential (specification, Endpoints)', async (t) => {
  const did = await createDid(world)
  const more = {
    '@context': [
      'https://www.w3.org/ns/credentials/v2',
      { CourseCredential: 'https://example.org/CourseCredential', course: 'https://schema.org/courseCode' },
    ],
    type: ['VerifiableCredential', 'CourseCredential'],
  }
  const signed = await sign(world, did, { tag: 'seven', more })
  await sign(world, did, { tag: 'eight' })
  t.false('tag' in signed.credential)
  const list = async (query: string) =>
    (await world.ask(`/v1/credentials/web-semantic?${query}`, { token: world.token })).json<{
      data: Signed[]
      total_count: number
      limit: number
    }>()
  t.like(await list('tag=seven'), { total_count: 1, limit: 20 })
  t.deepEqual(
    (await list('type=CourseCredential')).data.map(({ id }) => id),
    [signed.id],
  )
  t.is((await list('type=VerifiableCredential&tag=eight')).total_count, 1, 'all have this type')
  t.deepEqual((await list('limit=0')).data, [])
  const details = await world.ask(`/v1/credentials/web-semantic/${signed.id}`, { token: world.token })
  t.like(details.json(), { id: signed.id, type: 'CourseCredential', is_revoked: false, revocable: false, tag: 'seven' })
  t.deepEqual(details.json<Signed>().credential, signed.credential)
})

test('a credential without status cannot be revoked, and says so', async (t) => {
  const did = await createDid(world)
  const { id } = await sign(world, did)
  const reply = await world.ask(`/v1/credentials/web-semantic/${id}/revocation-status`, {
    token: world.token,
    body: { is_revoked: true },
  })
  t.is(reply.status, 400)
  t.is(reply.json().type, '/problems#credential.not_revocable')
})
