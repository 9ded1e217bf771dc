import { randomBytes } from 'node:crypto'
import test from 'ava'
import { decryptJwe } from '../../protocol/messaging/jwe.decrypt.ts'
import { encryptJwe } from '../../protocol/messaging/jwe.encrypt.ts'
import type { GeneralJwe } from '../../protocol/messaging/jwe.form.ts'
import { concatKdf } from '../../protocol/messaging/jwe.keys.ts'
import { toSpecified } from '../../protocol/messaging/jwe.shape.ts'
import { vectorFiles, vectorJson, withVectors } from '../support/credentials/conformance-vectors.ts'
import {
  agreementKey,
  agreementOf,
  aliceAndBob,
  json,
  openerOf,
  openerOfOne,
  type PrivateJwk,
} from '../support/messaging/didcomm.ts'

const PLAINTEXT = {
  id: '1234567890',
  type: 'http://example.com/protocols/lets_do_lunch/1.0/proposal',
  from: 'did:example:alice',
  to: ['did:example:bob'],
}

withVectors(
  'each row of DIDComm v2, appendix C.3 opens with each of Bob’s keys, in RFC 7516 and in our shape',
  async (t) => {
    const { bob, resolve } = aliceAndBob()
    const rows = vectorFiles('didcomm-v2').filter((name) => name.includes('/c3-'))
    t.is(rows.length, 6)
    for (const row of rows) {
      const jwe = vectorJson<GeneralJwe>(row)
      for (const { header } of jwe.recipients) {
        const mine = bob.filter(({ kid }) => kid === header?.kid)
        for (const form of [jwe, JSON.stringify(jwe), toSpecified(jwe), JSON.stringify(toSpecified(jwe))]) {
          const opened = await decryptJwe(form, openerOf(mine, resolve))
          t.is(opened.kid, String(header?.kid))
          t.is(opened.sender?.kid.startsWith('did:example:alice#'), row.includes('1PU') ? true : undefined)
          // what is inside of the layers that rows sign or encrypt again: didcomm.vectors.test.ts
          const plaintext = json(opened.plaintext) as Record<string, unknown>
          if ('id' in plaintext) t.like(plaintext, PLAINTEXT)
          else t.true('payload' in plaintext || 'ciphertext' in plaintext)
        }
      }
    }
  },
)

for (const curve of ['x25519', 'p256', 'p521'] as const)
  withVectors(`what Alice sends by ${curve} Bob opens, and knows that it is hers (appendices A and B)`, async (t) => {
    const { alice, bob, resolve } = aliceAndBob()
    const to = bob.filter(({ kid }) => kid.includes(`key-${curve}-`))
    const [from] = alice.filter(({ kid }) => kid.includes(`key-${curve}-`))
    if (!from || to.length < 2) return t.fail('keys')
    const recipients = to.map((jwk) => ({ kid: jwk.kid, key: agreementKey(jwk) }))
    const plaintext = Buffer.from(JSON.stringify(PLAINTEXT))
    const authenticated = await encryptJwe({ plaintext, recipients, sender: agreementOf(from), random: randomBytes })
    for (const mine of to) {
      const opened = await decryptJwe(toSpecified(authenticated), openerOf([mine], resolve))
      t.deepEqual([json(opened.plaintext), opened.sender?.kid, opened.kid], [PLAINTEXT, from.kid, mine.kid])
      t.deepEqual([opened.alg, opened.enc], ['ECDH-1PU+A256KW', 'A256CBC-HS512'])
    }
    // without a choice the one that DIDComm v2 requires of every reader (Content Encryption Algorithms)
    for (const chosen of ['A256CBC-HS512', 'A256GCM', 'XC20P', undefined] as const) {
      const enc = chosen ?? 'A256CBC-HS512'
      const anonymous = await encryptJwe({ plaintext, recipients, enc: chosen, random: randomBytes })
      const opened = await decryptJwe(anonymous, openerOf(to.slice(1), resolve))
      t.deepEqual([json(opened.plaintext), opened.sender, opened.enc], [PLAINTEXT, undefined, enc])
    }
  })

interface Row {
  input: { plaintext: string; key: PrivateJwk | PrivateJwk[] }
  output: { compact?: string; json: unknown; json_flat?: unknown }
}

for (const [path, what] of [
  ['jwe/5_4.key_agreement_with_key_wrapping_using_ecdh-es_and_aes-keywrap_with_aes-gcm.json', 'RFC 7520, 5.4'],
  ['jwe/5_5.key_agreement_using_ecdh-es_with_aes-cbc-hmac-sha2.json', 'RFC 7520, 5.5'],
  ['jwe/5_13.encrypting_to_multiple_recipients.json', 'RFC 7520, 5.13'],
  ['curve25519/ecdh-es.json', 'ECDH-ES with X25519 of the authors of RFC 8037'],
] as const)
  withVectors(`${what} opens in each of its serializations`, async (t) => {
    const { input, output } = vectorJson<Row>(`jose-cookbook/${path}`)
    const key = [input.key].flat().find(({ kty }) => kty === 'EC' || kty === 'OKP')
    if (!key) return t.fail('the key')
    for (const form of [output.compact, output.json, output.json_flat]) {
      if (form === undefined) continue
      const { plaintext } = await decryptJwe(form, openerOfOne(key))
      t.is(Buffer.from(plaintext).toString(), input.plaintext)
    }
  })

test('RFC 7518, appendix C: the derived key of the example comes out of the Concat KDF', (t) => {
  const secret = Buffer.from([
    158, 86, 217, 29, 129, 113, 53, 211, 114, 131, 66, 131, 191, 132, 38, 156, 251, 49, 110, 163, 218, 128, 106, 72,
    246, 218, 167, 121, 140, 254, 144, 196,
  ])
  const info = { keyBytes: 16, algorithm: 'A128GCM', apu: Buffer.from('Alice'), apv: Buffer.from('Bob') }
  t.is(Buffer.from(concatKdf({ secret, ...info })).toString('base64url'), 'VqqN6vgjbSBcIijNcacQGg')
})
