import { randomBytes } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import test from 'ava'
import { toJwk } from '../../protocol/dids/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { checkMessage, type DidcommMessage } from '../../protocol/messaging/didcomm.message.ts'
import { packEncrypted } from '../../protocol/messaging/didcomm.pack.ts'
import { signMessage } from '../../protocol/messaging/didcomm.signed.ts'
import { unpackMessage } from '../../protocol/messaging/didcomm.unpack.ts'
import { encryptJwe, recipientsInfo } from '../../protocol/messaging/jwe.encrypt.ts'
import { chooseCurve, recipientsOf, senderKeyIn } from '../../protocol/messaging/recipients.ts'
import { agreementOf, forged, openerOf, people } from '../support/messaging/didcomm.ts'

const { ann, ben, eve, resolve } = people()
const NOW = new Date('2026-01-01T00:00:00Z')
const parts = { ...openerOf(ben.pairs, resolve), resolve, now: NOW }
const [annKey] = ann.pairs

/** Keys of authentication, which the documents of people get here. */
const signerOf = (person: typeof ann) => {
  const { secretKey, publicKey } = ed25519.keygen()
  const id = `${person.id}#signs`
  const method = {
    id,
    type: 'JsonWebKey2020',
    controller: person.id,
    publicKeyJwk: toJwk({ keyType: 'ed25519', publicKey }),
  }
  person.document.authentication = [method]
  return { verificationMethod: id, keyType: 'ed25519', sign: async (data: Uint8Array) => ed25519.sign(data, secretKey) }
}
const [annSigns, eveSigns] = [signerOf(ann), signerOf(eve)]

const MESSAGE: DidcommMessage = {
  id: '1',
  type: 'https://didcomm.org/trust-ping/2.0/ping',
  from: ann.id,
  to: [ben.id],
  body: { response_requested: true },
}

const pack = (message: object, more: object = {}) =>
  packEncrypted({ message: message as DidcommMessage, recipients: ben.recipients, random: randomBytes, ...more })

const seal = (inner: unknown, more: object = {}) =>
  encryptJwe({
    plaintext: Buffer.from(JSON.stringify(inner)),
    recipients: ben.recipients,
    random: randomBytes,
    ...more,
  })

async function faultOf(packed: unknown): Promise<string> {
  try {
    await unpackMessage(packed, parts)
    return 'none'
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'jwe.undecryptable' && error.cause instanceof Error) return error.cause.message
    return error.errors[0] ? `${error.errors[0].path}: ${error.errors[0].message}` : error.code
  }
}

const byAnn = annKey && { sender: agreementOf(annKey) }

for (const [member, value] of [
  ['id', undefined],
  ['id', ''],
  ['id', 1],
  ['id', 'a'.repeat(257)],
  ['type', undefined],
  ['type', 'ping'],
  ['type', 'https://didcomm.org/trust-ping'],
  ['type', 7],
  ['typ', 'application/json'],
  ['from', 'ann'],
  ['from', `${ann.id}#one`],
  ['from', 5],
  ['to', ben.id],
  ['to', [ben.id, 7]],
  ['to', [`${ben.id}#one`]],
  ['to', Array.from({ length: 101 }, () => ben.id)],
  ['thid', {}],
  ['pthid', ''],
  ['created_time', '1516269022'],
  ['created_time', 1.5],
  ['expires_time', -1],
  ['expires_time', Number.MAX_VALUE],
  ['body', []],
] as const)
  test(`a message is refused, naming the member: ${member} ${JSON.stringify(value)?.slice(0, 60)} (DIDComm v2, Message Headers)`, (t) => {
    const error = t.throws<Refusal>(() => checkMessage({ ...MESSAGE, [member]: value }, { now: NOW }), {
      instanceOf: Refusal,
    })
    t.is(error?.code, 'didcomm.invalid')
    t.regex(error?.errors[0]?.path ?? '', new RegExp(`^${member}`))
  })

test('a message is taken with what DIDComm v2 lets a sender leave out, and with members of others', (t) => {
  const { id, type } = MESSAGE
  t.deepEqual(checkMessage({ id, type }, { now: NOW }), { id, type })
  const more = { ...MESSAGE, typ: 'didcomm-plain+json', lang: 'es', expires_time: NOW.getTime() / 1000 + 1 }
  t.deepEqual(checkMessage(more, { now: NOW }), more)
})

test('an expired message is refused', async (t) => {
  t.is(await faultOf(await pack({ ...MESSAGE, expires_time: NOW.getTime() / 1000 }, byAnn)), 'didcomm.expired')
  const lately = await pack({ ...MESSAGE, expires_time: NOW.getTime() / 1000 - 30 }, byAnn)
  t.is(await faultOf(lately), 'didcomm.expired')
  const { message } = await unpackMessage(lately, { ...parts, toleranceMs: 60_000 })
  t.is(message.id, MESSAGE.id, 'clocks may differ (D-167)')
})

test('what an envelope hides has bounds as what is sent in clear', async (t) => {
  const names = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`n${at}`, 0]))
  const recipients = Array.from({ length: 100 }, () => ({}))
  const inner = { ...(await pack(MESSAGE)), unprotected: names, recipients }
  t.is(await faultOf(await seal(inner)), 'didcomm.invalid')
  t.is(await faultOf(await seal({ ...MESSAGE, body: names })), 'didcomm.invalid')
})

test('from, to, skid, kid and signature agree, or the message is refused (Message Layer Addressing Consistency)', async (t) => {
  const { from: _from, ...nobody } = MESSAGE
  const { to: _to, ...toNobody } = MESSAGE
  t.is(await faultOf(await pack(MESSAGE, byAnn)), 'none')
  t.is(await faultOf(await pack({ ...MESSAGE, from: eve.id }, byAnn)), 'from: expected the DID of skid')
  t.is(await faultOf(await pack(nobody, byAnn)), 'from: expected the DID of skid')
  t.is(await faultOf(await pack(nobody)), 'none')
  t.is(await faultOf(await pack({ ...MESSAGE, to: [eve.id] })), 'to: expected the DID of the recipient')
  t.is(await faultOf(await pack({ ...MESSAGE, to: [eve.id, ben.id] })), 'none')
  t.is(await faultOf(await pack(toNobody)), 'none')
  t.is(await faultOf(await signMessage(MESSAGE, annSigns)), 'none')
  t.is(await faultOf(await signMessage(MESSAGE, eveSigns)), 'from: expected the DID of the signature’s kid')
  const signed = await signMessage(MESSAGE, annSigns)
  for (const more of [{}, byAnn]) t.is(await faultOf(await seal(signed, more)), 'none')
  const [eveKey] = eve.pairs
  t.is(await faultOf(await seal(signed, eveKey && { sender: agreementOf(eveKey) })), 'from: expected the DID of skid')
  const forAnybody = await signMessage(toNobody as DidcommMessage, annSigns)
  t.is(await faultOf(await seal(forAnybody)), 'to: expected the recipients of a signed message')
})

test('a signature is of a key under authentication, by the algorithm of the key', async (t) => {
  const { payload, signatures } = await signMessage(MESSAGE, annSigns)
  const [own] = signatures
  const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const withHeader = (header: object) => ({ payload, signatures: [{ ...own, protected: base64url(header) }] })
  t.regex(await faultOf(withHeader({ alg: 'none' })), /^signature: /)
  t.regex(await faultOf(withHeader({ alg: 'ES256' })), /^signature: /)
  t.regex(await faultOf(withHeader({ alg: 'EdDSA', crit: ['b64'], b64: false })), /^protected: expected no crit/)
  t.regex(await faultOf(withHeader({ alg: 'EdDSA', typ: 'JWT' })), /^protected: /)
  t.regex(await faultOf(withHeader({ alg: 'EdDSA', kid: own?.header.kid })), /^header: /)
  t.regex(await faultOf({ payload, signatures: [{ ...own, header: {} }] }), /^header: /)
  t.regex(await faultOf({ payload, signatures: [{ ...own, signature: 'AAAA' }] }), /^signature: /)
  t.regex(await faultOf({ payload, signatures: [] }), /^signatures: /)
  t.regex(await faultOf({ payload: `${payload}AAAA`, signatures }), /^signature: /)
  const agrees = await signMessage(MESSAGE, { ...annSigns, verificationMethod: String(annKey?.kid) })
  t.regex(await faultOf(agrees), /^signature: /, 'a key of keyAgreement signs nothing')
})

test('envelopes that DIDComm v2 does not have are refused, so that nobody nests them without end', async (t) => {
  const once = await pack(MESSAGE, byAnn)
  const allowed = ': expected envelopes that DIDComm v2 allows'
  t.is(await faultOf(await seal(once)), 'none')
  t.is(await faultOf(await seal(once, byAnn)), allowed, 'authcrypt of authcrypt')
  t.is(await faultOf(await seal(await seal(MESSAGE))), allowed, 'anoncrypt of anoncrypt')
  t.is(await faultOf(await seal(await seal(once))), allowed)
  t.is(await faultOf(await signMessage(once as never, annSigns)), allowed, 'signed encryption')
  t.is(await faultOf(await signMessage((await signMessage(MESSAGE, annSigns)) as never, annSigns)), allowed)
})

test('apv is of the recipients, of one DID, and the parameters are protected', async (t) => {
  const [key] = ben.pairs
  if (!key) return t.fail()
  const plaintext = Buffer.from(JSON.stringify(MESSAGE))
  const apv = recipientsInfo([key.kid])
  t.is(await faultOf(forged(key, { plaintext, header: { apv } })), 'none')
  t.is(await faultOf(forged(key, { plaintext })), 'apv is not of the recipients')
  t.is(
    await faultOf(forged(key, { plaintext, header: { apv: recipientsInfo(['a', key.kid]) } })),
    'apv is not of the recipients',
  )
  const typ = { apv, typ: 'JWT' }
  t.is(await faultOf(forged(key, { plaintext, header: typ })), 'typ is not of an encrypted message')
  const moved = { header: { apv, alg: undefined }, recipient: { alg: 'ECDH-ES+A256KW' } }
  t.is(await faultOf(forged(key, { plaintext, ...moved })), 'epk or alg is not protected')
  const two = await encryptJwe({ plaintext, recipients: [...ben.recipients, ...eve.recipients], random: randomBytes })
  t.is(await faultOf(two), 'recipients of two DIDs')
})

test('what is no message is refused: text, depth, size, kind', async (t) => {
  const codeOf = async (packed: unknown) =>
    (await t.throwsAsync<Refusal>(unpackMessage(packed, parts), { instanceOf: Refusal }))?.code
  for (const packed of ['', '[]', 'null', '{', '7', `{"a":${'['.repeat(100)}`, 'a'.repeat(3_000_000), null, 7, [], {}])
    t.is(await codeOf(packed), 'didcomm.invalid')
  t.is(await codeOf({ ciphertext: 7 }), 'jwe.undecryptable')
  t.is(await codeOf(await seal(['no message'])), 'didcomm.invalid')
})

test('recipients are the keys that their document authorises, of one curve that all have', async (t) => {
  t.deepEqual(recipientsOf(ben.document, ben.id, parts), ben.recipients)
  t.deepEqual(recipientsOf(ben.document, `${ben.id}#two`, parts), ben.recipients.slice(1))
  t.deepEqual(recipientsOf(ben.document, `${ben.id}#none`, parts), [])
  t.deepEqual(recipientsOf(ann.document, `${ann.id}#signs`, parts), [], 'a key that signs')
  const { keyAgreement: _none, ...without } = ben.document
  t.deepEqual(recipientsOf(without, ben.id, parts), [])
  const foreign = (ben.document.verificationMethod ?? []).map((each) => ({ ...each, controller: eve.id }))
  const withMethods = (verificationMethod: typeof foreign) => ({ ...ben.document, verificationMethod })
  t.deepEqual(recipientsOf(withMethods(foreign), ben.id, parts), [], 'keys of another subject')
  const [one, ...more] = ben.document.verificationMethod ?? []
  if (!one) return t.fail()
  const ended = withMethods([{ ...one, revoked: NOW.toISOString() }, ...more])
  t.deepEqual(recipientsOf(ended, ben.id, parts), ben.recipients.slice(1), 'whoever has a lost key reads nothing')
  t.deepEqual(chooseCurve([ben.recipients, eve.recipients]), {
    keyType: 'x25519',
    recipients: [ben.recipients, eve.recipients],
  })
  t.deepEqual(chooseCurve([ben.recipients, []]), { unfit: 1, keyTypes: ['x25519'] })
  t.deepEqual(chooseCurve([ben.recipients], ['p256']), { unfit: 0, keyTypes: ['p256'] })
  t.deepEqual(await senderKeyIn(resolve, `${ann.id}#one`, parts), ann.recipients[0]?.key)
  for (const skid of [ann.id, `${ann.id}#signs`])
    await t.throwsAsync(senderKeyIn(resolve, skid, parts), { instanceOf: Refusal, code: 'did.method_not_found' })
})

test('a message is not proved by a key that the sender’s document has ended (D-134)', async (t) => {
  const withEnd = (revoked: Date) => async (did: string) => {
    const document = structuredClone(await resolve(did))
    const methods = [...(document.verificationMethod ?? []), ...(document.authentication ?? [])]
    for (const each of methods) Object.assign(each, { revoked: revoked.toISOString() })
    return document
  }
  const before = withEnd(new Date(NOW.getTime() + 1))
  const after = withEnd(NOW)
  const open = (packed: unknown, known: typeof resolve) =>
    unpackMessage(packed, { ...openerOf(ben.pairs, known), resolve: known, now: NOW })
  const signed = await signMessage(MESSAGE, annSigns)
  t.is((await open(signed, before)).signerKid, annSigns.verificationMethod)
  await t.throwsAsync(open(signed, after), { instanceOf: Refusal, code: 'didcomm.invalid' })
  const sealed = await pack(MESSAGE, byAnn)
  t.is((await open(sealed, before)).senderKid, annKey?.kid)
  await t.throwsAsync(open(sealed, after), { instanceOf: Refusal })
})
