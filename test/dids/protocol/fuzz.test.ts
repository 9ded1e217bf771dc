import test from 'ava'
import fc from 'fast-check'
import { fromMultibase, parseDid, parseDidUrl, publicKeyOf, validateDidDocument } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { parseWebDid, webDidFromUrl } from '../../../protocol/dids/web.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { processorMs } from '../../support/parts/processor-time.ts'

const DID = 'did:web:issuer.example'

const codeOf = (work: () => unknown): string => {
  try {
    work()
    return 'fine'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

const hostile = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc
    .string({ unit: fc.constantFrom(...'did:webkyz6M%3A.#/?[]@\\0127é\n'), maxLength: 120 })
    .map((text) => `did:${text}`),
  fc
    .string({ unit: fc.constantFrom(...'z123456789ABCDEFGHJKLMNPQRSTUVWXYZabc0OIl'), maxLength: 80 })
    .map((text) => `did:key:${text}`),
)

test('20,000 hostile texts never throw anything but a Refusal', (t) => {
  const parsers = [parseDidUrl, parseDid, parseWebDid, webDidFromUrl, resolveDidKey, fromMultibase]
  fc.assert(
    fc.property(hostile, (text) => {
      for (const parse of parsers) codeOf(() => parse(text))
      const parsed = codeOf(() => parseWebDid(text)) === 'fine' ? parseWebDid(text) : undefined
      return (
        parsed === undefined ||
        (new URL(parsed.url).hostname === parsed.host && new URL(parsed.url).href === parsed.url)
      )
    }),
    { numRuns: 20_000 },
  )
  t.pass()
})

test('3,000 hostile documents never throw anything but a Refusal', (t) => {
  const member = fc.constantFrom(
    'id',
    'type',
    'controller',
    'publicKeyJwk',
    'publicKeyMultibase',
    'publicKeyBase58',
    'x',
  )
  const entry = fc.oneof(fc.dictionary(member, fc.jsonValue({ maxDepth: 3 })), fc.jsonValue({ maxDepth: 2 }))
  const document = fc.record({
    verificationMethod: fc.array(entry),
    assertionMethod: fc.array(entry),
    service: fc.jsonValue(),
  })
  fc.assert(
    fc.property(document, (members) => {
      codeOf(() => {
        const valid = validateDidDocument(DID, { id: DID, ...members })
        for (const each of valid.verificationMethod ?? []) codeOf(() => publicKeyOf(each))
      })
    }),
    { numRuns: 3_000 },
  )
  t.pass()
})

test('a DID of 4 kB is parsed or refused for less than 100 ms of work: no pattern explodes', (t) => {
  const nasty = [
    `did:a:${':'.repeat(4000)}`,
    `did:a:${'%41'.repeat(1300)}%`,
    `did:a:b/${'/'.repeat(4000)}<`,
    `did:a:b?${'?'.repeat(4000)}"`,
  ]
  for (const text of nasty) t.true(processorMs(() => codeOf(() => parseDidUrl(text))) < 100, text.slice(0, 12))
})
