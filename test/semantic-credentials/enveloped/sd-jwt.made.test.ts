import test from 'ava'
import { decodeJwt } from 'jose'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { COURSE, create, results, until as untilBatch } from '../../support/credentials/batches.ts'
import { createDid, payload, verify } from '../../support/credentials/credentials.ts'
import { createTemplate, refusal, TEMPLATES } from '../../support/credentials/templates.ts'
import { type Json, pathsOf, vcApi, vcApiSettings } from '../../support/credentials/vc-api.ts'
import { type IssuedSdJwt, keyPair, namesIn } from '../../support/enveloped/sd-jwt.ts'
import { openWorld, type World } from '../../support/world.ts'

const TERMS = { '@vocab': 'https://e.example/#' }
const PREFIX = 'data:application/vc+sd-jwt,'
const holder = keyPair()

let world: World
let did: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  await vcApiSettings(world, true)
  did = await createDid(world, 'p256')
})
test.after.always(() => world?.close())

const ask = (path: string, body: Json) => world.ask(path, { token: world.token, body })

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
  const issued = reply.json<IssuedSdJwt>()
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
  const made = await results(world, batch.id)
  const names = made.map(({ credential }) => namesIn({ encoded: String(credential.id).slice(PREFIX.length) }))
  t.deepEqual(names, [['title'], ['course', 'title']])
})

test('rows for a template are bound to the keys of their holders, where its proof type can (D-1012)', async (t) => {
  const rows = JSON.stringify({ claims: { course: 'CS-101' }, holder_key: holder.jwk })
  const bound = await createTemplate(world, template({}))
  const batch = await create(world, rows, { templateId: bound.id, issuerDid: did })
  await untilBatch(world, batch.id, ({ status }) => status.startsWith('COMPLETED'))
  const [made] = await results(world, batch.id)
  const [jwt = ''] = String(made?.credential.id).slice(PREFIX.length).split('~')
  t.deepEqual(decodeJwt(jwt).cnf, { jwk: holder.jwk })

  const plain = await createTemplate(world, template({ proof_type: 'vc+jwt' }))
  const other = await create(world, rows, { templateId: plain.id, issuerDid: did })
  t.like(await untilBatch(world, other.id, ({ status }) => status.startsWith('COMPLETED')), { signed: 0, failed: 1 })
})

test('by the VC API the terms are options', async (t) => {
  const credential = { ...payload(did), id: 'urn:uuid:5e0f3a7c-8f04-4f5b-9d0a-0d7a2cf5f3b1' }
  const selectively = [['credentialSubject', 'course']]
  const options = { type: 'vc+sd-jwt', selectively, holderKey: holder.jwk }
  const reply = await vcApi(world, 'credentials/issue', { credential, options })
  t.is(reply.status, 201, reply.text)
  const { verifiableCredential } = reply.json<{ verifiableCredential: Json }>()
  const encoded = String(verifiableCredential.id).slice(PREFIX.length)
  t.deepEqual(namesIn({ encoded }), ['course'])
  const verified = await vcApi(world, 'credentials/verify', { verifiableCredential })
  t.is(verified.status, 200, verified.text)
  for (const [member, value] of Object.entries({ selectively: 'course', decoys: 'x', holderKey: [] })) {
    const refused = await vcApi(world, 'credentials/issue', { credential, options: { ...options, [member]: value } })
    t.deepEqual(pathsOf(refused.text), [`options.${member}`])
  }
})
