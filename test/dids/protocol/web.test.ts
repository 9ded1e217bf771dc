import { randomBytes } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { ed25519, x25519 } from '@noble/curves/ed25519.js'
import { p256, p384 } from '@noble/curves/nist.js'
import test from 'ava'
import {
  dereference,
  fromMultibase,
  type PublicKey,
  publicKeyOf,
  type Relationship,
  validateDidDocument,
} from '../../../protocol/dids/index.ts'
import { keyFragment, webDidDocument, webMethodId } from '../../../protocol/dids/web.document.ts'
import { parseWebDid, webDidFromUrl } from '../../../protocol/dids/web.ts'
import { Refusal } from '../../../protocol/errors.ts'

const WELL_KNOWN = '/.well-known/did.json'

const made: [from: string, did: string, url: string][] = [
  ['issuer.example', 'did:web:issuer.example', `https://issuer.example${WELL_KNOWN}`],
  ['https://issuer.example', 'did:web:issuer.example', `https://issuer.example${WELL_KNOWN}`],
  ['https://issuer.example/', 'did:web:issuer.example', `https://issuer.example${WELL_KNOWN}`],
  ['HTTPS://Issuer.EXAMPLE', 'did:web:issuer.example', `https://issuer.example${WELL_KNOWN}`],
  ['issuer.example:8443', 'did:web:issuer.example%3A8443', `https://issuer.example:8443${WELL_KNOWN}`],
  ['issuer.example:443', 'did:web:issuer.example', `https://issuer.example${WELL_KNOWN}`],
  ['issuer.example/users/7', 'did:web:issuer.example:users:7', 'https://issuer.example/users/7/did.json'],
  ['issuer.example:8443/a/', 'did:web:issuer.example%3A8443:a', 'https://issuer.example:8443/a/did.json'],
  ['bücher.example', 'did:web:xn--bcher-kva.example', `https://xn--bcher-kva.example${WELL_KNOWN}`],
  ['faß.example', 'did:web:xn--fa-hia.example', `https://xn--fa-hia.example${WELL_KNOWN}`],
  ['ｉｓｓｕｅｒ.example', 'did:web:issuer.example', `https://issuer.example${WELL_KNOWN}`],
  ['issuer。example', 'did:web:issuer.example', `https://issuer.example${WELL_KNOWN}`],
  ['аpple.example', 'did:web:xn--pple-43d.example', `https://xn--pple-43d.example${WELL_KNOWN}`],
  ['issuer.example/ü', 'did:web:issuer.example:%C3%BC', 'https://issuer.example/%C3%BC/did.json'],
  ['issuer.example/~ada', 'did:web:issuer.example:%7Eada', 'https://issuer.example/%7Eada/did.json'],
  ['issuer.example/a:b', 'did:web:issuer.example:a%3Ab', 'https://issuer.example/a%3Ab/did.json'],
  ['localhost:8443', 'did:web:localhost%3A8443', `https://localhost:8443${WELL_KNOWN}`],
]
for (const [from, did, url] of made) {
  test(`${from} makes ${did} (did:web draft, Read)`, (t) => {
    const web = webDidFromUrl(from)
    t.is(web.did, did)
    t.is(web.url, url)
    t.deepEqual(parseWebDid(web.did), web)
  })
}

const refusedUrls = [
  '',
  ' ',
  '/',
  'http://issuer.example',
  'ftp://issuer.example',
  'https:///issuer.example',
  'https:issuer.example',
  'https://',
  'javascript:alert(1)',
  'did:web:issuer.example',
  'issuer.example?a=1',
  'issuer.example/%E4%BD',
  'issuer.example/a%FF',
  'issuer.example?',
  'issuer.example#f',
  'issuer.example#',
  'user@issuer.example',
  'https://user:pass@issuer.example',
  'https://@issuer.example',
  'issuer.example\\@evil.example',
  'issuer.example/a\tb',
  'issuer.example\n',
  'iss\u00aduer.example\u200b',
  'issuer .example',
  'issuer.example.',
  '.issuer.example',
  'issuer..example',
  '-issuer.example',
  'issuer_1.example',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(130)}example`,
  'issuer.example:0',
  'issuer.example:99999',
  'issuer.example:-1',
  'issuer.example:80a',
  'issuer%2eexample',
  'issuer.example%00',
  '127.0.0.1',
  '127.1',
  '127.0.0.1:8443',
  '0x7f.1',
  '0177.0.0.1',
  '2130706433',
  '0',
  '１２７.０.０.１',
  '①②⑦.0.0.1',
  '169.254.169.254',
  '8.8.8.8',
  '[::1]',
  'https://[::ffff:127.0.0.1]',
  'https://[2606:4700::1111]/a',
  'issuer.example/..',
  'issuer.example/a/../b',
  'issuer.example/./a',
  'issuer.example/%2e%2e/a',
  'issuer.example/.%2E/a',
  'issuer.example//a',
  'issuer.example/a//',
  'issuer.example/a%2fb',
  'issuer.example/a%5cb',
  'issuer.example/a%00',
  'issuer.example/a%0d%0a',
  'issuer.example/100%',
  'issuer.example/a%252e',
  `issuer.example/${'a'.repeat(2048)}`,
]
test(`${refusedUrls.length} things that are no did:web are refused`, (t) => {
  for (const text of refusedUrls) {
    t.is(t.throws(() => webDidFromUrl(text), { instanceOf: Refusal }, text)?.code, 'did.invalid_url', text)
  }
})

test('a did:web is not longer than readers take, however it is encoded, with the ids of its keys', (t) => {
  const longest = webDidFromUrl(`issuer.example:8443/${'%C3%BC'.repeat(327)}/abcdefg`)
  t.is(longest.did.length, 2000)
  t.true(longest.url.length <= 2048)
  t.is(parseWebDid(longest.did).url, longest.url)
  const ed25519 = fromMultibase('z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH')
  const document = webDidDocument(longest.did, [ed25519])
  t.is(validateDidDocument(longest.did, document), document)
  for (const text of [
    `issuer.example:8443/${'%C3%BC'.repeat(327)}/abcdefgh`,
    `issuer.example/${'字'.repeat(300)}`,
    `issuer.example/${'字'.repeat(2000)}`,
  ])
    t.throws(() => webDidFromUrl(text), { instanceOf: Refusal, code: 'did.invalid_url' }, text)
})

const refusedDids = [
  'did:web:',
  'did:web::a',
  'did:web:issuer.example:',
  'did:web:issuer.example::a',
  'did:web:issuer.example:..',
  'did:web:issuer.example:.',
  'did:web:issuer.example:..:admin',
  'did:web:issuer.example:%2e%2e:admin',
  'did:web:issuer.example:a%2Fb',
  'did:web:issuer.example:a%5Cb',
  'did:web:issuer.example:a%00',
  'did:web:issuer.example:a%0A',
  'did:web:issuer.example:a%3Fb',
  'did:web:issuer.example:a%23b',
  'did:web:issuer.example%2Fa',
  'did:web:issuer.example%40evil.example',
  'did:web:issuer.example%3A',
  'did:web:issuer.example%3A0',
  'did:web:issuer.example%3A022',
  'did:web:issuer.example%3A65536',
  'did:web:issuer.example%3A80%3A80',
  'did:web:issuer%2Eexample',
  'did:web:issuer.example.',
  'did:web:-issuer.example',
  'did:web:127.0.0.1',
  'did:web:127.1',
  'did:web:127.0.0.1%3A8443',
  'did:web:2130706433',
  'did:web:0x7f000001',
  'did:web:0177.1',
  'did:web:0',
  'did:web:123',
  'did:web:169.254.169.254',
  'did:web:%5B%3A%3A1%5D',
  'did:web:[::1]',
  'did:web:issuer.example/path',
  'did:web:issuer.example?a',
  'did:web:issuer.example#f',
  'did:WEB:issuer.example',
  'DID:web:issuer.example',
  ' did:web:issuer.example',
  'did:web:issuer.example ',
  'did:web:issuer.example\n',
  'did:web:bücher.example',
]
test(`${refusedDids.length} malformed did:web are refused`, (t) => {
  for (const did of refusedDids) {
    t.is(t.throws(() => parseWebDid(did), { instanceOf: Refusal }, did)?.code, 'did.invalid', did)
  }
})

test('a did:web with an upper-case host names the same place in normal form', (t) => {
  t.is(parseWebDid('did:web:Issuer.Example:Users').url, 'https://issuer.example/Users/did.json')
  t.is(parseWebDid('did:web:Issuer.Example%3a443:Users').did, 'did:web:issuer.example:Users')
})

const DID = 'did:web:issuer.example'
const keys: Record<'ed25519' | 'p256' | 'p384' | 'bls12381g2' | 'x25519', PublicKey> = {
  ed25519: { keyType: 'ed25519', publicKey: ed25519.getPublicKey(randomBytes(32)) },
  p256: { keyType: 'p256', publicKey: p256.getPublicKey(p256.utils.randomSecretKey(), true) },
  p384: { keyType: 'p384', publicKey: p384.getPublicKey(p384.utils.randomSecretKey(), true) },
  bls12381g2: {
    keyType: 'bls12381g2',
    publicKey: bls12_381.G2.Point.BASE.multiply(BigInt(`0x${randomBytes(31).toString('hex')}`)).toBytes(true),
  },
  x25519: { keyType: 'x25519', publicKey: x25519.getPublicKey(randomBytes(32)) },
}

test('one did:web document holds Ed25519, P-256, P-384, BLS12-381 and X25519 keys, each for its purpose', (t) => {
  const all = Object.values(keys)
  const document = webDidDocument(DID, all)
  t.is(validateDidDocument(DID, JSON.parse(JSON.stringify(document))).id, DID)
  const allowed: Record<keyof typeof keys, Relationship[]> = {
    ed25519: ['authentication', 'assertionMethod'],
    p256: ['authentication', 'assertionMethod'],
    p384: ['authentication', 'assertionMethod'],
    bls12381g2: ['assertionMethod'],
    x25519: ['keyAgreement'],
  }
  for (const [name, key] of Object.entries(keys)) {
    for (const purpose of ['authentication', 'assertionMethod', 'keyAgreement', 'capabilityInvocation'] as const) {
      const { method, authorized } = dereference(document, webMethodId(DID, key), purpose)
      t.deepEqual(publicKeyOf(method), key)
      t.is(authorized, allowed[name as keyof typeof keys].includes(purpose), `${name} ${purpose}`)
    }
  }
})

test('a fragment lives as long as its key: other keys and their order do not change it', (t) => {
  const ids = (list: PublicKey[]) => (webDidDocument(DID, list).verificationMethod ?? []).map(({ id }) => id)
  const all = Object.values(keys)
  t.deepEqual(ids(all).sort(), ids([...all].reverse()).sort())
  t.true(ids(all).includes(ids([keys.p256])[0] ?? ''))
  t.is(new Set(ids(all)).size, 8)
  t.is(webMethodId(DID, keys.ed25519), `${DID}#${keyFragment(keys.ed25519)}`)
})

test('verifiers that want a type of their own find it: Ed25519VerificationKey2018, JsonWebKey2020', (t) => {
  const document = webDidDocument(DID, Object.values(keys))
  const old = dereference(document, webMethodId(DID, keys.ed25519, 'Ed25519VerificationKey2018'), 'assertionMethod')
  t.like(old, { authorized: true, method: { type: 'Ed25519VerificationKey2018' } })
  t.deepEqual(publicKeyOf(old.method), keys.ed25519)
  const jwk = dereference(document, webMethodId(DID, keys.p256, 'JsonWebKey2020'), 'assertionMethod')
  t.like(jwk, { authorized: true, method: { type: 'JsonWebKey2020', publicKeyJwk: { kty: 'EC', crv: 'P-256' } } })
  t.deepEqual(publicKeyOf(jwk.method), keys.p256)
})

test('a did:web document holds no key type that it has no use for', (t) => {
  const key: PublicKey = { keyType: 'rsa', publicKey: new Uint8Array(270) }
  t.is(t.throws(() => webDidDocument(DID, [key]), { instanceOf: Refusal })?.code, 'did.key_unsupported')
})
