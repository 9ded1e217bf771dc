import { createHash, randomBytes } from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import test from 'ava'
import type { Json } from '../../../protocol/json.ts'
import { keyOfJwk, signatureFault } from '../../../protocol/sd-jwt-credentials/keys.ts'
import { readJwt } from '../../../protocol/sd-jwt-credentials/read.ts'
import { pythonWith } from '../../support/parts/python.ts'
import { needs } from '../../support/parts.ts'
import {
  holderKey,
  ISSUER,
  issue,
  issuerKey,
  NOW,
  present,
  SESSION,
  testKey,
  verify,
} from '../../support/sd-jwt/tokens.ts'

const withPython = needs('Python')

/** The library of the authors of the RFC, and its version. */
const python = pythonWith('sd-jwt==0.10.4')

/** Verifies a presentation with a public JWK, an audience and a nonce, and prints its claims. */
const VERIFY = `
import json, sys
from jwcrypto.jwk import JWK
from sd_jwt.verifier import SDJWTVerifier
text, jwk, audience, nonce = sys.argv[1:5]
key = JWK.from_json(jwk)
verifier = SDJWTVerifier(text, lambda issuer, header: key, audience or None, nonce or None)
print(json.dumps(verifier.get_verified_payload()))
`

/** Issues with a private key, presents some of it with a key binding, and prints both. */
const ISSUE = `
import json, sys
from jwcrypto.jwk import JWK
from sd_jwt.common import SDObj
from sd_jwt.issuer import SDJWTIssuer
from sd_jwt.holder import SDJWTHolder
iat, audience, nonce, vct = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
issuer, holder = JWK.generate(kty="EC", crv="P-256"), JWK.generate(kty="EC", crv="P-256")
claims = {
    "iss": "did:example:issuer", "iat": iat, "vct": vct,
    SDObj("given_name"): "Ærø",
    SDObj("address"): {SDObj("street"): "Torvet 1", "city": "Marstal"},
    "nationalities": [SDObj("DK"), SDObj("DE")],
}
header = {"typ": "dc+sd-jwt", "kid": "did:example:issuer#key"}
issued = SDJWTIssuer(claims, issuer, holder, None, True, extra_header_parameters=header).sd_jwt_issuance
presenter = SDJWTHolder(issued)
presenter.create_presentation({"given_name": True, "address": {"street": True}, "nationalities": [False, True]}, nonce, audience, holder)
print(json.dumps({"jwk": json.loads(issuer.export_public()), "issued": issued, "presented": presenter.sd_jwt_presentation}))
`

const decode = async (text: string, audience = '', nonce = '', jwk = issuerKey.jwk): Promise<unknown> =>
  JSON.parse(await python(VERIFY, text, JSON.stringify(jwk), audience, nonce))

withPython("Python's sd-jwt verifies ours, as issued and presented, and refuses changed ones (RFC 9901)", async (t) => {
  const text = await issue()
  t.like(await decode(text), { given_name: 'Ærøskøbing', address: { street: 'Torvet 1' }, nationalities: ['DK', 'DE'] })
  const shown = await present(text, [
    ['address', 'street'],
    ['nationalities', 1],
  ])
  const claims = await decode(shown, SESSION.audience, SESSION.nonce)
  t.like(claims, { address: { street: 'Torvet 1', city: 'Ærø' }, nationalities: ['DE'], age: 42 })
  t.false(JSON.stringify(claims).includes('given_name'))
  await t.throwsAsync(decode(shown, SESSION.audience, 'another'))
  await t.throwsAsync(decode(text, '', '', testKey().jwk), { message: /InvalidJWSSignature/ })
})

withPython("those of Python's sd-jwt verify here, with decoys and a key binding (RFC 9901)", async (t) => {
  const iat = Math.floor(Date.now() / 1_000)
  const vct = 'https://types.example/person'
  const { jwk, issued, presented } = JSON.parse(
    await python(ISSUE, String(iat), SESSION.audience, SESSION.nonce, vct),
  ) as { jwk: Json; issued: string; presented: string }
  const rules = {
    now: new Date(),
    toleranceMs: 60_000,
    issuerKey: async () => ({ key: keyOfJwk(jwk), issuer: ISSUER }),
  }
  const whole = await verify(issued, { ...rules, keyBinding: 'refused' })
  t.deepEqual(whole.faults, [])
  t.like(whole.claims, {
    given_name: 'Ærø',
    address: { street: 'Torvet 1', city: 'Marstal' },
    nationalities: ['DK', 'DE'],
  })
  const some = await verify(presented, { ...rules, keyBinding: SESSION })
  t.deepEqual(some.faults, [])
  t.deepEqual(some.claims?.nationalities, ['DE'])
  const other = await verify(presented, { ...rules, keyBinding: { ...SESSION, nonce: 'another' } })
  t.deepEqual(
    other.faults.map(({ code }) => code),
    ['sd_jwt.key_binding_nonce'],
  )
})

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

const isOf = (key: { jwk: object }, data: string, signature: string): boolean =>
  signatureFault(readJwt(`${data}.${signature}`, 'Syntax', 'jwt'), keyOfJwk({ ...key.jwk })) === undefined

/** The implementation of the OpenWallet Foundation, with our keys. */
const owf = new SDJwtVcInstance({
  hasher: (data, algorithm) =>
    createHash(algorithm.replace('-', ''))
      .update(typeof data === 'string' ? data : Buffer.from(data))
      .digest(),
  hashAlg: 'sha-256',
  saltGenerator: (bytes) => base64url(randomBytes(bytes)),
  signAlg: 'ES256',
  signer: async (data) => base64url(await issuerKey.sign(Buffer.from(data))),
  verifier: (data, signature) => isOf(issuerKey, data, signature),
  kbSignAlg: 'ES256',
  kbSigner: async (data) => base64url(await holderKey.sign(Buffer.from(data))),
  kbVerifier: (data, signature) => isOf(holderKey, data, signature),
})

test("the OpenWallet Foundation's sd-jwt verifies ours, as issued and presented", async (t) => {
  const text = await issue()
  const currentDate = NOW.getTime() / 1_000
  const { payload } = await owf.verify(text, { currentDate })
  t.like(payload, { given_name: 'Ærøskøbing', nationalities: ['DK', 'DE'] })
  const shown = await present(text, [['given_name']])
  const { payload: some, kb } = await owf.verify(shown, { currentDate, keyBindingNonce: SESSION.nonce })
  t.like(some, { given_name: 'Ærøskøbing', nationalities: [], age: 42, address: undefined })
  t.is(kb?.payload.aud, SESSION.audience)
  await t.throwsAsync(owf.verify(shown, { currentDate, keyBindingNonce: 'another' }))
})

test("those of the OpenWallet Foundation's sd-jwt verify here", async (t) => {
  const iat = NOW.getTime() / 1_000
  const claims = {
    iss: ISSUER,
    iat,
    vct: 'https://types.example/person',
    given_name: 'Ada',
    list: ['a', 'b'],
    cnf: { jwk: holderKey.jwk },
  }
  const frame = { _sd: ['given_name'], list: { _sd: [0, 1] }, _sd_decoy: 3 }
  const issued = await owf.issue(claims, frame as never, { header: { kid: `${ISSUER}#key` } })
  const whole = await verify(issued, { keyBinding: 'refused' })
  t.deepEqual(whole.faults, [])
  t.like(whole.claims, { given_name: 'Ada', list: ['a', 'b'] })
  const presented = await owf.present(issued, { given_name: true } as never, {
    kb: { payload: { iat, aud: SESSION.audience, nonce: SESSION.nonce } },
  })
  const some = await verify(presented, { keyBinding: SESSION })
  t.deepEqual(some.faults, [])
  t.deepEqual([some.claims?.given_name, some.claims?.list], ['Ada', []])
})
