import test from 'ava'
import { errorsWithin, firstFault, pointerWithin, withArticle, within } from '../../protocol/errors.ts'
import { parseJson } from '../../protocol/json.strict.ts'

test('a path is names and indexes joined by dots; other names stand in brackets as JSON (D-251)', (t) => {
  t.is(within('', 'payload', 'issuer', 'id'), 'payload.issuer.id')
  t.is(within('query', 0, '@context', 1), 'query.0.@context.1')
  t.is(within('', 'https://schema.org/name'), '["https://schema.org/name"]')
  t.is(within('claims', 'a.b', 'c'), 'claims["a.b"].c')
  for (const name of ['', 'a b', 'a[0]', 'a"b', 'a\\b', 'a\nb', '\u0007'])
    t.is(within('claims', name), `claims[${JSON.stringify(name)}]`)
  t.is(within(''), '')
})

test('a JSON pointer becomes a path within its document, and a path stays (RFC 6901)', (t) => {
  t.is(pointerWithin('payload', ''), 'payload')
  t.is(pointerWithin('payload', '/credentialSubject/a~1b/0/~0c'), 'payload.credentialSubject.a/b.0.~c')
  t.is(
    pointerWithin('payload', '/credentialSubject/https:~1~1a.example~1x'),
    'payload.credentialSubject["https://a.example/x"]',
  )
  t.is(pointerWithin('payload', '/~01'), 'payload.~1')
  t.is(pointerWithin('', '/issuer'), 'issuer')
  t.is(pointerWithin('payload', 'proofType'), 'proofType')
})

test('errors keep code and message; the first one says what is wrong', (t) => {
  const errors = [
    { path: '/issuer', code: 'uri', message: 'must be a URI' },
    { path: 'proofType', code: 'enum', message: 'expected a proof type' },
  ]
  t.deepEqual(errorsWithin('payload', errors), [{ ...errors[0], path: 'payload.issuer' }, errors[1]])
  t.is(firstFault(errors), 'issuer must be a URI')
  t.is(firstFault([{ path: '', code: 'object', message: 'must be an object' }]), 'it must be an object')
})

test('the reader of bodies writes paths in the same way', (t) => {
  const pathOf = (text: string) => {
    const error = t.throws(() => parseJson(text)) as { errors?: { path: string }[] }
    return error.errors?.[0]?.path
  }
  t.is(pathOf('{"a.b":[1e400]}'), '["a.b"].0')
  t.is(pathOf('{"a":1,"a":2}'), 'a')
  t.is(pathOf('['.repeat(65)), '')
})

test('a generated name has its article', (t) => {
  const names = [
    'p256',
    'ed25519',
    'x25519',
    'bls12381g2',
    'eddsa-rdfc-2022',
    'bbs-2023',
    'Ed25519Signature2018',
    'ES256',
    'x',
  ]
  t.deepEqual(names.map(withArticle), [
    'a p256',
    'an ed25519',
    'an x25519',
    'a bls12381g2',
    'an eddsa-rdfc-2022',
    'a bbs-2023',
    'an Ed25519Signature2018',
    'an ES256',
    'a x',
  ])
})
