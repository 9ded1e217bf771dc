import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { bytesOfUuid } from '../../../protocol/compact-credentials/cwt.ts'
import { fromText, PREFIXES, toText } from '../../../protocol/compact-credentials/text.ts'
import { type Cbor, type CborMap, decodeCbor, encodeCbor, isCborMap, Tag } from '../../../protocol/cose/cbor.ts'
import { HEADER, sigStructure } from '../../../protocol/cose/sign1.ts'
import { dereference, publicKeyOf } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { MDOC } from '../../../protocol/mobile-credentials/read.ts'
import { COMPACT, COMPACT_SEMANTIC, signCompact } from '../../support/credentials/compact.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeIaca, makeSigner, signMobile } from '../../support/credentials/mobile.ts'
import { longestTurn } from '../../support/parts/processor-time.ts'
import { openWorld, type World } from '../../support/world.ts'

const MOBILE = '/v1/credentials/mobile'

let world: World
let issuer: string
let credential: Uint8Array
let mdoc: CborMap
test.before(async () => {
  world = await openWorld({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } })
  issuer = await createDid(world, 'P-256')
  credential = fromText(PREFIXES.compact, (await signCompact(world, { iss: issuer })).encoded)
  await makeIaca(world)
  await makeSigner(world, { active: true })
  const { mobileEncoded } = await signMobile(world)
  const item = decodeCbor(Buffer.from(mobileEncoded, 'base64url'), MDOC)
  if (!isCborMap(item)) throw new Error('IssuerSigned is a map')
  mdoc = item
})
test.after.always(() => world?.close())

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const repeated = (start: string, times: number, end = '') => hex(start.repeat(times) + end)

/** CBOR that no entry point may follow. */
const CBOR: Record<string, () => Uint8Array> = {
  '10,000 arrays within each other': () => repeated('81', 10_000, '01'),
  '10,000 maps within each other': () => repeated('a101', 10_000, '01'),
  '10,000 tags within each other': () => repeated('c1', 10_000, '01'),
  '10,000 starts of byte strings': () => repeated('5f', 10_000),
  'a byte string of 2^32 bytes': () => hex('5b0000000100000000'),
  'a byte string of 2^53 bytes': () => hex('5b0020000000000000'),
  'a text of 2^53 bytes': () => hex('7b0020000000000000'),
  'an array of 2^32 items': () => hex('9b0000000100000000'),
  'an array of 2^53 items': () => hex('9b0020000000000000'),
  'a map of 2^53 entries': () => hex('bb0020000000000000'),
  'a key twice': () => hex('a2695f5f70726f746f5f5f01695f5f70726f746f5f5f02'),
  'a byte string without end': () => hex('5f4101'),
  'a text without end': () => hex('7f6161'),
  'an array without end': () => hex('9f01'),
  'a map without end': () => hex('bf0101'),
  'an array of 780,000 items': () => new Uint8Array([0x9a, 0, 0x0b, 0xe6, 0xe0, ...Buffer.alloc(780_000, 1)]),
  'an array of 1,000,000 items': () => new Uint8Array([0x9a, 0, 0x0f, 0x42, 0x40, ...Buffer.alloc(1_000_000, 1)]),
  '390,000 empty maps': () => new Uint8Array([0x9a, 0, 0x05, 0xf3, 0x70, ...Buffer.alloc(390_000, 0xa0)]),
  'an mdoc with a value of 700,000 items': () =>
    withItem(new Map([['elementValue', Array.from({ length: 700_000 }, () => 1)]])),
  'an mdoc with 8,000 elements': () => withItems(8_000),
  'an mdoc with 400,000 digests': () => withMso(new Map(Array.from({ length: 150_000 }, (_, at) => [at, 1]))),
}

const embed = (value: Cbor) => new Tag(24, encodeCbor(value))

const element = (at: number, more: CborMap = new Map()): Cbor =>
  embed(
    new Map<string, Cbor>([
      ['digestID', at],
      ['random', new Uint8Array(16)],
      ['elementIdentifier', `e${at}`],
      ['elementValue', 1],
      ...(more as Map<string, Cbor>),
    ]),
  )

const withNameSpaces = (items: Cbor[]) => encodeCbor(new Map([...mdoc, ['nameSpaces', new Map([['space', items]])]]))
const withItem = (more: CborMap) => withNameSpaces([element(0, more)])
const withItems = (count: number) => withNameSpaces(Array.from({ length: count }, (_, at) => element(at)))

/** The mdoc with other parts of its IssuerAuth. */
function withAuth(change: (parts: Cbor[]) => Cbor[]): Uint8Array {
  const parts = mdoc.get('issuerAuth')
  if (!Array.isArray(parts)) throw new Error('IssuerAuth is an array')
  return encodeCbor(new Map([...mdoc, ['issuerAuth', change([...parts])]]))
}

const withMso = (digests: CborMap) =>
  withAuth(([header, other, , signature]) => [header, other, encodeCbor(embed(new Map([['valueDigests', digests]]))), signature]) // biome-ignore format: one line

const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** Headers of a COSE_Sign1 that no verifier accepts, each with whom it says to be signed by. */
const HEADERS: Record<string, [header: CborMap, unprotected: CborMap]> = {
  'alg none': [new Map([[HEADER.alg, 0]]), new Map()],
  'an unknown alg': [new Map([[HEADER.alg, -65_535]]), new Map()],
  'a text as alg': [new Map([[HEADER.alg, 'ES256']]), new Map()],
  'no alg': [new Map(), new Map()],
  'alg in the unprotected header alone': [new Map(), new Map([[HEADER.alg, -7]])],
  'HMAC with the public key as secret': [new Map([[HEADER.alg, 5]]), new Map()],
  'a critical parameter': [new Map<number, Cbor>([[HEADER.alg, -7], [HEADER.crit, [99]], [99, 1]]), new Map()], // biome-ignore format: one line
}

const signatureFor = (header: CborMap, bytes: Uint8Array, payload: Uint8Array, secret: Uint8Array): Uint8Array => {
  const signed = sigStructure(bytes, payload)
  const mac = header.get(HEADER.alg) === 5
  const key = { key: stranger, dsaEncoding: 'ieee-p1363' } as const
  return new Uint8Array(mac ? createHmac('sha256', secret).update(signed).digest() : sign('sha256', signed, key))
}

const compactWith = ([own, unprotected]: [CborMap, CborMap]): Uint8Array => {
  const item = decodeCbor(credential, MDOC) as Tag
  const [, , payload] = item.contents as Uint8Array[]
  const kid = Buffer.from(issuer.slice('did:key:'.length))
  const header = encodeCbor(new Map<number, Cbor>([...(own as Map<number, Cbor>), [HEADER.kid, kid]]))
  const { publicKey } = publicKeyOf(dereference(resolveDidKey(issuer), `${issuer}#${kid}`, 'assertionMethod').method)
  const parts = [
    header,
    unprotected,
    payload ?? bytesOfUuid(''),
    signatureFor(own, header, payload ?? hex(''), publicKey),
  ]
  return encodeCbor(new Tag(18, parts))
}

const mdocWith = ([own, unprotected]: [CborMap, CborMap]): Uint8Array =>
  withAuth(([, others, payload]) => {
    const bytes = own.size === 0 ? new Uint8Array() : encodeCbor(own)
    const chain = (others as CborMap).get(HEADER.x5chain) as Uint8Array
    const signature = signatureFor(own, bytes, payload as Uint8Array, chain)
    return [bytes, new Map([...(others as CborMap), ...unprotected]), payload ?? null, signature]
  })

const chained = (chain: Cbor) =>
  withAuth(([header, , ...rest]) => [header ?? null, new Map([[HEADER.x5chain, chain]]), ...rest])

const CHAINS: Record<string, () => Uint8Array> = {
  'no certificate': () => chained([]),
  'an empty certificate': () => chained(new Uint8Array()),
  'a certificate that is not DER': () => chained(Buffer.from('-----BEGIN CERTIFICATE-----')),
  '1,000 certificates': () => chained(Array.from({ length: 1_000 }, () => new Uint8Array(300))),
  'a certificate of 700 kB': () => chained(new Uint8Array(700_000).fill(0x30)),
  'a text as certificate': () => chained('MIIB'),
}

const TEXTS: Record<string, () => string> = {
  garbage: () => `${PREFIXES.compact}0189!"§$%`,
  'lower case': () => PREFIXES.compact + toText('', credential).toLowerCase(),
  padding: () => `${toText(PREFIXES.compact, credential)}======`,
  'a megabyte': () => PREFIXES.compact + 'A'.repeat(1_000_000),
  'letters that are not ASCII': () => `${PREFIXES.compact}${'Ａ'.repeat(100)}`,
}

interface Attack {
  title: string
  path: string
  body: string
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

function attacks(): Attack[] {
  const of = (kind: string, path: string, list: Record<string, () => string>): Attack[] =>
    Object.entries(list).map(([what, make]) => ({
      title: `${kind}: ${what}`,
      path: `${path}/verify`,
      body: JSON.stringify({ payload: make() }),
    }))
  const mapped = <Value>(list: Record<string, Value>, to: (value: Value) => string) =>
    Object.fromEntries(Object.entries(list).map(([what, value]) => [what, () => to(value)]))
  const semantic = (text: string) => text.replace(PREFIXES.compact, PREFIXES['compact-semantic'])
  return [
    ...of('compact', COMPACT, { ...TEXTS, ...mapped(CBOR, (make) => toText(PREFIXES.compact, make())) }),
    ...of(
      'compact',
      COMPACT,
      mapped(HEADERS, (headers) => toText(PREFIXES.compact, compactWith(headers))),
    ),
    ...of(
      'compact-semantic',
      COMPACT_SEMANTIC,
      mapped(TEXTS, (make) => semantic(make())),
    ),
    ...of(
      'compact-semantic',
      COMPACT_SEMANTIC,
      mapped(CBOR, (make) => toText(PREFIXES['compact-semantic'], make())),
    ),
    ...of(
      'mobile',
      MOBILE,
      mapped({ ...CBOR, ...CHAINS }, (make) => base64(make())),
    ),
    ...of(
      'mobile',
      MOBILE,
      mapped(HEADERS, (headers) => base64(mdocWith(headers))),
    ),
  ]
}

interface Outcome {
  verified?: boolean
  error?: { type: string }
  reason?: { type: string }[]
}

const send = (attack: Attack) => world.ask(attack.path, { token: world.token, raw: attack.body })

async function survives(t: ExecutionContext, attack: Attack): Promise<void> {
  const { status, json } = await send(attack)
  if (status === 200) t.false(json<Outcome>().verified, attack.title)
  else t.true(status >= 400 && status < 500, `${attack.title}: ${status}`)
}

test.serial('what attacks a parser is refused or not verified, and takes no turn of 50 ms', async (t) => {
  t.timeout(240_000)
  const list = attacks()
  t.true(list.length > 70)
  for (const attack of list) await survives(t, attack) // compiles what the turns below use
  for (const attack of list) t.true((await longestTurn(t, () => survives(t, attack))) < 50, attack.title)
})

test.serial('an algorithm that is not taken is named as the reason', async (t) => {
  for (const headers of Object.entries(HEADERS)) {
    const [what, parts] = headers
    const compact = JSON.stringify({ payload: toText(PREFIXES.compact, compactWith(parts)) })
    const verdict = (await send({ title: what, path: `${COMPACT}/verify`, body: compact })).json<Outcome>()
    t.is(verdict.error?.type, 'UnsupportedAlgorithm', what)
    const mobile = JSON.stringify({ payload: base64(mdocWith(parts)) })
    const { reason = [] } = (await send({ title: what, path: `${MOBILE}/verify`, body: mobile })).json<Outcome>()
    t.true(
      reason.some(({ type }) => type === 'Signature' || type === 'Syntax'),
      what,
    )
  }
})

const rssMb = () => process.memoryUsage().rss / 2 ** 20

/** Bodies of more are sent in every fifth round alone: they take most of the time. */
const LARGE = 100_000

test.serial('200 rounds of every attack leave memory as it was', async (t) => {
  t.timeout(300_000)
  const all = attacks()
  const small = all.filter(({ body }) => body.length < LARGE)
  const rounds = async (count: number) => {
    for (let round = 0; round < count; round++) {
      const list = round % 5 === 0 ? all : small
      for (let at = 0; at < list.length; at += 8) await Promise.all(list.slice(at, at + 8).map(send))
    }
  }
  await rounds(20)
  const before = rssMb()
  await rounds(200)
  t.log(`memory: ${before.toFixed(0)} MB before, ${rssMb().toFixed(0)} MB after`)
  t.true(rssMb() < before + 150)
  const proper = await world.ask(`${COMPACT}/verify`, {
    token: world.token,
    body: { payload: toText(PREFIXES.compact, credential) },
  })
  t.like(proper.json(), { verified: true })
})
