import test from 'ava'
import { BATCHES, post, query } from '../../support/credentials/batches.ts'
import { createDid, payload, sign, verify } from '../../support/credentials/credentials.ts'
import { course, createTemplate, refusal, TEMPLATES } from '../../support/credentials/templates.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  did = await createDid(world)
})
test.after.always(() => world?.close())

const ALTERED = ['1e-400', '0.1234567890123456789', '-0', '-0.0', '9007199254740993']
const AREA = '/v1/credentials/web-semantic'

/** JSON text of a body with a number as it is written. */
const withNumber = (body: unknown, literal: string) => JSON.stringify(body).replace('"NUMBER"', literal)
const ask = (path: string, body: unknown, literal: string, method = 'POST') =>
  world.ask(path, {
    method,
    token: world.token,
    raw: withNumber(body, literal),
    headers: { 'content-type': 'application/json' },
  })

const GRADE = {
  '@context': ['https://www.w3.org/ns/credentials/v2', { grade: 'https://schema.org/gradeLevel' }],
  credentialSubject: { id: 'did:example:holder', grade: 'NUMBER' },
}

for (const literal of ALTERED) {
  test(`${literal} is refused where it would be signed, kept or verified (D-007)`, async (t) => {
    const template = await createTemplate(world)
    const { credential } = await sign(world, did)
    const mapped = { claim_mappings: { grade: { default_value: { points: ['NUMBER'] } } } }
    const bodies: [path: string, body: unknown, method?: string][] = [
      [`${AREA}/sign`, { payload: payload(did, GRADE), proofType: 'eddsa-rdfc-2022', revocable: false }],
      [`${AREA}/verify`, { payload: { ...credential, grade: 'NUMBER' } }],
      [TEMPLATES, course(mapped)],
      [`${TEMPLATES}/${template.id}`, course(mapped), 'PUT'],
      [`${TEMPLATES}/${template.id}/sign`, { claims: { grade: 'NUMBER' } }],
      [`${AREA}/linkeddata/convert`, { data: { '@context': {}, 'urn:p': 'NUMBER' }, options: {} }],
    ]
    for (const [path, body, method] of bodies) {
      const reply = await ask(path, body, literal, method)
      t.is(refusal(reply, 400), 'request.number_out_of_range', path)
      t.regex(reply.json<{ errors: { path: string }[] }>().errors[0]?.path ?? '', /grade|points|urn:p/, path)
    }
  })

  test(`${literal} in a row is a row with an error, in JSON lines and in CSV (D-007)`, async (t) => {
    const line = withNumber({ payload: payload(did, GRADE), proofType: 'eddsa-rdfc-2022' }, literal)
    const options = { issuer: did, proofType: 'eddsa-rdfc-2022', context: JSON.stringify(GRADE['@context'][1]) }
    const uploads = [
      await post(world, line, {}),
      await post(world, `grade:number\n${literal}\n`, options, { type: 'text/csv' }),
      await post(world, `grade:json\n"[${literal}]"\n`, options, { type: 'text/csv' }),
    ]
    for (const reply of uploads) t.like(reply.json(), { total: 1, failed: 1 }, reply.text)
  })

  test(`${literal} is refused in JSON that stands in a text: a context in a query, linked data (D-007)`, async (t) => {
    const context = withNumber({ grade: 'urn:grade', '@version': 'NUMBER' }, literal)
    const options = { issuer: did, proofType: 'eddsa-rdfc-2022', context }
    const reply = await world.ask(`${BATCHES}${query(options)}`, {
      token: world.token,
      raw: 'grade\n1\n',
      headers: { 'content-type': 'text/csv' },
    })
    t.is(refusal(reply, 400), 'request.invalid')
    t.like(reply.json(), { errors: [{ path: 'context' }] })
    for (const encoding of ['text', 'base64']) {
      const text = withNumber({ '@context': {}, 'urn:p': 'NUMBER' }, literal)
      const data = {
        data: encoding === 'text' ? text : Buffer.from(text).toString('base64'),
        metadata: { encoding, format: 'jsonld' },
      }
      const body = { data, options: { input_format: 'jsonld', output_format: 'n-quads', output_encoding: 'text' } }
      const converted = await world.ask(`${AREA}/linkeddata/convert`, { token: world.token, body })
      t.is(refusal(converted, 400), 'linked_data.unreadable', encoding)
      t.like(converted.json(), { errors: [{ path: 'data.data', code: 'number' }] })
    }
  })
}

test('numbers that a double holds are signed, and come back as they were written', async (t) => {
  for (const literal of ['0.1', '1e2', '-2.5', '1.0', '9007199254740991', '1.5e-7']) {
    const body = { payload: payload(did, GRADE), proofType: 'eddsa-rdfc-2022', revocable: false }
    const reply = await ask(`${AREA}/sign`, body, literal)
    t.is(reply.status, 200, reply.text)
    const { credential } = reply.json<{ credential: { credentialSubject: { grade: number } } }>()
    t.is(credential.credentialSubject.grade, Number(literal))
    t.deepEqual(await verify(world, credential), { verified: true, reason: [] })
  }
})

test('a number of 17 digits is refused where it would be signed: JSON-LD signs 16 of them (D-155)', async (t) => {
  const sign17 = (literal: string) =>
    ask(`${AREA}/sign`, { payload: payload(did, GRADE), proofType: 'eddsa-rdfc-2022', revocable: false }, literal)
  for (const literal of ['0.30000000000000004', '3.6666666666666666e24']) {
    const reply = await sign17(literal)
    t.is(refusal(reply, 400), 'credential.invalid', literal)
    t.like(reply.json(), { errors: [{ path: 'payload.credentialSubject.grade', code: 'credential.unsigned' }] })
  }
  for (const literal of ['0.3', '0.1234567890123456', '123456789012345680000', '6.02214076e23'])
    t.is((await sign17(literal)).status, 200, literal)
})
