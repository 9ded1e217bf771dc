import { randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { CompactSign, exportJWK, generateKeyPair, importJWK } from 'jose'
import { verificationKey } from '../../protocol/data-integrity/keys.ts'
import type { DidDocument, PublicJwk } from '../../protocol/dids/index.ts'
import { resolveDidKey } from '../../protocol/dids/key.ts'
import { Refusal } from '../../protocol/errors.ts'
import { jsonOf, parseCompactJws, signCompactJws } from '../../protocol/jws.ts'
import { readControlProof } from '../../protocol/messaging/control.ts'
import {
  isSignedBy,
  messageToSign,
  type RefuseJws,
  readSignedMessage,
  type SignedMessage,
  verifySignedMessage,
} from '../../protocol/messaging/jws.ts'
import { payloadOf } from '../../protocol/messaging/payload.ts'
import { stranger } from '../support/messaging.ts'
import { COOKBOOK, RFC7515_ES256, RFC8037 } from '../support/messaging.vectors.ts'

const refuse: RefuseJws = (rule, what, expected) => {
  throw new Refusal('jws.invalid', what, [{ path: 'jws', code: rule, message: expected }])
}

const NOW = new Date('2027-01-01T00:00:00Z')
const read = (text: string) => readSignedMessage(text, refuse)

const ruleOf = (work: () => unknown): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.errors[0]?.code
    throw error
  }
}

const DID = 'did:web:issuer.example'
const KID = `${DID}#key-1`

const base64url = (value: string) => Buffer.from(value).toString('base64url')
const inThree = (header: string, payload = '{}') => `${base64url(header)}.${base64url(payload)}.AAAA`

for (const [name, { jwk, jws, text }] of Object.entries({
  'RFC 8037, appendices A.4 and A.5 (Ed25519)': RFC8037,
  'RFC 7515, appendix A.3 (ES256)': RFC7515_ES256,
}))
  test(`${name}: the signature verifies, and over another payload it does not`, (t) => {
    const parsed = parseCompactJws(jws)
    if (!parsed) return t.fail()
    const key = verificationKey({ id: KID, type: 'JsonWebKey', controller: DID, publicKeyJwk: jwk })
    const signingInput = jws.slice(0, jws.lastIndexOf('.'))
    const message: SignedMessage = { ...parsed, did: DID, didUrl: KID, keyType: key.keyType, signingInput }
    t.is(Buffer.from(parsed.payload).toString(), text)
    t.true(isSignedBy(message, key))
    t.false(isSignedBy({ ...message, signingInput: `${signingInput}A` }, key))
    // without kid nobody can say whose it is
    t.is(
      ruleOf(() => read(jws)),
      'kid',
    )
  })

for (const [example, rule, text] of COOKBOOK)
  test(`RFC 7520, ${example}: is refused for its rule`, (t) => {
    t.is(
      ruleOf(() => read(text)),
      rule,
    )
  })

test('RFC 8037, appendix A.4: with the kid of the key’s did:key the whole way verifies what jose signs', async (t) => {
  const key = await importJWK({ ...RFC8037.jwk, d: RFC8037.d }, 'EdDSA')
  const did = 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw'
  const kid = `${did}#${did.slice('did:key:'.length)}`
  const jws = await new CompactSign(Buffer.from(RFC8037.text)).setProtectedHeader({ alg: 'EdDSA', kid }).sign(key)
  const message = read(jws)
  t.is(payloadOf(message, refuse), RFC8037.text)
  const rules = { now: new Date(), purposes: ['authentication'] as const, resolveDid: async () => resolveDidKey(did) }
  t.deepEqual(await verifySignedMessage(message, rules), { verified: true, publicJwk: RFC8037.jwk })
})

test('what is no compact JWS of a DID is refused with its rule (RFC 7515, sections 4.1.11 and 5.2; RFC 7797)', (t) => {
  const good = { alg: 'EdDSA', kid: KID }
  const cases: [rule: string, text: string][] = [
    ['parts', ''],
    ['parts', 'a.b'],
    ['parts', 'a.b.c.d'],
    ['parts', '.'.repeat(100_000)],
    ['serialization', ' {"protected":"e30","payload":"e30","signature":""}'],
    ['detached', `${base64url(JSON.stringify(good))}..AAAA`],
    ['base64url', `${base64url(JSON.stringify(good))}=.e30.AAAA`],
    ['base64url', `${base64url(JSON.stringify(good))}.e30.AA+/`],
    ['base64url', `${base64url(JSON.stringify(good))}. e30.AAAA`],
    ['base64url', inThree('[]')],
    ['base64url', inThree('{')],
    ['base64url', inThree('"x"')],
    ['header', inThree(`{"alg":"none","alg":"EdDSA","kid":"${KID}"}`)],
    ['header', inThree(`{"alg":"EdDSA","kid":"${KID}","x":${'['.repeat(100)}${']'.repeat(100)}}`)],
    ...['none', 'None', 'HS256', 'RS256', 'ES512', 'ES256K', 'toString', '__proto__', 7, null, undefined].map(
      (alg): [string, string] => ['alg', inThree(JSON.stringify({ ...good, alg }))],
    ),
    ...[['exp'], [], ['b64'], 'exp', null].map((crit): [string, string] => [
      'crit',
      inThree(JSON.stringify({ ...good, crit, exp: 1 })),
    ]),
    ['b64', inThree(JSON.stringify({ ...good, b64: false }))],
    ...[undefined, 7, '', 'key-1', '#key-1', DID, `${DID}#`, `${DID}/path#key-1`, `${DID}?versionId=1#key-1`].map(
      (kid): [string, string] => ['kid', inThree(JSON.stringify({ ...good, kid }))],
    ),
  ]
  for (const [rule, text] of cases)
    t.is(
      ruleOf(() => read(text)),
      rule,
      text.slice(0, 100),
    )
  t.is(read(inThree(JSON.stringify({ ...good, b64: true }))).didUrl, KID)
})

test('each JSON value and each text comes back as it was signed, and jose reads it too', async (t) => {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true })
  const signed = async (payload: unknown) => {
    const { header, bytes } = messageToSign(payload, 'EdDSA', KID)
    const jws = await signCompactJws(header, bytes, async (data) => {
      const key = await crypto.subtle.importKey('jwk', await exportJWK(privateKey), 'Ed25519', false, ['sign'])
      return new Uint8Array(await crypto.subtle.sign('Ed25519', key, Buffer.from(data)))
    })
    const message = read(jws)
    const key = (await exportJWK(publicKey)) as PublicJwk
    t.true(isSignedBy(message, verificationKey({ id: KID, type: 'JsonWebKey', controller: DID, publicKeyJwk: key })))
    return { message, value: payloadOf(message, refuse) }
  }
  for (const payload of [
    null,
    true,
    0,
    -1.5,
    1e21,
    '',
    'text',
    '42',
    '"quoted"',
    '{"a":1}',
    'null',
    [],
    {},
    [[]],
    { a: { '': [1, 'x', null] } },
  ]) {
    const { message, value } = await signed(payload)
    t.deepEqual(value, payload)
    t.is(message.header.cty, typeof payload === 'string' && payload ? 'text/plain;charset=utf-8' : 'json')
  }
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (value) => {
      const payload = JSON.parse(JSON.stringify(value)) as unknown
      const keys = JSON.stringify(payload)
      if (/\\u|__proto__|toString/.test(keys)) return
      t.deepEqual((await signed(payload)).value, payload)
    }),
    { numRuns: 50 },
  )
})

test('a foreign payload is JSON by its cty, an object or a list without one, and text otherwise', async (t) => {
  const of = (payload: string | Uint8Array, cty?: unknown) => ({
    ...read(inThree(JSON.stringify({ alg: 'EdDSA', kid: KID, ...(cty === undefined ? {} : { cty }) }))),
    payload: Buffer.from(payload),
  })
  const cases: [unknown, SignedMessage][] = [
    [{ a: 1 }, of('{"a":1}')],
    [[1], of('[1]')],
    ['42', of('42')],
    ['"x"', of('"x"')],
    [42, of('42', 'json')],
    ['x', of('"x"', 'application/vc+json; charset=utf-8')],
    ['{"a":1}', of('{"a":1}', 'text/plain')],
    ['{"a":1,"a":2}', of('{"a":1,"a":2}')], // two readers may see two documents, so that it stays a text
    ['{"n":12345678901234567890}', of('{"n":12345678901234567890}')],
    ['\ufeff{}', of('\ufeff{}')],
    [{ a: 1 }, of('{"a":1}', 7)],
  ]
  for (const [value, message] of cases) t.deepEqual(payloadOf(message, refuse), value)
  for (const message of [
    of('{"a":1,"a":2}', 'json'),
    of('x', 'JSON'),
    of(Uint8Array.of(0xff, 0xfe)),
    of('{', 'ld+json'),
  ])
    t.is(
      ruleOf(() => payloadOf(message, refuse)),
      'payload',
    )
})

/** A document with one key in the relationships that are named. */
async function documentWith(relationships: string[], type = 'JsonWebKey', controller = DID, alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const method = { id: '#key-1', type, controller, publicKeyJwk: (await exportJWK(publicKey)) as PublicJwk }
  const document: DidDocument = { id: DID, verificationMethod: [method] }
  for (const each of relationships) Object.assign(document, { [each]: ['#key-1'] })
  const jws = (header: object = {}) =>
    new CompactSign(Buffer.from('{}')).setProtectedHeader({ alg, kid: KID, ...header }).sign(privateKey)
  return { document, jws }
}

test('a verdict is false, with its reason, unless the named DID has the fitting key for the purpose', async (t) => {
  const purposes = ['authentication', 'assertionMethod'] as const
  const verdict = (text: string, document: DidDocument | Error) =>
    verifySignedMessage(read(text), {
      now: NOW,
      purposes,
      resolveDid: async () => {
        if (document instanceof Error) throw document
        return document
      },
    })
  const typeOf = async (text: string, document: DidDocument | Error) => (await verdict(text, document)).error?.type
  for (const purpose of purposes) {
    const { document, jws } = await documentWith([purpose])
    t.true((await verdict(await jws(), document)).verified)
  }
  for (const alg of ['ES384', 'Ed25519', 'EdDSA']) {
    const { document, jws } = await documentWith(['authentication'], 'JsonWebKey', DID, alg)
    t.true((await verdict(await jws(), document)).verified, alg)
  }
  const good = await documentWith(['authentication'])
  const text = await good.jws()
  t.is(await typeOf(text, new Refusal('did.unresolvable', 'away')), 'DidUnresolvable')
  await t.throwsAsync(verdict(text, new Error('ours')), { message: 'ours' })
  t.is(await typeOf(text, { id: DID }), 'KeyNotFound')
  t.is(await typeOf(text, { ...good.document, id: 'did:web:other.example' }), 'KeyNotFound')
  for (const wrong of [['keyAgreement'], ['capabilityInvocation', 'capabilityDelegation'], []]) {
    const { document, jws } = await documentWith(wrong)
    t.is(await typeOf(await jws(), document), 'KeyNotAuthorized')
  }
  const foreign = await documentWith(['authentication'], 'JsonWebKey', 'did:web:other.example')
  t.is(await typeOf(await foreign.jws(), foreign.document), 'KeyNotAuthorized')
  for (const member of ['revoked', 'expires']) {
    const ending = (end: Date) => {
      const [method] = good.document.verificationMethod ?? []
      return { ...good.document, verificationMethod: [{ ...method, [member]: end.toISOString() }] } as DidDocument
    }
    t.true((await verdict(text, ending(new Date(NOW.getTime() + 1)))).verified)
    const { verified, error } = await verdict(text, ending(NOW))
    t.deepEqual([verified, error?.type], [false, 'KeyNotAuthorized'], member)
    t.regex(error?.message ?? '', member === 'revoked' ? /as revoked/ : /as expired/)
  }
  const strange = await documentWith(['authentication'], 'StrangeKey2030')
  t.is(await typeOf(await strange.jws(), strange.document), 'KeyUnfit')
  const other = await documentWith(['authentication'], 'JsonWebKey', DID, 'EdDSA')
  t.is(await typeOf(text, other.document), 'KeyUnfit')
  const another = await documentWith(['authentication'])
  t.like(await verdict(text, another.document), { verified: false, error: { type: 'SignatureInvalid' } })
  const [header, payload] = text.split('.')
  for (const signature of ['', 'AAAA', Buffer.alloc(64).toString('base64url'), randomBytes(64).toString('base64url')])
    t.is(await typeOf(`${header}.${payload}.${signature}`, good.document), 'SignatureInvalid')
})

test('no text makes the readers fail in another way than by a refusal (fuzz)', async (t) => {
  const us = await stranger()
  const good = await us.jwt('inbox')
  const clock = { now: new Date(), toleranceMs: 0 }
  const attempt = (text: string) => {
    for (const work of [
      () => payloadOf(read(text), refuse),
      () => readControlProof(text, { did: us.did, audience: 'inbox', ...clock }),
    ])
      ruleOf(work)
  }
  const header = fc.record({
    alg: fc.constantFrom('EdDSA', 'ES256', 'x'),
    kid: fc.oneof(fc.constant(us.kid), fc.string()),
  })
  const parts = fc.tuple(header, fc.jsonValue(), fc.string())
  fc.assert(fc.property(fc.string({ unit: 'binary' }), attempt), { numRuns: 1_000 })
  fc.assert(
    fc.property(parts, ([head, value, tail]) =>
      attempt(`${base64url(JSON.stringify(head))}.${base64url(JSON.stringify(value))}.${base64url(tail)}`),
    ),
    { numRuns: 1_000 },
  )
  fc.assert(
    fc.property(fc.nat(good.length), fc.string(), (at, inserted) =>
      attempt(good.slice(0, at) + inserted + good.slice(at + 1)),
    ),
    { numRuns: 1_000 },
  )
  t.deepEqual(
    jsonOf(readControlProof(good, { did: us.did, audience: 'inbox', ...clock }).message.payload),
    jsonOf(Buffer.from(good.split('.')[1] ?? '', 'base64url')),
  )
})
