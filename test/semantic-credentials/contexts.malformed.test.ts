import test from 'ava'
import { createBatchAttempts } from '../../activities/credentials/batches/attempt.ts'
import { bundledOnly, createDocumentPool } from '../../activities/documents/index.ts'
import { createSemanticBatches } from '../../activities/semantic-credentials/batches.sign.ts'
import type { CredentialBatch } from '../../entities/credentials/batches.ts'
import { DocumentFault, Refusal } from '../../protocol/errors.ts'
import { create, errors, lines, post, results, until } from '../support/credentials/batches.ts'
import { createDid, payload, sign, verify } from '../support/credentials/credentials.ts'
import { makeHolder } from '../support/credentials/holders.ts'
import { verifyPresentation } from '../support/credentials/presentations.ts'
import { refusal, TEMPLATES } from '../support/credentials/templates.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import type { Reply, World } from '../support/world.ts'

let beside: WorldBeside
let world: World
let did: string
let content = '{}'
test.before(async () => {
  const answer = (_request: unknown, response: { end(text: string): unknown }) => response.end(content)
  beside = await openWorldBeside('contexts.test', answer, { workflows: true })
  world = beside.world
  did = await createDid(world)
  const settings = { fetchUnknownContexts: true, vcApi: true }
  await world.ask('/v1/settings', { method: 'PUT', token: world.token, body: settings })
})
test.after.always(() => beside?.close())

const AREA = '/v1/credentials/web-semantic'
const V2 = 'https://www.w3.org/ns/credentials/v2'
const ask = (path: string, body: unknown) => world.ask(path, { token: world.token, body })

/** What made jsonld throw TypeErrors, or what it tells by no place; each with where it is. */
const MALFORMED: [context: unknown, place: string][] = [
  [{ hasOwnProperty: 'urn:x' }, '/hasOwnProperty'],
  [{ a: { '@id': false } }, '/a/@id'],
  [{ a: { '@id': 0 } }, '/a/@id'],
  [{ issuer: { '@id': 0 } }, '/issuer/@id'],
  [{ '@container': {} }, '/@container'],
  [{ a: { '@container': {} } }, '/a/@container'],
  [{ a: { '@container': [[]] } }, '/a/@container'],
  [{ a: { '@context': { b: { '@id': false } } } }, '/a/@context/b/@id'],
  [{ a: { '@context': [{ b: 7 }] } }, '/a/@context/0/b'],
  [{ a: { '@type': {} } }, '/a/@type'],
  [{ a: { '@reverse': [] } }, '/a/@reverse'],
  [{ a: { '@language': {} } }, '/a/@language'],
  [{ a: { '@prefix': 'x' } }, '/a/@prefix'],
  [{ '@vocab': {} }, '/@vocab'],
  [{ '@base': [] }, '/@base'],
  [{ '@language': 7 }, '/@language'],
  [{ '@version': 1 }, '/@version'],
  [{ a: true }, '/a'],
]

/** A place in a context, as the path of an error has it (D-251). */
const dotted = (place: string) => place.replaceAll('/', '.')

/** Refused for its name, before anybody asks what it is. */
const unsafe = (context: unknown) => JSON.stringify(context).includes('hasOwnProperty')

type Errors = { path: string; code: string }[]
const errorsOf = (reply: Reply) => reply.json<{ errors: Errors }>().errors
const withContext = (context: unknown) => ({ '@context': [V2, { course: 'https://schema.org/courseCode' }, context] })

for (const [context, place] of MALFORMED) {
  const shown = JSON.stringify(context)

  test(`the context ${shown} is a 400 that names its place: sign, template, convert, proof of a presentation`, async (t) => {
    const where = `@context.2${dotted(place)}`
    const signed = await ask(`${AREA}/sign`, {
      payload: payload(did, withContext(context)),
      proofType: 'eddsa-rdfc-2022',
      revocable: false,
    })
    t.is(refusal(signed, 400), unsafe(context) ? 'credential.malformed' : 'context.invalid', signed.text)
    t.is(errorsOf(signed)[0]?.path, `payload.${where}`)
    const bbs = await createDid(world, 'bls12381g2')
    const base = { payload: payload(bbs, withContext(context)), proofType: 'bbs-2023', revocable: true }
    t.is(errorsOf(await ask(`${AREA}/sign`, base))[0]?.path, `payload.${where}`)

    const template = await ask(TEMPLATES, {
      ...{ name: 'Course', type: 'CourseCredential', additional_types: [], revocable: false },
      issuer: { name: 'Example University' },
      contexts: [V2, { '@vocab': 'https://example.edu/terms#' }, context],
    })
    const { id } = template.status === 200 ? template.json<{ id: string }>() : { id: undefined }
    const made = id ? await ask(`${TEMPLATES}/${id}/sign`, { claims: { course: 'x' }, issuer_did: did }) : template
    t.regex(refusal(made, 400), /^(context|credential_template)\.invalid$/, made.text)
    t.true(errorsOf(made)[0]?.path.endsWith(place.split('/').at(-1) ?? ''), made.text)

    for (const output_format of ['n-quads', 'cborld', 'jsonld']) {
      const data = { '@context': [{ '@vocab': 'https://a.example/' }, context], name: 'x' }
      const options = { input_format: 'jsonld', output_format, output_encoding: 'base64' }
      const converted = await ask(`${AREA}/linkeddata/convert`, { data, options })
      t.regex(refusal(converted, 400), /^(context\.invalid|linked_data\.unreadable)$/, converted.text)
      t.true(converted.text.includes(`data.@context.1${dotted(place)}`) || unsafe(context), converted.text)
    }

    const presentation = { ...withContext(context), type: ['VerifiablePresentation'], holder: did }
    const proved = await world.ask('/vc-api/presentations/prove', {
      token: world.token,
      body: { presentation, options: { challenge: 'the-challenge', domain: 'verifier.example' } },
    })
    t.is(refusal(proved, 400), 'context.invalid', proved.text)
    t.is(errorsOf(proved)[0]?.path, `presentation.${where}`)
  })

  test(`the context ${shown} is a verdict where somebody else has written it: verify, presentation`, async (t) => {
    const { credential } = await sign(world, did)
    const altered = { ...credential, '@context': [...(credential['@context'] as unknown[]), context] }
    const verdict = await verify(world, altered)
    t.false(verdict.verified)
    t.deepEqual(
      verdict.reason.map(({ type }) => type),
      ['Context'],
    )
    t.true(verdict.reason[0]?.message.includes(place), verdict.reason[0]?.message)
    const presented = await makeHolder().present(credential, { challenge: 'the-challenge' })
    for (const each of [
      { ...presented, verifiableCredential: [altered] },
      { ...presented, '@context': [V2, context] },
    ])
      t.false((await verifyPresentation(world, each)).verified)
    const derived = await ask(`${AREA}/derive`, { credential: altered, selectivePointers: 'everything' })
    t.is(derived.status, 400, derived.text)
  })
}

test.serial(
  'a malformed context elsewhere is refused by its place: registered, and named by a credential',
  async (t) => {
    for (const [nth, [context, place]] of MALFORMED.entries()) {
      content = JSON.stringify({ '@context': context })
      const url = beside.urlOf(`malformed/${nth}`)
      const registered = await ask(`${AREA}/contexts`, { url })
      t.is(refusal(registered, 400), 'context.invalid', registered.text)
      t.true(registered.text.includes(`/@context${place}`), registered.text)
      const signed = await ask(`${AREA}/sign`, {
        payload: payload(did, withContext(url)),
        proofType: 'eddsa-rdfc-2022',
        revocable: false,
      })
      t.is(refusal(signed, 400), 'context.invalid', signed.text)
    }
  },
)

test.serial(
  'a row with a malformed context is a row with an error, and the batch ends with all others signed',
  async (t) => {
    const claims = { id: 'did:example:a', course: 'x' }
    const rows = MALFORMED.map(([context], nth) =>
      JSON.stringify({
        payload: { ...withContext(context), credentialSubject: claims },
        tag: `malformed ${nth}`,
      }),
    )
    const good = lines(40)
    const options = { issuer: did, proofType: 'eddsa-rdfc-2022', context: JSON.stringify({ course: 'urn:course' }) }
    const { id } = await create(world, `${good}\n${rows.join('\n')}`, options)
    const ended = await until(world, id, ({ status }) => status === 'COMPLETED', 60_000)
    t.like(ended, { signed: 40, failed: MALFORMED.length })
    t.is((await results(world, id)).length, 40)
    const told = await errors(world, id)
    for (const [nth, [, place]] of MALFORMED.entries())
      t.like(
        told.find(({ row }) => row === 41 + nth),
        { code: nth === 0 ? 'credential.malformed' : 'context.invalid', field: `payload.@context.2${dotted(place)}` },
      )
  },
)

test.serial(
  'a malformed context that all rows of a batch would have refuses the batch, before any is read',
  async (t) => {
    for (const [context] of MALFORMED) {
      const options = { issuer: did, proofType: 'eddsa-rdfc-2022', context: JSON.stringify(context) }
      const reply = await post(world, lines(2), options)
      t.is(reply.status, 400, reply.text)
      t.is(errorsOf(reply)[0]?.path, 'context')
    }
  },
)

const batch = {
  id: 'b',
  issuers: [],
  options: { format: 'semantic', issuer: 'did:example:i', types: [], contexts: [], revocable: false },
}
const chunk = { tenantId: 't', batchId: 'b', from: 1, to: 3 }
const work = {
  batch: batch as unknown as CredentialBatch,
  rows: [1, 2, 3].map((row_number) => ({ row_number, input: { payload: { row: row_number } } })),
}

/** Attempts in which signing row 2 fails so, whatever is tried; `sound`: the process signs other documents. */
function attempts(fault: Error, sound: Error | undefined) {
  const tries: unknown[] = []
  const signing = {
    async sign(_tenantId: string, id: string, { payload: { row } }: { payload: { row?: unknown } }) {
      tries.push(row)
      if (row === 2) throw fault
      return { id }
    },
  }
  const log = { error: () => undefined }
  const selfTest = { prove: () => (sound ? Promise.reject(sound) : Promise.resolve()) }
  const batches = createSemanticBatches({ selfTest, signing } as unknown as Parameters<typeof createSemanticBatches>[0])
  const parts = { keys: { ready: async () => undefined }, log, formats: { of: () => ({ batches }) } }
  const { attemptIfReady } = createBatchAttempts(parts as unknown as Parameters<typeof createBatchAttempts>[0])
  return { tries, attempt: () => attemptIfReady(chunk, work) }
}

const FAULTS = [new DocumentFault('planted'), new Refusal('credential.unprocessable', 'planted')]

for (const fault of FAULTS)
  test(`a row over which something unforeseen fails (${fault.name}) is refused after three tries, and no other is (D-153)`, async (t) => {
    const { tries, attempt } = attempts(fault, undefined)
    const { signed, failed, broken } = await attempt()
    t.deepEqual(
      signed.map(({ row }) => row),
      [1, 3],
    )
    t.deepEqual(
      failed.map(({ row }) => row),
      [2],
    )
    t.is(tries.filter((row) => row === 2).length, 3)
    t.regex(failed[0]?.problem ?? '', /row\.unforeseen|credential\.unprocessable/)
    t.notRegex(failed[0]?.problem ?? '', /did:example/)
    t.is(broken, undefined)
  })

for (const fault of FAULTS)
  test(`a process that can sign nothing else either refuses no row (${fault.name}): what it did is kept, the rest is tried again (D-153)`, async (t) => {
    const { attempt } = attempts(fault, new TypeError('broken'))
    const { signed, failed, broken } = await attempt()
    t.deepEqual([signed.length, failed.length], [2, 0])
    t.true(broken instanceof TypeError)
  })

test('a fault of a part, such as the database, is no fault of the row: the whole chunk is tried again', async (t) => {
  const { attempt } = attempts(new Error('Connection terminated unexpectedly'), undefined)
  await t.throwsAsync(attempt(), { message: /Connection terminated/ })
})

test('a fault of our own within a thread is told as one, with its cause, and the thread goes on', async (t) => {
  const pool = createDocumentPool({ threads: 1 })
  try {
    const task = { name: 'nothing of the kind' as 'qrCode', input: 'x', contexts: new Map() }
    const error = await t.throwsAsync(pool.run(task, bundledOnly('tenant')), { instanceOf: DocumentFault })
    t.true(error?.cause instanceof TypeError)
    t.regex(await pool.run({ ...task, name: 'qrCode' }, bundledOnly('tenant')), /^data:image/)
  } finally {
    await pool.close()
  }
})
