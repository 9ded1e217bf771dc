import test from 'ava'
import { createDid, payload, sign } from '../../support/credentials/credentials.ts'
import { faultOf, openTarget, type Target } from '../../support/frame/hostile.ts'
import type { RawReply } from '../../support/parts/raw.ts'

let target: Target
let did: string
let honest: Record<string, unknown>
test.before(async () => {
  target = await openTarget()
  did = await createDid(target.world)
  honest = (await sign(target.world, did)).credential
})
test.after.always(() => target?.close())

const V2 = 'https://www.w3.org/ns/credentials/v2'
const term = (nth: number) => `t${nth}`
const many = <T>(count: number, make: (nth: number) => T): T[] => Array.from({ length: count }, (_, nth) => make(nth))

const deep = (levels: number): object =>
  many(levels, (nth) => nth).reduce<object>((inner) => ({ course: inner }), { course: 'x' })

/** Contexts and graphs that cost more than they look like, or that reach where they must not. */
const PAYLOADS: Record<string, Record<string, unknown>> = {
  'no context': { '@context': [] },
  'a context over http': { '@context': [V2, 'http://www.w3.org/ns/x'] },
  'a context on loopback': { '@context': [V2, 'https://127.0.0.1/x', 'https://localhost/x', 'https://[::1]/x'] },
  'a context in the metadata service': { '@context': [V2, 'https://169.254.169.254/latest/meta-data'] },
  'a context that is a file': { '@context': [V2, 'file:///etc/passwd'] },
  'a relative context': { '@context': [V2, '../x'] },
  'another context first': { '@context': ['https://example.org/x', V2] },
  '3,000 contexts': { '@context': [V2, ...many(3_000, (nth) => ({ [term(nth)]: `https://e.org/${nth}` }))] },
  'contexts in contexts': {
    '@context': [
      V2,
      many(900, (nth) => ({ [term(nth)]: { '@id': `https://e.org/${nth}`, '@context': { x: 'https://e.org/x' } } })),
    ],
  },
  '900 scoped contexts': {
    '@context': [
      V2,
      Object.fromEntries(
        many(900, (nth) => [
          term(nth),
          { '@id': `https://e.org/${nth}`, '@context': { [term(nth)]: 'https://e.org/y' } },
        ]),
      ),
    ],
    credentialSubject: Object.fromEntries(many(900, (nth) => [term(nth), { [term(nth)]: 1 }])),
  },
  'an @import': { '@context': [V2, { '@version': 1.1, '@import': 'https://127.0.0.1/x' }] },
  'a redefined protected term': {
    '@context': [V2, { course: 'https://schema.org/courseCode', VerifiableCredential: 'https://e.org/x' }],
  },
  'a redefined keyword': { '@context': [V2, { '@type': 'https://e.org/x' }] },
  'a context of null': { '@context': [V2, null] },
  'an undefined claim': { credentialSubject: { id: 'did:example:x', undefinedClaim: 1 } },
  'nothing but dropped claims': { credentialSubject: { id: 'did:example:x', 'not a term': 1 } },
  '60 levels': { credentialSubject: deep(56) },
  '9,000 blank nodes': { credentialSubject: { course: many(900, () => ({ course: many(9, () => ({})) })) } },
  'blank nodes with names': {
    '@context': [V2, { p: { '@id': 'https://e.org/p', '@type': '@id' } }],
    credentialSubject: many(12, (nth) => ({ id: `_:b${nth}`, p: many(12, (at) => `_:b${at}`) })),
  },
  'a relative subject': { credentialSubject: { id: '../x', course: 'x' } },
  'an issuer that is a list': { issuer: [{ id: 'x' }] },
  'a proof already': { proof: { type: 'DataIntegrityProof' } },
  'a date that is none': { validFrom: '2027-02-31T00:00:00Z' },
  'an end before the start': { validFrom: '2027-02-01T00:00:00Z', validUntil: '2027-01-01T00:00:00Z' },
  'ids with spaces': { id: 'urn: x y' },
}

/** The code of the refusal to sign, and the types of the reasons, or the code of the refusal, to verify. */
const OUTCOMES: Record<string, [signed: string, ...verified: string[]]> = {
  'no context': ['credential.term_undefined', 'Syntax', 'Syntax'],
  'a context over http': ['context.unavailable', 'Context'],
  'a context on loopback': ['context.unavailable', 'Context'],
  'a context in the metadata service': ['context.unavailable', 'Context'],
  'a context that is a file': ['context.unavailable', 'Context'],
  'a relative context': ['credential.invalid', 'Syntax'],
  'another context first': ['credential.invalid', 'Syntax', 'Syntax'],
  '3,000 contexts': ['credential.malformed', 'credential.malformed'],
  'contexts in contexts': ['credential.invalid', 'Syntax'],
  '900 scoped contexts': ['credential.too_complex', 'credential.too_complex'],
  'an @import': ['context.invalid', 'Context'],
  'a redefined protected term': ['context.invalid', 'Context'],
  'a redefined keyword': ['context.invalid', 'Context'],
  'a context of null': ['credential.invalid', 'Syntax'],
  'an undefined claim': ['credential.term_undefined', 'Context'],
  'nothing but dropped claims': ['credential.term_undefined', 'Context'],
  '60 levels': ['signed', 'Proof'],
  '9,000 blank nodes': ['credential.too_complex', 'credential.too_complex'],
  'blank nodes with names': ['credential.invalid', ...many(10, () => 'Syntax')],
  'a relative subject': ['credential.invalid', 'Syntax'],
  'an issuer that is a list': ['credential.invalid', 'Syntax'],
  'a proof already': ['credential.invalid', 'Issuer', 'Proof'],
  'a date that is none': ['credential.invalid', 'Syntax'],
  'an end before the start': ['credential.invalid', 'Syntax'],
  'ids with spaces': ['credential.invalid', 'Syntax'],
}

interface Outcome {
  verified?: boolean
  reason?: { type: string }[]
  type?: string
}

const outcomeOf = ({ status, text }: RawReply): string[] => {
  const { reason, type = 'signed' } = JSON.parse(text) as Outcome
  return status === 200 && reason ? reason.map((one) => one.type) : [type.replace('/problems#', '')]
}

for (const [name, more] of Object.entries(PAYLOADS))
  test.serial(`${name}: the rule that it breaks is named, on signing and on verifying`, async (t) => {
    const credential = { ...payload(did), ...more }
    const ask = (path: string, body: object) =>
      target.client.ask({
        method: 'POST',
        path: `/v1/credentials/web-semantic/${path}`,
        token: target.sample.token,
        body: JSON.stringify(body),
      })
    const signed = await ask('sign', { payload: credential, proofType: 'eddsa-rdfc-2022', revocable: false })
    if (name !== '60 levels') t.is(faultOf(signed, [400]), undefined)
    const verified = await ask('verify', { payload: { ...honest, ...more } })
    t.deepEqual([...outcomeOf(signed), ...outcomeOf(verified)], OUTCOMES[name] ?? [])
    t.false(/root:|ami-id/.test(signed.text + verified.text))
  })

/** A name that leads nowhere public is not refused here: its registration says FAILED and why, once it was looked up. */
const DIDS: [name: string, body: unknown][] = [
  ...['ION', 'sov', '', 'KEY ', 'key\u200b', 'ｋｅｙ', 'key,web', 'did:key', '__proto__'].map(
    (method): [string, unknown] => [`method ${method}`, { method, options: {} }],
  ),
  ['1,001 options', { method: 'KEY', options: Object.fromEntries(many(1_001, (nth) => [term(nth), 'x'])) }],
  ['900 options', { method: 'KEY', options: Object.fromEntries(many(900, (nth) => [term(nth), 'x'])) }],
  ...['constructor', 'toString', '__proto__', 'keytype', 'KeyType', 'url'].map((name): [string, unknown] => [
    `option ${name}`,
    { method: 'KEY', options: { [name]: 'ed25519' } },
  ]),
  ...['secp256k1', 'x448', 'rsa', '', 'constructor', 'ed25519\n', 'ED 25519'].map((keyType): [string, unknown] => [
    `key type ${keyType}`,
    { method: 'KEY', options: { keyType } },
  ]),
  ...[
    'http://example.org',
    'https://127.0.0.1',
    'https://[::1]',
    'https://2130706433',
    'https://0x7f.1',
    'https://127.1',
    'https://user:pass@example.org',
    'https://example.org?x',
    'https://example.org#x',
    'https://example.org/../x',
    'https://example.org/%2e%2e/x',
    'https://example.org/a//b',
    'https://exa mple.org',
    'https://example.org\\@evil.org',
    'https://example.org\u0000',
    'https://１２７.０.０.１',
    'https://example.org.',
    'https://-.org',
    'javascript:x',
    'ftp://example.org',
    '',
    ' ',
    `https://${'a'.repeat(64)}.org`,
    `https://${'a.'.repeat(130)}org`,
    `https://example.org/${'x'.repeat(3_000)}`,
    'https://example.org:0',
    'https://example.org:99999',
    'https://10.0.0.1.',
    '//example.org',
    'did:web:example.org',
    'example.org%00',
    'https://example.org/did.json',
    'https://example.org/.well-known/did.json',
  ].map((url): [string, unknown] => [`url ${url.slice(0, 60)}`, { method: 'WEB', options: { url } }]),
]

test.serial('DIDs of other methods, and of hosts that are none, are refused', async (t) => {
  const found: string[] = []
  for (const [name, body] of DIDS) {
    const reply = await target.client.ask({
      method: 'POST',
      path: '/v1/dids',
      token: target.sample.token,
      body: JSON.stringify(body),
    })
    const fault = faultOf(reply, [400])
    if (fault) found.push(`${name}: ${fault}`)
  }
  t.deepEqual(found, [])
})

test.serial('the platform lives', (t) => target.checkPulse(t))
