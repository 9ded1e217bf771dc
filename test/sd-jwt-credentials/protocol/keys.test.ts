import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { confirmationOf, holderKeyErrors } from '../../../protocol/sd-jwt-credentials/keys.ts'

const jwkOf = (type: 'ed25519' | 'p256') => {
  const { publicKey } =
    type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty = '', ...members } = publicKey.export({ format: 'jwk' })
  return { kty, ...members }
}

test('the confirmation of a key has the members of its kind that were checked, and no other (RFC 7800, section 3.2)', (t) => {
  for (const type of ['ed25519', 'p256'] as const) {
    const jwk = jwkOf(type)
    t.deepEqual(confirmationOf({ ...jwk, kid: 'mine', use: 'sig', note: { deep: [1] } }), { jwk })
  }
  const okp = jwkOf('ed25519')
  const strange = { ...okp, y: { name: 'Ada' } } as never
  t.deepEqual(holderKeyErrors(strange, 'holder_key'), [])
  t.deepEqual(confirmationOf(strange), { jwk: okp })
})

test('a coordinate of another length is no key, though both together are a point (RFC 7518, section 6.2.1.2)', (t) => {
  const jwk = jwkOf('p256')
  const bytes = Buffer.concat([jwk.x, jwk.y].map((each) => Buffer.from(String(each), 'base64url')))
  const cut = (at: number) => ({
    x: bytes.subarray(0, at).toString('base64url'),
    y: bytes.subarray(at).toString('base64url'),
  })
  t.deepEqual(holderKeyErrors({ ...jwk, ...cut(32) }, 'holder_key'), [])
  for (const at of [31, 33])
    t.like(holderKeyErrors({ ...jwk, ...cut(at) }, 'holder_key'), [{ path: 'holder_key', code: 'holder_key' }])
})
