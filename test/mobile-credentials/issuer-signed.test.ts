import { createHash, randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { type Cbor, encodeCbor, Tag } from '../../protocol/cose/cbor.ts'
import type { Refusal } from '../../protocol/errors.ts'
import { issue, nameSpacesOf } from '../../protocol/mobile-credentials/issuer-signed.ts'
import { readMdocs, shownNameSpaces } from '../../protocol/mobile-credentials/read.ts'
import { nameSpacesToJson } from '../../protocol/mobile-credentials/shown.ts'

const NOW = new Date('2030-01-01T00:00:00Z')

const issued = async (elements: Map<string, Cbor>) => {
  const { issuerSigned } = await issue(
    {
      docType: 'example.document',
      nameSpaces: new Map([['space', elements]]),
      validity: { signed: NOW, validFrom: NOW, validUntil: NOW },
      certificate: new Uint8Array(randomBytes(300)),
      random: (bytes) => new Uint8Array(randomBytes(bytes)),
    },
    { publicKey: new Uint8Array(33), sign: async () => new Uint8Array(64) },
  )
  const [mdoc] = readMdocs(issuerSigned)
  if (!mdoc) throw new Error('no mdoc')
  return mdoc
}

const value: fc.Arbitrary<Cbor> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => new Uint8Array(bytes)),
  fc.array(fc.integer(), { maxLength: 30 }),
)

test('an element is written as the map of its four members, and its digest is over tag 24 (ISO/IEC 18013-5, 9.1.2.5)', async (t) => {
  const entries = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1, maxLength: 300 }), value), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 40,
  })
  await fc.assert(
    fc.asyncProperty(entries, async (given) => {
      const mdoc = await issued(new Map(given))
      const items = mdoc.nameSpaces.get('space') ?? []
      t.is(items.length, given.length)
      for (const [at, item] of items.entries()) {
        const head = Buffer.from(encodeCbor(new Map<string, Cbor>([['digestID', item.digestId]])).subarray(1))
        const whole = new Map<string, Cbor>([
          ['digestID', item.digestId],
          ['random', saltIn(item.bytes, head.length)],
          ['elementIdentifier', given[at]?.[0] ?? ''],
          ['elementValue', given[at]?.[1]],
        ])
        t.deepEqual(Buffer.from(item.bytes), Buffer.from(encodeCbor(whole)))
        const digest = createHash('sha256')
          .update(encodeCbor(new Tag(24, item.bytes)))
          .digest()
        t.deepEqual(Buffer.from(mdoc.mso.digests.get('space')?.get(item.digestId) as Uint8Array), digest)
      }
    }),
    { numRuns: 60 },
  )
})

test('whatever JSON is signed is read again as it was shown (property)', async (t) => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => text !== '__proto__')
  const { tree: json } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 15, depthSize: 'large' },
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.boolean(),
        fc.constant(null),
        fc.integer(),
        fc.double({ noNaN: true }),
      ),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
      fc.constantFrom(
        { type: 'binary', value: 'AQID' },
        { type: 'full-date', value: '2030-01-31' },
        { type: 'tdate', value: '9999-12-31T23:59:59Z' },
      ),
    ),
  }))
  const elements = fc.dictionary(name, json, { minKeys: 1, maxKeys: 6, noNullPrototype: true })
  await fc.assert(
    fc.asyncProperty(elements, async (space) => {
      const nameSpaces = nameSpacesOf({ space }, 'items')
      const { nameSpaces: read } = await issued(nameSpaces.get('space') ?? new Map())
      t.deepEqual(JSON.stringify(shownNameSpaces(read)), JSON.stringify(nameSpacesToJson(nameSpaces)))
    }),
    { numRuns: 200 },
  )
})

/** The salt after `random` and the head of its 32 bytes. */
const saltIn = (bytes: Uint8Array, idLength: number): Uint8Array => {
  const from = 1 + idLength + 1 + 'random'.length + 2
  return new Uint8Array(bytes.subarray(from, from + 32))
}

test('elements that are too long together are refused before they are encoded: a template may take one claim many times', (t) => {
  const errorsOf = (elements: number, value: unknown) => {
    const space = Object.fromEntries(Array.from({ length: elements }, (_, at) => [`e${at}`, value]))
    try {
      nameSpacesOf({ 'example.1': space }, 'items')
    } catch (error) {
      return (error as Refusal).errors.map(({ path, code }) => [path, code])
    }
    return []
  }
  const long = 'x'.repeat(10_000)
  for (const value of [long, [long], { [long]: 1 }]) {
    t.deepEqual(errorsOf(77, value), [])
    t.deepEqual(errorsOf(79, value), [['items', 'too_long']])
  }
  const bytes = { type: 'binary', value: 'A'.repeat(20_000) }
  t.deepEqual(errorsOf(51, bytes), [])
  t.deepEqual(errorsOf(53, bytes), [['items', 'too_long']])
})
