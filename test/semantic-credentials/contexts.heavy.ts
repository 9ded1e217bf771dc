import test from 'ava'
import fc from 'fast-check'
import { create, linesOf, type RowError, until } from '../support/credentials/batches.ts'
import { createDid, payload, sign } from '../support/credentials/credentials.ts'
import { makeHolder } from '../support/credentials/holders.ts'
import { course, TEMPLATES } from '../support/credentials/templates.ts'
import { HOSTILE_NAMES, watchIntrinsics } from '../support/frame/intrinsics.ts'
import { openWorld, type World } from '../support/world.ts'

/** Contexts in all, requests at a time, and milliseconds that one may take on a machine with other work. */
const INPUTS = 10_000
const AT_ONCE = 8
const LONGEST_MS = 15_000

const AREA = '/v1/credentials/web-semantic'
const V2 = 'https://www.w3.org/ns/credentials/v2'

const KEYWORDS = ['@id', '@type', '@container', '@context', '@vocab', '@base', '@language', '@direction', '@version']
  .concat(['@protected', '@propagate', '@import', '@nest', '@reverse', '@index', '@prefix', '@set', '@list', '@graph'])
  .concat(['@json', '@none', '@value', '@included', '@default', '@unknown', '@', '@@'])
const NAMES = ['a', 'b', 'course', 'issuer', 'credentialSubject', 'id', 'type', 'name', 'proof', 'xsd', ''].concat(
  HOSTILE_NAMES,
)
const TEXTS = [
  'urn:x',
  'urn:',
  ':',
  '_:b',
  '_:',
  'a:b',
  'https://x.example/',
  'https://x.example/#',
  'http://[',
  '#',
  '/',
  ' ',
  '\n',
].concat(['x'.repeat(5_000), 'ö', '\u202e', 'http://www.w3.org/2001/XMLSchema#date', V2, 'en', 'ltr'])

const word = fc.constantFrom(...KEYWORDS, ...NAMES, ...TEXTS)
const scalar = fc.oneof(word, fc.constant(null), fc.boolean(), fc.constantFrom(0, 1, 1.1, -1, 1e21), fc.string())

/** Contexts as nobody would write them: right words in wrong places, wrong values in right ones, and both within both. */
const { context } = fc.letrec<{ context: unknown; definition: unknown; value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 3 }),
    tie('context'),
  ),
  definition: fc.oneof(
    scalar,
    fc.dictionary(fc.constantFrom(...KEYWORDS), fc.oneof(scalar, tie('value')), { maxKeys: 4 }),
    fc.record({ '@id': fc.constantFrom('urn:a', 'urn:b'), '@context': tie('context') }),
  ),
  context: fc.oneof(
    { depthSize: 'small' },
    fc.dictionary(word, tie('definition'), { minKeys: 1, maxKeys: 5 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'course', 'name'), tie('definition'), { minKeys: 1, maxKeys: 4 }),
    fc.array(tie('context'), { maxLength: 3 }),
    scalar,
  ),
}))

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
})
test.after.always(() => world?.close())

/** As JSON text: `__proto__` is a name like any other there. */
type Form = (text: string) => { path: string; raw: string; method?: string }

/** A document's JSON with the context in place of a mark. */
const marked = (document: unknown) => {
  const text = JSON.stringify(document)
  return (context: string) => text.replace('"CONTEXT"', () => context)
}

async function forms(): Promise<Form[]> {
  const signing = async (keyType: string, proofType: string): Promise<Form> => {
    const did = await createDid(world, keyType)
    const body = {
      payload: payload(did, { '@context': [V2, { course: 'urn:c' }, 'CONTEXT'] }),
      proofType,
      revocable: false,
    }
    const fill = marked(body)
    return (text) => ({ path: `${AREA}/sign`, raw: fill(text) })
  }
  const { credential } = await sign(world, await createDid(world))
  const altered = marked({
    payload: { ...credential, '@context': [...(credential['@context'] as unknown[]), 'CONTEXT'] },
  })
  const presented = await makeHolder().present(credential, { challenge: 'the-challenge' })
  const presentation = marked({
    presentation: { ...presented, '@context': [V2, 'CONTEXT'] },
    challenge: 'the-challenge',
  })
  const convert = (output_format: string): Form => {
    const options = { input_format: 'jsonld', output_format, output_encoding: 'base64' }
    const fill = marked({ data: { '@context': 'CONTEXT', a: 'x', b: { a: 'y' }, name: 'z' }, options })
    return (text) => ({ path: `${AREA}/linkeddata/convert`, raw: fill(text) })
  }
  const template = marked(course({ contexts: 'CONTEXT' }))
  return [
    await signing('ed25519', 'eddsa-rdfc-2022'),
    (text) => ({ path: `${AREA}/verify`, raw: altered(text) }),
    convert('n-quads'),
    await signing('ed25519', 'Ed25519Signature2018'),
    (text) => ({ path: `${AREA}/presentations/verify`, raw: presentation(text) }),
    convert('cborld'),
    (text) => ({ path: TEMPLATES, raw: template(text) }),
    await signing('p256', 'ecdsa-rdfc-2019'),
    convert('jsonld'),
    await signing('bls12381g2', 'bbs-2023'),
  ]
}

const percentile = (sorted: number[], part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0)

test.serial(
  `${INPUTS} contexts as nobody would write them: no 5xx, in bounded time, and nothing changed by them`,
  async (t) => {
    const contexts = fc.sample(context, { numRuns: INPUTS, seed: 8 }).map((each) => JSON.stringify(each) ?? 'null')
    const ways = await forms()
    const changes = watchIntrinsics()
    const told = new Map<string, number>()
    const ms: number[] = []
    const queue = contexts.entries()
    const lane = async () => {
      for (const [nth, text] of queue) {
        const { path, raw } = (ways[nth % ways.length] ?? (() => ({ path: '/', raw: '' })))(text)
        const began = performance.now()
        const headers = { 'content-type': 'application/json' }
        const reply = await world.ask(path, { token: world.token, raw, headers })
        ms.push(performance.now() - began)
        if (reply.status >= 500) t.fail(`${path} ${text.slice(0, 1_000)}: ${reply.text}`)
        const { type = `${reply.status}` } = JSON.parse(reply.text) as { type?: string }
        const code = reply.status < 400 ? `${reply.status}` : type.replace('/problems#', '')
        told.set(code, (told.get(code) ?? 0) + 1)
      }
    }
    const began = performance.now()
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    const sorted = ms.sort((one, other) => one - other)
    const seconds = Math.round((performance.now() - began) / 1_000)
    t.log(
      `${INPUTS} in ${seconds} s; ms: p50 ${percentile(sorted, 0.5)}, p99 ${percentile(sorted, 0.99)}, most ${percentile(sorted, 1)}`,
    )
    t.log(
      [...told]
        .sort(([, one], [, other]) => other - one)
        .map(([code, count]) => `${code} ${count}`)
        .join(', '),
    )
    t.is(ms.length, INPUTS)
    t.true((sorted.at(-1) ?? 0) < LONGEST_MS)
    t.deepEqual(changes(), [])
    t.truthy((await sign(world, await createDid(world))).id)
  },
)

test.serial(
  '2,000 rows of a batch with such contexts: the batch ends, each row signed or with its error',
  async (t) => {
    const contexts = fc.sample(context, { numRuns: 2_000, seed: 9 }).map((each) => JSON.stringify(each) ?? 'null')
    const did = await createDid(world)
    const row = marked({
      payload: { '@context': [V2, { course: 'urn:c' }, 'CONTEXT'], credentialSubject: { course: 'x' } },
    })
    const began = performance.now()
    const { id } = await create(world, contexts.map(row).join('\n'), { issuer: did, proofType: 'eddsa-rdfc-2022' })
    const ended = await until(world, id, ({ status }) => status === 'COMPLETED', 30 * 60_000)
    t.log(`signed ${ended.signed}, refused ${ended.failed}, in ${Math.round((performance.now() - began) / 1_000)} s`)
    t.is(ended.signed + ended.failed, 2_000)
    t.true(ended.signed > 0)
    const errors = await world.ask(`/v1/credentials/batches/${id}/errors`, { token: world.token })
    const rows = new Set(linesOf<RowError>(errors.text).map((error) => error.row))
    t.is(rows.size, ended.failed)
    t.notRegex(errors.text, /row\.unforeseen/)
  },
)
