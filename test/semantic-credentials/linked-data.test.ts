import test from 'ava'
import { vectorText } from '../support/credentials/conformance-vectors.ts'
import { createDid, sign, verify } from '../support/credentials/credentials.ts'
import { processorMsOfAll } from '../support/parts/processor-time.ts'
import { needs } from '../support/parts.ts'
import { openWorld, type World } from '../support/world.ts'

interface Converted {
  data: Record<string, unknown> | string
  metadata: { encoding: string; format: string }
}

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const ask = (data: unknown, [input_format, output_format, output_encoding]: [string, string, string]) =>
  world.ask('/v1/credentials/web-semantic/linkeddata/convert', {
    token: world.token,
    body: { data, options: { input_format, output_encoding, output_format } },
  })

async function convert(data: unknown, options: [from: string, to: string, encoding: string]): Promise<Converted> {
  const reply = await ask(data, options)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<Converted>()
}

const nQuads = (text: unknown) => ({ data: text, metadata: { encoding: 'text', format: 'n-quads' } })

const ADA = {
  '@context': { name: 'http://schema.org/name', knows: 'http://schema.org/knows' },
  name: 'Ada',
  knows: [{ name: 'Mary' }, { name: 'Charles' }],
}
const CANONICAL = [
  '_:c14n0 <http://schema.org/name> "Mary" .',
  '_:c14n1 <http://schema.org/knows> _:c14n0 .',
  '_:c14n1 <http://schema.org/knows> _:c14n2 .',
  '_:c14n1 <http://schema.org/name> "Ada" .',
  '_:c14n2 <http://schema.org/name> "Charles" .',
]

test('JSON-LD becomes canonical N-Quads, whatever order its members have (specification, convertLinkedData; RDFC-1.0)', async (t) => {
  const one = await convert(ADA, ['jsonld', 'n-quads', 'text'])
  t.deepEqual(one.metadata, { encoding: 'text', format: 'n-quads' })
  t.is(String(one.data).split('\n').length, CANONICAL.length + 1)
  const { '@context': context, name, knows } = ADA
  const other = await convert({ knows: [...knows].reverse(), '@context': context, name }, ['jsonld', 'n-quads', 'text'])
  t.is(other.data, one.data)
  const base64 = await convert(ADA, ['jsonld', 'n-quads', 'base64'])
  t.is(Buffer.from(String(base64.data), 'base64').toString(), String(one.data))
  const again = await convert(nQuads(CANONICAL.toReversed().join('\n')), ['n-quads', 'n-quads', 'text'])
  t.is(again.data, one.data)
})

test('what it answers is taken back as input, in each format and encoding (specification, convertLinkedData)', async (t) => {
  const expected = (await convert(ADA, ['jsonld', 'n-quads', 'text'])).data
  for (const format of ['jsonld', 'n-quads', 'cborld'])
    for (const encoding of format === 'cborld' ? ['base64'] : ['text', 'base64']) {
      const there = await convert(ADA, ['jsonld', format, encoding])
      t.deepEqual(there.metadata, { encoding, format })
      const back = await convert(there, [format, 'n-quads', 'text'])
      t.is(back.data, expected, `${format} ${encoding}`)
    }
})

test('a credential survives CBOR-LD, smaller and still signed (CBOR-LD 1.0)', async (t) => {
  const { credential } = await sign(world, await createDid(world))
  const packed = await convert(credential, ['jsonld', 'cborld', 'base64'])
  t.true(Buffer.from(String(packed.data), 'base64').length < JSON.stringify(credential).length)
  const { data } = await convert(packed, ['cborld', 'jsonld', 'text'])
  t.deepEqual(await verify(world, data), { verified: true, reason: [] })
})

test('the N-Quads of a signed credential, whose proof is a graph of its own, are taken back (RDF 1.1 N-Quads, section 2)', async (t) => {
  const { credential } = await sign(world, await createDid(world))
  const there = await convert(credential, ['jsonld', 'n-quads', 'text'])
  t.regex(String(there.data), / _:c14n[01] \.$/m)
  const back = await convert(there, ['n-quads', 'n-quads', 'text'])
  t.is(back.data, there.data)
  const linked = await convert(there, ['n-quads', 'jsonld', 'text'])
  t.is((await convert(linked, ['jsonld', 'n-quads', 'text'])).data, there.data)
})

needs('conformance vectors', test.serial)(
  'a poison graph is a 400 for less than a second of work (W3C rdf-canon tests, 074)',
  async (t) => {
    const text = vectorText('rdf-canon/tests/rdfc10/test074-in.nq')
    await convert(ADA, ['jsonld', 'n-quads', 'text']) // the thread has started
    const took = await processorMsOfAll(async () => {
      const reply = await ask(nQuads(text), ['n-quads', 'n-quads', 'text'])
      t.is(reply.status, 400)
      t.like(reply.json(), { type: '/problems#credential.too_complex' })
    })
    t.true(took < 1_000, `${took} ms`)
  },
)

const cbor = (hex: string) => ({
  data: Buffer.from(hex, 'hex').toString('base64'),
  metadata: { encoding: 'base64', format: 'cborld' },
})

const REFUSED: [title: string, data: unknown, options: [string, string, string], code: string][] = [
  [
    'a term that no context defines',
    { ...ADA, shoeSize: 43 },
    ['jsonld', 'jsonld', 'text'],
    'credential.term_undefined',
  ],
  ['a document of 65 levels', nested(65), ['jsonld', 'jsonld', 'text'], 'request.too_deep'],
  [
    'an imported context',
    { '@context': { '@import': 'https://x.example/' } },
    ['jsonld', 'n-quads', 'text'],
    'context.invalid',
  ],
  ['N-Quads that are none', nQuads('<a> <b>'), ['n-quads', 'jsonld', 'text'], 'linked_data.unreadable'],
  ['CBOR without the tag', cbor('a0'), ['cborld', 'jsonld', 'text'], 'linked_data.unreadable'],
  [
    'CBOR-LD of a table that nobody has',
    cbor('d9cb1d821864a0'),
    ['cborld', 'jsonld', 'text'],
    'linked_data.unreadable',
  ],
  ['CBOR-LD that ends early', cbor('d9cb1d8200a161'), ['cborld', 'jsonld', 'text'], 'linked_data.unreadable'],
  ['CBOR-LD of a number', cbor('d9cb1d820001'), ['cborld', 'jsonld', 'text'], 'linked_data.unreadable'],
  ['CBOR-LD of bytes', cbor('d9cb1d8200a1616140'), ['cborld', 'jsonld', 'text'], 'linked_data.unreadable'],
  [
    'CBOR-LD 100,000 levels deep',
    cbor(`d9cb1d8200${'81'.repeat(100_000)}`),
    ['cborld', 'jsonld', 'text'],
    'credential.too_complex',
  ],
  ['CBOR-LD as text', ADA, ['jsonld', 'cborld', 'text'], 'request.invalid'],
  ['base64 that is none', { ...cbor('a0'), data: '*' }, ['cborld', 'jsonld', 'text'], 'request.invalid'],
  ['N-Quads as an object', ADA, ['n-quads', 'jsonld', 'text'], 'request.invalid'],
  ['a format that differs from its own', nQuads(''), ['cborld', 'jsonld', 'text'], 'request.invalid'],
  ['an unknown format', ADA, ['jsonld', 'turtle', 'text'], 'request.invalid'],
  ['an unknown encoding', ADA, ['jsonld', 'jsonld', 'hex'], 'request.invalid'],
]

function nested(depth: number): object {
  return depth === 0 ? {} : { 'https://x.example/a': nested(depth - 1) }
}

for (const [title, data, options, code] of REFUSED)
  test(`${title} is a 400 ${code} (specification, convertLinkedData)`, async (t) => {
    const reply = await ask(data, options)
    t.is(reply.status, 400, reply.text)
    t.is(reply.json<{ type: string }>().type, `/problems#${code}`, reply.text)
  })
