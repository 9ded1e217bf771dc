import test from 'ava'
import { encode } from 'cbor2'
import { fromBase32, plain, read } from '../../../console/pages/credentials/decoded/cbor.ts'
import { readCwt, readMdoc } from '../../../console/pages/credentials/decoded/credentials.ts'
import { readSdJwt } from '../../../console/pages/credentials/decoded/sd-jwt.ts'
import { toText } from '../../../protocol/compact-credentials/text.ts'

const bytes = (...each: number[]) => Uint8Array.from(each)
const encoded = (value: unknown) => Buffer.from(encode(value)).toString('base64url')

test('bytes that are no CBOR, or hide something, are refused and never half read (RFC 8949)', (t) => {
  const hostile = {
    'nothing at all': bytes(),
    'the half of an array': bytes(0x82, 0x01),
    'a text of 2^63 characters': bytes(0x7b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
    'an array of 2^32 items': bytes(0x9a, 0xff, 0xff, 0xff, 0xff),
    '10,000 arrays in each other': new Uint8Array(10_000).fill(0x81),
    'a repeated key': bytes(0xa2, 0x01, 0x01, 0x01, 0x02),
    'more than a page reads': new Uint8Array(2_000_001),
  }
  for (const [name, each] of Object.entries(hostile)) t.throws(() => read(each), undefined, name)
})

test('a name from outside is a member like any other: __proto__ changes no object', (t) => {
  const shown = plain(new Map<unknown, unknown>([['__proto__', new Map([['polluted', 'yes']])]]))
  t.deepEqual(Object.keys(shown as object), ['__proto__'])
  t.is(Object.getPrototypeOf(shown), Object.prototype)
  t.is(({} as Record<string, unknown>).polluted, undefined)
})

test('what is no credential says so; one without parts shows them as empty', (t) => {
  for (const text of ['', 'CSC:/1/', 'CSC:/1/a1', 'CSC:/1/AE', '!']) t.throws(() => readCwt(text), undefined, text)
  for (const text of ['', '!', encoded(1), encoded(new Map()), encoded(new Map([['issuerAuth', []]]))])
    t.throws(() => readMdoc(text), undefined, text)
  const auth = [bytes(0xa0), new Map(), bytes(0xd8, 0x18, 0x41, 0xa0), bytes(1)]
  const mdoc = readMdoc(
    encoded(
      new Map<string, unknown>([
        ['issuerAuth', auth],
        ['nameSpaces', 'none'],
      ]),
    ),
  )
  t.like(mdoc, { docType: '', elements: [], hasDeviceKey: false, certificate: undefined })
})

test('an SD-JWT is read part by part: what is always shown, each disclosure, and how many digests are of none', (t) => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = { alg: 'ES256', typ: 'dc+sd-jwt' }
  const payload = { vct: 'type', exp: 0, _sd_alg: 'sha-256', _sd: ['a', 'b'], list: [{ '...': 'c' }, 1] }
  const jwt = [part(header), part(payload), 'c2ln'].join('.')
  const disclosures = [
    ['salt', 'street', 'Main'],
    ['salt', 'address', { _sd: ['d', 'e'] }],
    ['salt', 'DE'],
  ].map(part)
  t.deepEqual(readSdJwt(`${[jwt, ...disclosures].join('~')}~`), {
    header: [
      { name: 'alg', value: 'ES256' },
      { name: 'typ', value: 'dc+sd-jwt' },
    ],
    claims: [
      { name: 'vct', value: 'type' },
      { name: 'exp', value: '0', at: '1970-01-01T00:00:00.000Z' },
      { name: 'list', value: '[{"...":"c"},1]' },
    ],
    disclosures: [{ name: 'street', value: 'Main' }, { name: 'address', value: '{"_sd":["d","e"]}' }, { value: 'DE' }],
    decoys: 2,
  })
  const deep = `[${'['.repeat(200)}${']'.repeat(200)}]`
  const hostile = {
    'nothing at all': '',
    'a JWT without a tilde': jwt,
    'a header that is a list': `${[part([]), part(payload), ''].join('.')}~`,
    'a disclosure of four parts': `${jwt}~${part(['salt', 'a', 'b', 'c'])}~`,
    'a disclosure that is an object': `${jwt}~${part({})}~`,
    'a disclosure that is no JSON': `${jwt}~e30e~`,
    '200 lists in each other': `${[part(header), Buffer.from(`{"a":${deep}}`).toString('base64url'), ''].join('.')}~`,
    'more than a page reads': `${jwt}~${'A'.repeat(2_000_001)}~`,
  }
  for (const [name, each] of Object.entries(hostile)) t.throws(() => readSdJwt(each), undefined, name)
})

test('base32 is read as it is written (RFC 4648)', (t) => {
  for (const length of [1, 2, 3, 4, 5, 64]) {
    const some = Uint8Array.from({ length }, (_, at) => (at * 37) % 256)
    t.deepEqual(fromBase32(toText('', some)), some)
  }
})
