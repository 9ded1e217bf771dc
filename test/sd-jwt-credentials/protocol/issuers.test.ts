import test from 'ava'
import { Refusal } from '../../../protocol/errors.ts'
import type { Json } from '../../../protocol/json.ts'
import { Faulty } from '../../../protocol/sd-jwt-credentials/faults.ts'
import {
  chooseKey,
  issuerMetadata,
  issuerReference,
  metadataUrlOf,
  readIssuerMetadata,
  readKeySet,
} from '../../../protocol/sd-jwt-credentials/issuers.ts'
import { issuerKey } from '../../support/sd-jwt/tokens.ts'

test('metadata is at the well-known path between host and path (draft-ietf-oauth-sd-jwt-vc-19, section 3)', (t) => {
  const addresses: [issuer: string, url: string | undefined][] = [
    ['https://example.com', 'https://example.com/.well-known/jwt-vc-issuer'],
    ['https://example.com/', 'https://example.com/.well-known/jwt-vc-issuer'],
    ['https://example.com/tenant/1234', 'https://example.com/.well-known/jwt-vc-issuer/tenant/1234'],
    ['https://example.com:8443/tenant/', 'https://example.com:8443/.well-known/jwt-vc-issuer/tenant'],
    ['http://example.com', undefined],
    ['https://example.com?a', undefined],
    ['https://example.com#a', undefined],
    ['https://user@example.com', undefined],
    ['https://', undefined],
    ['example.com', undefined],
  ]
  for (const [issuer, url] of addresses) t.is(metadataUrlOf(issuer), url, issuer)
})

test('the header and the form of iss say how the key is found (section 2.5)', (t) => {
  const of = (payload: Json, header: Json) => issuerReference({ header, payload })
  const chain = [Buffer.from('a')]
  t.deepEqual(of({}, { x5c: ['YQ=='] }), { by: 'x5c', chain })
  t.deepEqual(of({ iss: 'https://a.example' }, { x5c: ['YQ=='] }), { by: 'x5c', chain, issuer: 'https://a.example' })
  t.deepEqual(of({ iss: 'https://a.example' }, { kid: 'k' }), { by: 'metadata', issuer: 'https://a.example', kid: 'k' })
  for (const kid of ['key', '#key', 'did:web:a.example#key'])
    t.deepEqual(of({ iss: 'did:web:a.example' }, { kid }), {
      by: 'did',
      issuer: 'did:web:a.example',
      keyUrl: 'did:web:a.example#key',
    })
})

test('a key of a DID is none of another DID that begins with the same text', (t) => {
  for (const kid of ['did:web:a.example.evil#key', 'did:web:a.example:b#key', 'did:web:a.example'])
    t.is(
      t.throws(() => issuerReference({ header: { kid }, payload: { iss: 'did:web:a.example' } }), {
        instanceOf: Faulty,
      }).fault.code,
      'sd_jwt.kid_of_other',
      kid,
    )
})

test('metadata is taken only of the issuer itself, with one of jwks and jwks_uri (sections 3.2 and 3.3)', (t) => {
  const issuer = 'https://a.example'
  const key = { ...issuerKey.jwk, kid: 'one' }
  const keys = [key]
  t.deepEqual(readIssuerMetadata(JSON.parse(JSON.stringify(issuerMetadata(issuer, keys))), issuer), { keys })
  t.deepEqual(readIssuerMetadata({ issuer, jwks_uri: 'https://b.example/k' }, issuer), {
    jwksUri: 'https://b.example/k',
  })
  const refused: [metadata: unknown, code: string][] = [
    [[], 'issuer_metadata.invalid'],
    [{ issuer: `${issuer}/`, jwks: { keys } }, 'issuer_metadata.of_other'],
    [{ issuer }, 'issuer_metadata.invalid'],
    [{ issuer, jwks: { keys }, jwks_uri: 'https://b.example/k' }, 'issuer_metadata.invalid'],
    [{ issuer, jwks_uri: 'http://b.example/k' }, 'issuer_metadata.invalid'],
    [{ issuer, jwks: { keys: [] } }, 'issuer_metadata.invalid'],
    [{ issuer, jwks: { keys: ['key'] } }, 'issuer_metadata.invalid'],
    [{ issuer, jwks: { keys: [{ ...key, d: 'secret' }] } }, 'issuer_metadata.invalid'],
  ]
  for (const [metadata, code] of refused)
    t.is(
      t.throws(() => readIssuerMetadata(metadata, issuer), { instanceOf: Refusal }).code,
      code,
      JSON.stringify(metadata),
    )
  t.throws(() => readKeySet({ keys: Array.from({ length: 101 }, () => key) }), { instanceOf: Refusal })
})

test('of the keys of an issuer only what says which they are is kept, and none that is out of bounds', (t) => {
  const key = { ...issuerKey.jwk, kid: 'one', use: 'sig', key_ops: ['verify'], alg: 'ES256' }
  t.deepEqual(readKeySet({ keys: [{ ...key, x5c: ['A'.repeat(10_000)], other: {} }] }), [key])
  const unusable: Json[] = [
    { ...key, kid: 1 },
    { ...key, n: 'A'.repeat(3_000) },
    { ...key, use: ['sig'] },
    { ...key, key_ops: 'verify' },
    { ...key, key_ops: Array.from({ length: 11 }, () => 'verify') },
  ]
  t.deepEqual(readKeySet({ keys: [...unusable, key] }), [key])
})

test('the kid chooses exactly one key for signatures; without a kid there must be only one', (t) => {
  const one = { ...issuerKey.jwk, kid: 'one' }
  const two = { ...issuerKey.jwk, kid: 'two' }
  t.is(chooseKey([one, two], 'two'), two)
  t.is(chooseKey([one], undefined), one)
  t.is(chooseKey([one, { ...one, use: 'enc' }], 'one'), one)
  const missing: [keys: Json[], kid: string | undefined][] = [
    [[one, two], undefined],
    [[one, { ...one }], 'one'],
    [[one], 'three'],
    [[{ ...one, key_ops: ['sign'] }], 'one'],
  ]
  for (const [keys, kid] of missing)
    t.is(t.throws(() => chooseKey(keys, kid), { instanceOf: Refusal }).code, 'issuer_metadata.key_missing')
})
