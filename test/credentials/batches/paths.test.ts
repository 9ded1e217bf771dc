import test from 'ava'
import { create, errors, until } from '../../support/credentials/batches.ts'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
})
test.after.always(() => world?.close())

test('rows whose claim paths are none are refused by themselves, and the others are signed', async (t) => {
  const did = await createDid(world, 'p256')
  const rows: [selectively: unknown, code?: string, rule?: string][] = [
    [[['credentialSubject', 'course']]],
    [[{}], 'row.invalid', 'row.type'],
    [[null], 'row.invalid', 'row.type'],
    [[1], 'row.invalid', 'row.type'],
    [[['credentialSubject', 'course'], 'course'], 'row.invalid', 'row.type'],
    [{}, 'row.invalid', 'row.type'],
    [[[]], 'credential.invalid', 'disclosure.path'],
    [[[{}]], 'credential.invalid', 'disclosure.path'],
    [[[null]], 'credential.invalid', 'disclosure.path'],
    [[]],
  ]
  const credentialSubject = { id: 'did:example:holder', course: 'CS-101' }
  const context = ['https://www.w3.org/ns/credentials/v2', { course: 'https://schema.org/courseCode' }]
  const document = payload(did, { '@context': context, credentialSubject })
  const lines = rows.map(([selectively]) => JSON.stringify({ payload: document, proofType: 'vc+sd-jwt', selectively }))
  const { id } = await create(world, lines.join('\n'))
  t.like(await until(world, id, ({ status }) => status === 'COMPLETED'), { signed: 2, failed: 8 })
  t.deepEqual(
    (await errors(world, id)).map(({ row, code, rule }) => [row, code, rule]),
    rows.flatMap(([, code, rule], place) => (code === undefined ? [] : [[place + 1, code, rule]])),
  )
})
