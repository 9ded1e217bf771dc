import test from 'ava'
import fc from 'fast-check'
import { canonizePlain } from '../../protocol/data-integrity/canonize.ts'
import { createShapes } from '../../protocol/data-integrity/shapes.ts'
import { credential, library, options } from '../support/credentials/shapes.ts'

test('the answer is the library’s for any texts in the places of one shape (property, D-084)', async (t) => {
  const { full } = library()
  const canonizeLike = createShapes()
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('did:e:1', 'https://a/b', 'ex:c', 'basic', '@id', '_:b0', 'urn:x', '', '"', '\\', 'z0q'),
  )
  const dates = { 'https://www.w3.org/2018/credentials#validUntil': fc.constant('2030-01-01T00:00:00Z') }
  const node = fc.record({ id: text, ...dates }, { requiredKeys: ['id'] })
  const id = fc.constantFrom('did:e:1', 'did:e:2', 'urn:x')
  const number = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.double({ min: -9, max: 9 }),
    fc.constantFrom(0, 1, 1.5, 1e-7, 1e21),
  )
  const value = fc.oneof(text, number, fc.boolean())
  const nested = fc.record({ town: value, 'ex:n': fc.oneof(value, fc.array(value)) }, { requiredKeys: [] })
  const fields = {
    id: fc.oneof(text, id),
    course: fc.oneof(value, fc.array(value)),
    school: fc.oneof(text, node),
    level: value,
    when: value,
    price: value,
    member: value,
    raw: fc.oneof(value, fc.record({ value })),
    parts: fc.array(value, { maxLength: 2 }),
    address: fc.oneof(nested, fc.array(nested, { maxLength: 3 })),
    name: text,
    ...dates,
  }
  await fc.assert(
    fc.asyncProperty(fc.record(fields, { requiredKeys: [] }), id, async (subject, id) => {
      const document = credential(subject, { id })
      const expected = await canonizePlain(document, options).catch((error: Error) => error.message)
      return (await canonizeLike('tenant', document, full).catch((error: Error) => error.message)) === expected
    }),
    { numRuns: 1_500 },
  )
  t.pass()
})

test('numbers, booleans and blank nodes of few shapes are filled in as the library writes them (property, D-084)', async (t) => {
  const { asked, full } = library()
  const canonizeLike = createShapes()
  const integer = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(0, 1, 100, 1e20))
  const double = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => String(value).includes('.'))
  const word = fc.constantFrom('a', 'b', 'München', '_:c14n1', 'x _:c14n0 .', 'a^^b')
  const nested = fc.record({ town: word, 'ex:n': integer, 'ex:is': fc.boolean() })
  const subject = fc.record({
    course: word,
    'ex:int': integer,
    'ex:double': double,
    price: fc.oneof(integer, double),
    member: fc.boolean(),
    address: fc.tuple(nested, nested),
    school: fc.record({ 'ex:b': nested, town: word }),
  })
  const runs = 1_000
  await fc.assert(
    fc.asyncProperty(subject, async (subject) => {
      const document = credential(subject)
      return (await canonizeLike('tenant', document, full)) === (await canonizePlain(document, options))
    }),
    { numRuns: runs },
  )
  t.true(asked.times < runs / 2, `${asked.times}`)
})
