import { randomBytes } from 'node:crypto'
import type { Json } from '../../protocol/json.ts'
import { checkMessage, type DidcommMessage } from '../../protocol/messaging/didcomm.message.ts'
import { packEncrypted } from '../../protocol/messaging/didcomm.pack.ts'
import { unpackMessage } from '../../protocol/messaging/didcomm.unpack.ts'
import { chooseCurve, recipientsOf } from '../../protocol/messaging/recipients.ts'
import { vectorFiles, vectorJson, withVectors } from '../support/credentials/conformance-vectors.ts'
import { agreementOf, aliceAndBob, openerOf } from '../support/messaging/didcomm.ts'

/** Before the expires_time of the examples. */
const NOW = new Date('2018-01-18T10:00:00Z')

const partsOfBob = () => {
  const { bob, resolve } = aliceAndBob()
  return { ...openerOf(bob, resolve), resolve, now: NOW }
}

withVectors('DIDComm v2, appendix C.1 is a plaintext message', async (t) => {
  const { message, layers } = await unpackMessage(vectorJson('didcomm-v2/c1-plaintext.json'), partsOfBob())
  t.deepEqual([message.id, layers], ['1234567890', []])
})

withVectors(
  'each row of appendix C.2 verifies, in general and in flattened serialization: EdDSA, ES256, ES256K',
  async (t) => {
    const rows = vectorFiles('didcomm-v2').filter((name) => name.includes('/c2-'))
    t.is(rows.length, 3)
    for (const row of rows) {
      const general = vectorJson<Json & { signatures: Json[] }>(row)
      const { signatures, ...rest } = general
      for (const form of [general, { ...rest, ...signatures[0] }, JSON.stringify(general)]) {
        const { message, layers, signerKid } = await unpackMessage(form, partsOfBob())
        t.deepEqual([message.from, layers], ['did:example:alice', ['signed']])
        t.true(signerKid?.startsWith('did:example:alice#key-'))
      }
      for (const changed of [
        { ...general, payload: general.payload?.toString().replace('eyJpZCI6IjEy', 'eyJpZCI6IjEz') },
        { ...general, signatures: [{ ...signatures[0], header: { kid: 'did:example:alice#key-x25519-1' } }] },
        { ...general, signatures: [...signatures, ...signatures] },
      ])
        await t.throwsAsync(unpackMessage(changed, partsOfBob()))
    }
  },
)

withVectors('each row of appendix C.3 unpacks to the message, and says who sent it', async (t) => {
  const rows = vectorFiles('didcomm-v2').filter((name) => name.includes('/c3-'))
  const found = []
  for (const row of rows) {
    const { message, layers, recipientKid, senderKid, signerKid } = await unpackMessage(vectorJson(row), partsOfBob())
    t.like(message, { id: '1234567890', from: 'did:example:alice', to: ['did:example:bob'] })
    t.true(recipientKid?.startsWith('did:example:bob#'))
    found.push([layers.join(' '), senderKid, signerKid].map((each) => each?.replace('did:example:alice', '')))
  }
  t.deepEqual(found, [
    ['anoncrypt', undefined, undefined],
    ['anoncrypt', undefined, undefined],
    ['anoncrypt', undefined, undefined],
    ['authcrypt', '#key-x25519-1', undefined],
    ['authcrypt signed', '#key-p256-1', '#key-1'],
    ['anoncrypt authcrypt signed', '#key-p521-1', '#key-1'],
  ])
})

for (const curve of ['x25519', 'p256'] as const)
  withVectors(`what Alice packs for Bob by ${curve} he unpacks, with her key hidden from others or not`, async (t) => {
    const { alice, resolve } = aliceAndBob()
    const [from] = alice.filter(({ kid }) => kid.includes(`key-${curve}-`))
    if (!from) return t.fail()
    const message = checkMessage(vectorJson<DidcommMessage>('didcomm-v2/c1-plaintext.json'), { now: NOW })
    const bob = recipientsOf(await resolve('did:example:bob'), 'did:example:bob', { now: NOW })
    const choice = chooseCurve([bob], [curve])
    if ('unfit' in choice) return t.fail()
    const recipients = choice.recipients.flat()
    t.is(recipients.length, curve === 'x25519' ? 3 : 2, 'all keys of the curve (DIDComm v2, Key IDs)')
    const packing = { message, recipients, random: randomBytes }
    for (const [more, layers, sender] of [
      [{}, ['anoncrypt'], undefined],
      [{ sender: agreementOf(from) }, ['authcrypt'], from.kid],
      [{ sender: agreementOf(from), protectSender: true }, ['anoncrypt', 'authcrypt'], from.kid],
    ] as const) {
      const unpacked = await unpackMessage(await packEncrypted({ ...packing, ...more }), partsOfBob())
      t.deepEqual([unpacked.message, unpacked.layers as unknown, unpacked.senderKid], [message, layers, sender])
    }
  })
