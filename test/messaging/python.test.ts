import { randomBytes } from 'node:crypto'
import { checkMessage, type DidcommMessage } from '../../protocol/messaging/didcomm.message.ts'
import { packEncrypted } from '../../protocol/messaging/didcomm.pack.ts'
import { unpackMessage } from '../../protocol/messaging/didcomm.unpack.ts'
import { decryptJwe } from '../../protocol/messaging/jwe.decrypt.ts'
import { encryptJwe } from '../../protocol/messaging/jwe.encrypt.ts'
import { generalOf } from '../../protocol/messaging/jwe.form.ts'
import { toGeneral, toSpecified } from '../../protocol/messaging/jwe.shape.ts'
import { agreementOf, openerOf, people } from '../support/messaging/didcomm.ts'
import { pythonWith } from '../support/parts/python.ts'
import { needs } from '../support/parts.ts'

const withPython = needs('Python')

/** Libraries of other authors, and their versions. */
const didcomm = pythonWith('didcomm==0.3.2', 'Authlib==1.9.9', 'pydantic==1.9.2')
const jwcrypto = pythonWith('jwcrypto==1.6.1')

/** Packs or unpacks as the person whose secrets it gets. */
const DIDCOMM = `
import asyncio, json, sys, warnings
warnings.simplefilter("ignore")
from didcomm.common.algorithms import AnonCryptAlg
from didcomm.common.resolvers import ResolversConfig
from didcomm.common.types import VerificationMaterial, VerificationMaterialFormat, VerificationMethodType
from didcomm.did_doc.did_doc import DIDDoc
from didcomm.did_doc.did_resolver_in_memory import DIDResolverInMemory
from didcomm.message import Message
from didcomm.pack_encrypted import PackEncryptedConfig, pack_encrypted
from didcomm.secrets.secrets_resolver import Secret
from didcomm.secrets.secrets_resolver_in_memory import SecretsResolverInMemory
from didcomm.unpack import unpack

task = json.loads(sys.argv[1])
secrets = [
    Secret(
        kid=jwk["kid"],
        type=VerificationMethodType.JSON_WEB_KEY_2020,
        verification_material=VerificationMaterial(format=VerificationMaterialFormat.JWK, value=json.dumps(jwk)),
    )
    for jwk in task["secrets"]
]
config = ResolversConfig(
    secrets_resolver=SecretsResolverInMemory(secrets),
    did_resolver=DIDResolverInMemory([DIDDoc.deserialize(each) for each in task["documents"]]),
)

async def main():
    if "packed" in task:
        result = await unpack(config, task["packed"])
        about = result.metadata
        return {
            "message": result.message.as_dict(),
            "from": about.encrypted_from,
            "anonymous": about.anonymous_sender,
            "authenticated": about.authenticated,
        }
    how = PackEncryptedConfig(protect_sender_id=task["protect"], forward=False, enc_alg_anon=AnonCryptAlg[task["enc"]])
    message = Message.from_dict(task["message"])
    return json.loads((await pack_encrypted(config, message, to=task["to"], frm=task["from"], pack_config=how)).packed_msg)

print(json.dumps(asyncio.run(main())))
`

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
  NOW,
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
      t.deepEqual(opened, { message: MESSAGE, ...expected })
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
