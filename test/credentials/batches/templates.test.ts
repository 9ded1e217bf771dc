import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createActivities } from '../../../activities/index.ts'
import { addDuration } from '../../../protocol/time.ts'
import {
  claimLines,
  create,
  errors,
  type Posting,
  post,
  type Result,
  results,
  steer,
  until,
} from '../../support/credentials/batches.ts'
import { createDid, verify } from '../../support/credentials/credentials.ts'
import { chooseIssuer } from '../../support/credentials/dids.ts'
import { course, createTemplate, TEMPLATES } from '../../support/credentials/templates.ts'
import { openWorld, type World } from '../../support/world.ts'

/** The worker's key store, as the tests want it. */
const keys = { slowMs: 0 }

let world: World
let did: string
test.before(async () => {
  world = await openWorld({
    workflows: true,
    workerKeys: (store) => ({
      ...store,
      async sign(ref, data) {
        if (keys.slowMs) await wait(keys.slowMs)
        return store.sign(ref, data)
      },
    }),
  })
  did = await createDid(world)
})
test.afterEach.always(() => {
  keys.slowMs = 0
})
test.after.always(() => world?.close())

const PROOF = { proof_type: 'eddsa-rdfc-2022' }
const AREA = '/v1/credentials/web-semantic'
const csv: Posting = { type: 'text/csv' }
const completed = (id: string) => until(world, id, ({ status }) => status === 'COMPLETED')
const details = async (id: string | undefined) => (await world.ask(`${AREA}/${id}`, { token: world.token })).json()
const statuses = (signed: Result[]) => signed.flatMap(({ credential }) => [credential.credentialStatus].flat())

const count = async (text: string, values: unknown[] = []) =>
  (await world.dependencies.systemSql.query<{ count: number }>({ text, values })).rows[0]?.count

async function change(id: string, more: Record<string, unknown>): Promise<void> {
  const reply = await world.ask(`${TEMPLATES}/${id}`, { method: 'PUT', token: world.token, body: course(more) })
  if (reply.status !== 200) throw new Error(reply.text)
}

test.serial('rows of claims become credentials of the version that the template had (D-126)', async (t) => {
  const expires_in = { months: 1, hours: 2 }
  const mapped = { givenName: { map_from: 'claims.given_name', required: true }, course: 'claims.course' }
  const template = {
    ...PROOF,
    revocable: true,
    expires_in,
    claim_mappings: mapped,
    additional_types: ['Diploma'],
    ignore_unmapped: true,
  }
  const { id: templateId } = await createTemplate(world, template)
  const second = await createDid(world)
  await createDid(world)
  keys.slowMs = 60
  const body = claimLines(700, (row) => ({
    claims: { id: `did:example:${row}`, given_name: `Ann ${row}`, course: `C-${row}`, secret: row },
    ...(row % 100 === 0 ? { issuer_did: second, tag: `own-${row}` } : {}),
  }))
  const made = await create(world, body, { templateId, issuerDid: did, tag: 'spring' })
  t.like(made, { status: 'PROCESSING', total: 700, template_id: templateId, template_version: 1 })
  await until(world, made.id, ({ signed }) => signed > 0)
  await change(templateId, { name: 'Changed', revocable: false })
  keys.slowMs = 0
  t.like(await completed(made.id), { signed: 700, failed: 0, template_version: 1 })
  const signed = await results(world, made.id)
  t.deepEqual(
    signed.map(({ row }) => row),
    Array.from({ length: 700 }, (_, index) => index + 1),
  )
  for (const { row, credential } of signed) {
    t.like(credential, { name: 'Course certificate', type: ['VerifiableCredential', 'CourseCredential', 'Diploma'] })
    const { issuer, credentialSubject, validFrom, validUntil } = credential
    t.is((issuer as { id: string }).id, row % 100 === 0 ? second : did)
    t.deepEqual(credentialSubject, { id: `did:example:${row}`, givenName: `Ann ${row}`, course: `C-${row}` })
    const end = addDuration(new Date(String(validFrom)), expires_in)
    t.is(validUntil, end?.toISOString().replace('.000Z', 'Z'), 'counted from the row’s own issuance')
  }
  t.true(new Set(signed.map(({ credential }) => credential.validFrom)).size > 1)
  t.is(new Set(statuses(signed).map((entry) => JSON.stringify(entry))).size, 700)
  t.deepEqual(await verify(world, signed[699]?.credential), { verified: true, reason: [] })
  const version = { template_id: templateId, template_version: 1, type: 'CourseCredential', expires_in }
  t.like(await details(signed[0]?.id), { ...version, tag: 'spring', revocable: true })
  t.like(await details(signed[699]?.id), { ...version, tag: 'own-700' })
  const { rows } = await world.dependencies.systemSql.query<{ metadata: object }>({
    text: `select metadata from logs where type = 'CREDENTIAL_WEB_SEMANTIC_BATCH_CREATE_SUCCESS' and metadata->>'id' = $1`,
    values: [made.id],
  })
  t.like(rows[0]?.metadata, { templateId, templateVersion: 1 })
})

test.serial('CSV columns are the template’s claims, and the issuer is settled with the batch (D-126)', async (t) => {
  const claim_mappings = { course: 'claims.course', score: 'claims.score', city: 'claims.address.city' }
  const { id: templateId } = await createTemplate(world, { ...PROOF, claim_mappings, ignore_unmapped: true })
  const chosen = await createDid(world)
  await chooseIssuer(world, chosen, world.token)
  keys.slowMs = 30
  const rows = Array.from({ length: 260 }, (_, n) => `did:example:${n + 1},C-${n + 1},${n}.5,City ${n},t-${n + 1},x`)
  const body = `id,course,score:number,address.city,$tag,unmapped\n${rows.join('\n')}`
  const made = await create(world, body, { templateId }, csv)
  await chooseIssuer(world, await createDid(world), world.token)
  keys.slowMs = 0
  t.like(await completed(made.id), { signed: 260, failed: 0, template_id: templateId })
  const signed = await results(world, made.id)
  t.true(signed.every(({ credential }) => (credential.issuer as { id: string }).id === chosen))
  const subject = { id: 'did:example:260', course: 'C-260', score: 259.5, city: 'City 259' }
  t.deepEqual(signed[259]?.credential.credentialSubject, subject)
  t.like(await details(signed[259]?.id), { tag: 't-260', template_version: 1, revocable: false })
})

test.serial('claims that do not fit the template are the row’s own error, with field and rule (D-126)', async (t) => {
  const url = { '@id': 'https://schema.org/url', '@type': '@id' }
  const terms = {
    course: 'https://schema.org/courseCode',
    extra: url,
    CourseCredential: 'https://example.edu/CourseCredential',
  }
  const { id: templateId } = await createTemplate(world, {
    ...PROOF,
    contexts: ['https://www.w3.org/ns/credentials/v2', terms],
    claim_mappings: { course: { map_from: 'claims.course', required: true }, extra: 'claims.extra' },
  })
  const subject = { id: 'did:example:a', course: 'C' }
  const theirs = await createDid(world, 'ed25519', await world.tokenOf(await world.addTenant()))
  const rows: [line: object, field: string, code: string, rule: string][] = [
    [
      { claims: { id: 'did:example:a' } },
      'claims.course',
      'credential_template.claims_missing',
      'credential_template.claim_required',
    ],
    [
      { claims: { ...subject, extra: 'x' } },
      'credential.credentialSubject.extra',
      'credential.invalid',
      'credential.uri_relative',
    ],
    [
      { claims: { ...subject, cours: 'x' } },
      'claims.cours',
      'credential_template.claims_unmapped',
      'credential_template.claim_unmapped',
    ],
    [
      { claims: { ...subject, id: 'no uri' } },
      'credential.credentialSubject.id',
      'credential.invalid',
      'credential.uri',
    ],
    [{ claims: subject, issuer_did: theirs }, 'issuer_did', 'credential.issuer_unknown', 'issuer'],
    [
      { claims: subject, issuer_did: await createDid(world, 'p256') },
      'issuer_did',
      'credential.issuer_key_unfit',
      'issuer',
    ],
    [{ claims: subject, suspendable: true }, 'suspendable', 'request.invalid', 'suspendable'],
    [{ claims: subject, proofType: 'bbs-2023' }, 'proofType', 'row.invalid', 'row.unknown_member'],
    [{ payload: { credentialSubject: subject } }, 'payload', 'row.invalid', 'row.unknown_member'],
  ]
  const good = JSON.stringify({ claims: subject, suspendable: false, issuer_did: null })
  const body = [good, ...rows.map(([line]) => JSON.stringify(line)), good].join('\n')
  const { id } = await create(world, body, { templateId, issuerDid: did })
  t.like(await completed(id), { signed: 2, failed: rows.length })
  const told = await errors(world, id)
  for (const [index, [, field, code, rule]] of rows.entries()) {
    const [found] = told.filter(({ row }) => row === index + 2)
    t.like(found, { field, code, rule })
  }
})

test.serial('what the template says, and what no row could be signed with, is refused at once (D-126)', async (t) => {
  const { id: templateId } = await createTemplate(world, PROOF)
  const stranger = await world.tokenOf(await world.addTenant())
  const gone = (await createTemplate(world)).id
  await world.ask(`${TEMPLATES}/${gone}`, { method: 'DELETE', token: world.token })
  const batches = 'select count(*)::int from credential_batches'
  const before = await count(batches)
  const refused = async (options: Record<string, string>, posting?: Posting, body = claimLines(1)) => {
    const { type, errors = [] } = (await post(world, body, options, posting)).json<{
      type: string
      errors?: { path: string }[]
    }>()
    return [type.replace('/problems#', ''), ...errors.map(({ path }) => path)]
  }
  const settled = { issuer: did, proofType: 'eddsa-rdfc-2022', revocable: 'false', type: 'T', context: '{}' }
  t.deepEqual(await refused({ templateId, ...settled }), ['request.invalid', ...Object.keys(settled)])
  t.deepEqual(await refused({ issuerDid: did }), ['request.invalid', 'issuerDid'])
  t.deepEqual(await refused({ templateId: 'x' }), ['request.invalid', 'templateId'])
  t.deepEqual(await refused({ templateId: randomUUID() }), ['credential_template.not_found'])
  t.deepEqual(await refused({ templateId: gone }), ['credential_template.not_found'])
  t.deepEqual(await refused({ templateId }, { token: stranger }), ['credential_template.not_found'])
  t.is((await post(world, claimLines(1), { templateId: gone })).status, 404)
  const theirs = (await createTemplate(world, PROOF, stranger)).id
  t.deepEqual(await refused({ templateId: theirs }), ['credential_template.not_found'])
  t.deepEqual(await refused({ templateId: theirs }, { token: stranger }), [
    'credential_template.no_issuer',
    'issuerDid',
  ])
  const p256 = await createDid(world, 'p256')
  t.deepEqual(await refused({ templateId, issuerDid: p256 }), ['credential.issuer_key_unfit', 'issuerDid'])
  t.deepEqual(await refused({ templateId, issuerDid: 'did:example:x' }), ['credential.issuer_unknown', 'issuerDid'])
  t.deepEqual(await refused({ templateId, suspendable: 'true' }), ['request.invalid', 'suspendable'])
  const contexts = ['https://www.w3.org/2018/credentials/v1', { '@vocab': 'https://example.edu/terms#' }]
  const older = (await createTemplate(world, { ...PROOF, revocable: true, contexts })).id
  const unsupported = ['status_list.purpose_unsupported', 'suspendable']
  t.deepEqual(await refused({ templateId: older, suspendable: 'true' }), unsupported)
  t.deepEqual(await refused({ templateId }, csv, 'id,$validUntil\na,b\n'), ['batch.csv_header', 'column.2'])
  t.is(await count(batches), before, 'nothing is left')
})

test.serial('a template deleted midway pauses the batch; resumed, what is left is refused (D-128)', async (t) => {
  const { id: templateId } = await createTemplate(world, { ...PROOF, revocable: true })
  keys.slowMs = 60
  const { id } = await create(world, claimLines(2_400), { templateId, issuerDid: did, suspendable: 'true' })
  await until(world, id, ({ signed }) => signed > 0)
  t.is((await world.ask(`${TEMPLATES}/${templateId}`, { method: 'DELETE', token: world.token })).status, 204)
  const paused = await until(world, id, ({ status }) => status === 'PAUSED')
  t.like(paused, { failed: 0, paused: { code: 'batch.template_gone' } }, 'nothing was refused in silence')
  const recorded = 'select count(*)::int from credentials where template_id = $1'
  await wait(500) // slices in hand come to their end
  t.is(await count(recorded, [templateId]), paused.signed, 'nothing was signed from it after it was deleted')
  keys.slowMs = 0
  await steer(world, id, 'resume')
  const done = await completed(id)
  t.like(done, { signed: paused.signed, failed: 2_400 - paused.signed })
  const told = await errors(world, id)
  t.is(told.length, done.failed)
  t.true(told.every(({ code }) => code === 'credential_template.not_found'))
  t.is((await results(world, id)).length, done.signed)
})

test.serial('a deleted issuer pauses a batch of claims too; resumed, its rows are refused (D-128)', async (t) => {
  const { id: templateId } = await createTemplate(world, PROOF)
  const leaving = await createDid(world)
  keys.slowMs = 60
  const body = claimLines(1_200, (row) => (row % 2 === 0 ? { issuer_did: leaving } : {}))
  const { id } = await create(world, body, { templateId, issuerDid: did })
  await until(world, id, ({ signed }) => signed > 0)
  await world.ask(`/v1/dids/${leaving}`, { token: world.token, method: 'DELETE' })
  t.like(await until(world, id, ({ status }) => status === 'PAUSED'), { paused: { code: 'batch.issuer_gone' } })
  keys.slowMs = 0
  await steer(world, id, 'resume')
  const done = await completed(id)
  t.is(done.signed + done.failed, 1_200)
  const told = await errors(world, id)
  t.is(told.length, done.failed)
  t.not(told.length, 0, 'the issuer left before its last row')
  t.true(
    told.every(
      ({ row, code, field }) => row % 2 === 0 && code === 'credential.issuer_unknown' && field === 'issuer_did',
    ),
  )
  t.is((await results(world, id)).filter(({ row }) => row % 2 === 1).length, 600)
})

test.serial('chunks that several workers sign at once are recorded once, entries and all (D-126)', async (t) => {
  const { id: templateId } = await createTemplate(world, { ...PROOF, revocable: true })
  keys.slowMs = 40
  const { id } = await create(world, claimLines(500), { templateId, issuerDid: did, suspendable: 'true' })
  const { signBatchChunk } = createActivities(world.dependencies)
  const chunk = { tenantId: world.first.tenantId, batchId: id, from: 1, to: 500 }
  await Promise.all([signBatchChunk(chunk), signBatchChunk(chunk)])
  t.like(await signBatchChunk(chunk), { signed: 500, failed: 0 })
  t.like(await completed(id), { signed: 500, failed: 0 })
  const signed = await results(world, id)
  t.is(signed.length, 500)
  t.is(new Set(statuses(signed).map((entry) => JSON.stringify(entry))).size, 1_000)
  const recorded = 'select count(*)::int from credentials where template_id = $1'
  t.is(await count(recorded, [templateId]), 500)
})
