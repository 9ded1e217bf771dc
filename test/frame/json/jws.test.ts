import { createPrivateKey, sign as signWith } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { CompactSign, compactVerify, generateKeyPair, importJWK } from 'jose'
import { jsonOf, jwsAlgorithm, jwsSigningInput, parseCompactJws, signCompactJws } from '../../../protocol/jws.ts'

const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

test('RFC 7515, appendix A.4: the signing input and the parts of a JWS whose payload is no JSON', async (t) => {
  const input = 'eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA'
  const jws = `${input}.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn`
  const key = await importJWK({
    kty: 'EC',
    crv: 'P-521',
    alg: 'ES512',
    x: 'AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk',
    y: 'ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2',
  })
  await t.notThrowsAsync(compactVerify(jws, key))
  t.is(jwsSigningInput({ alg: 'ES512' }, Buffer.from('Payload')), input)
  const parsed = parseCompactJws(jws)
  t.deepEqual(parsed?.header, { alg: 'ES512' })
  t.is(textOf(parsed?.payload), 'Payload')
  t.is(parsed?.signature.length, 132)
})

test('RFC 7515, appendix A.1: a header and claims with line breaks in their JSON are read', (t) => {
  const parsed = parseCompactJws(
    'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  )
  t.deepEqual(parsed?.header, { typ: 'JWT', alg: 'HS256' })
  t.deepEqual(parsed && jsonOf(parsed.payload), {
    iss: 'joe',
    exp: 1300819380,
    'http://example.com/is_root': true,
  })
})

test('RFC 8037, appendix A.4: an Ed25519 key signs the compact JWS of the RFC', async (t) => {
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
  const d = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' })
  const payload = Buffer.from('Example of Ed25519 signing')
  t.is(
    await signCompactJws({ alg: 'EdDSA' }, payload, async (data) => signWith(null, data, key)),
    'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
  )
})

for (const [keyType, alg, generated] of [
  ['ed25519', 'EdDSA', 'Ed25519'],
  ['p256', 'ES256', 'ES256'],
  ['p384', 'ES384', 'ES384'],
] as const)
  test(`jose verifies our ${alg} JWS, and we read what jose signs (RFC 7515, section 7.1)`, async (t) => {
    t.is(jwsAlgorithm(keyType), alg)
    const { privateKey, publicKey } = await generateKeyPair(generated, { extractable: true })
    const header = { alg, typ: 'JWM', kid: 'did:example:us#key' }
    const message = { name: 'Grüße, 你好', list: [1, { deep: null }] }
    const hash = keyType === 'ed25519' ? { name: 'Ed25519' } : { name: 'ECDSA', hash: `SHA-${keyType.slice(1)}` }
    const sign = async (data: Uint8Array) =>
      new Uint8Array(await crypto.subtle.sign(hash, privateKey, Uint8Array.from(data)))
    const ours = await compactVerify(await signCompactJws(header, message, sign), publicKey)
    t.deepEqual(ours.protectedHeader, header)
    t.deepEqual(jsonOf(ours.payload), message)

    const text = JSON.stringify(message)
    const theirs = await new CompactSign(Buffer.from(text)).setProtectedHeader(header).sign(privateKey)
    t.is(theirs.split('.').slice(0, 2).join('.'), jwsSigningInput(header, message))
    const parsed = parseCompactJws(theirs)
    t.deepEqual(parsed?.header, header)
    t.is(textOf(parsed?.payload), text)
    t.is(parsed?.signature.length, keyType === 'p384' ? 96 : 64)
  })

test('a compact JWS is three texts of strict base64url, the first a JSON object (RFC 7515, section 7.1)', (t) => {
  t.deepEqual(parseCompactJws('e30.e30.AA')?.header, {})
  for (const other of ['e30.e30', 'e30.e30.AA.AA', 'e30=.e30.AA', 'e30.e30.AB', 'e30.e30.AA=', ''])
    t.is(parseCompactJws(other), undefined, other)
  for (const header of ['[]', 'null', '1', '"x"', '{', '', '{"alg":"\xff"}'])
    t.is(parseCompactJws(`${Buffer.from(header, 'latin1').toString('base64url')}.e30.AA`), undefined, header)
})

test('what is signed is read as it was given, and no other text as the same JWS (property)', async (t) => {
  const sign = async () => Buffer.alloc(64, 1)
  await t.notThrowsAsync(
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), fc.nat(), async (payload, at) => {
        const jws = await signCompactJws({ alg: 'EdDSA' }, payload, sign)
        const parsed = parseCompactJws(jws)
        const place = at % (jws.length + 1)
        const padded = parseCompactJws(`${jws.slice(0, place)}=${jws.slice(place)}`)
        return parsed !== undefined && Buffer.from(parsed.payload).equals(payload) && padded === undefined
      }),
    ),
  )
})

test('a key that cannot sign a JWS has no algorithm', (t) => {
  t.throws(() => jwsAlgorithm('bls12381g2'), { message: /bls12381g2/ })
})
