import { randomBytes } from 'node:crypto'
import { checkMessage, type DidcommMessage } from '../../protocol/messaging/didcomm.message.ts'
import { packEncrypted } from '../../protocol/messaging/didcomm.pack.ts'
import { unpackMessage } from '../../protocol/messaging/didcomm.unpack.ts'
import { decryptJwe } from '../../protocol/messaging/jwe.decrypt.ts'
import { encryptJwe } from '../../protocol/messaging/jwe.encrypt.ts'
import { generalOf } from '../../protocol/messaging/jwe.form.ts'
import { toGeneral, toSpecified } from '../../protocol/messaging/jwe.shape.ts'
import { agreementOf, openerOf, people } from '../support/messaging/didcomm.ts'
import { DIDCOMM, didcomm } from '../support/messaging/python.ts'
import { pythonWith } from '../support/parts/python.ts'
import { needs } from '../support/parts.ts'

const withPython = needs('Python')

/** Libraries of other authors, and their versions. */
const jwcrypto = pythonWith('jwcrypto==1.6.1')

const { ann, ben, resolve } = people()
const documents = [ann, ben].map(({ document }) => document)
const NOW = new Date()
const parts = { ...openerOf(ben.pairs, resolve), resolve, now: NOW }
const MESSAGE: DidcommMessage = checkMessage(
  {
    id: '1',
    thid: '1',
    type: 'https://didcomm.org/trust-ping/2.0/ping',
    typ: 'application/didcomm-plain+json',
    from: ann.id,
    to: [ben.id],
    body: { text: 'Grüße' },
  },
  { now: NOW },
)

withPython('PyPI’s didcomm opens our messages, and those of our shape after the converter (DIDComm v2)', async (t) => {
  const [from] = ann.pairs
  if (!from) return t.fail()
  const sender = agreementOf(from)
  const packing = { message: MESSAGE, recipients: ben.recipients, random: randomBytes }
  for (const [more, expected] of [
    [{}, { from: null, anonymous: true, authenticated: false }],
    [{ sender }, { from: from.kid, anonymous: false, authenticated: true }],
    [
      { sender, protectSender: true },
      { from: from.kid, anonymous: true, authenticated: true },
    ],
  ] as const) {
    const jwe = await packEncrypted({ ...packing, ...more })
    const converted = toGeneral(generalOf(JSON.stringify(toSpecified(jwe))))
    for (const packed of [jwe, converted]) {
      const opened: unknown = JSON.parse(
        await didcomm(DIDCOMM, JSON.stringify({ documents, secrets: ben.pairs, packed })),
      )
      t.deepEqual(opened, { message: MESSAGE, signer: null, ...expected })
    }
  }
})

withPython('we open the messages of PyPI’s didcomm (DIDComm v2)', async (t) => {
  const task = { documents, secrets: ann.pairs, message: MESSAGE, to: ben.id }
  for (const [more, layers] of [
    [{ from: null, protect: false, enc: 'XC20P_ECDH_ES_A256KW' }, ['anoncrypt']],
    [{ from: null, protect: false, enc: 'A256GCM_ECDH_ES_A256KW' }, ['anoncrypt']],
    [{ from: null, protect: false, enc: 'A256CBC_HS512_ECDH_ES_A256KW' }, ['anoncrypt']],
    [{ from: ann.id, protect: false, enc: 'XC20P_ECDH_ES_A256KW' }, ['authcrypt']],
    [{ from: ann.id, protect: true, enc: 'XC20P_ECDH_ES_A256KW' }, ['anoncrypt', 'authcrypt']],
  ] as const) {
    const packed = await didcomm(DIDCOMM, JSON.stringify({ ...task, ...more }))
    const unpacked = await unpackMessage(packed, parts)
    t.deepEqual([unpacked.message, unpacked.layers as unknown], [MESSAGE, layers])
    t.is(unpacked.senderKid, more.from === null ? undefined : ann.pairs[0]?.kid)
  }
})

/** Opens a JWE, and makes ones of its own. */
const JWCRYPTO = `
import json, sys
from jwcrypto import jwe, jwk
task = json.loads(sys.argv[1])
token = jwe.JWE()
token.deserialize(json.dumps(task["jwe"]), jwk.JWK(**task["key"]))
made = []
for protected in task["headers"]:
    mine = jwe.JWE(task["text"].encode(), json.dumps(protected))
    mine.add_recipient(jwk.JWK(**{k: v for k, v in task["key"].items() if k != "d"}), json.dumps({"kid": task["key"]["kid"]}))
    made.append(mine.serialize())
print(json.dumps({"opened": token.payload.decode(), "made": made}))
`

withPython('PyPI’s jwcrypto opens our JWE after the converter, and we open those of jwcrypto (RFC 7516)', async (t) => {
  const [key] = ben.pairs
  if (!key) return t.fail()
  const text = JSON.stringify({ name: 'Grüße' })
  const headers = ['A256GCM', 'A128CBC-HS256', 'A256CBC-HS512'].flatMap((enc) =>
    ['ECDH-ES+A256KW', 'ECDH-ES+A128KW', 'ECDH-ES'].flatMap((alg) => [
      { alg, enc },
      { alg, enc, zip: 'DEF' },
    ]),
  )
  for (const enc of ['A256GCM', 'A256CBC-HS512'] as const) {
    const plaintext = Buffer.from(text)
    const ours = await encryptJwe({ plaintext, recipients: ben.recipients, enc, random: randomBytes })
    const jwe = toGeneral(generalOf(JSON.stringify(toSpecified(ours))))
    const answer = await jwcrypto(JWCRYPTO, JSON.stringify({ jwe, key, text, headers }))
    const { opened, made } = JSON.parse(answer) as { opened: string; made: string[] }
    t.is(opened, text)
    t.is(made.length, headers.length)
    for (const theirs of made) {
      const decrypted = await decryptJwe(theirs, openerOf([key], resolve))
      t.is(Buffer.from(decrypted.plaintext).toString(), text)
    }
  }
})
