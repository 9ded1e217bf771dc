import test from 'ava'
import type { Json } from '../../../protocol/json.ts'
import { claimErrors, claimPathFault, isSamePath } from '../../../protocol/sd-jwt-credentials/claims.ts'

const found = (claims: unknown) => claimErrors(claims as Json).map(({ path, code }) => [path, code])

/** Objects in each other, so many. */
const nested = (levels: number): Json => {
  let value: Json = {}
  for (let level = 1; level < levels; level += 1) value = { in: value }
  return value
}

test('claims are JSON with names that SD-JWT does not use, and without those that the issuance sets', (t) => {
  t.deepEqual(found({ name: 'Ada', list: [1, null, true, { deep: -1.5 }], iss: undefined }), [['/iss', 'claim.value'], ['/iss', 'claim.reserved']]) // biome-ignore format: one line
  t.deepEqual(found({ a: { _sd: [] }, b: [{ '...': 'x' }], _sd_alg: 'md5' }), [
    ['/a/_sd', 'claim.reserved'],
    ['/b/0/...', 'claim.reserved'],
    ['/_sd_alg', 'claim.reserved'],
  ])
  t.deepEqual(found({ a: { '': 1 } }), [['/a/', 'claim.name']])
  t.deepEqual(found(JSON.parse('{"a":[{"__proto__":1}]}')), [['/a/0/__proto__', 'claim.name']])
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol('x')])
    t.deepEqual(found({ a: [0, value] }), [['/a/1', 'claim.value']])
  for (const name of ['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'aka_vcts', 'status', 'iat']) {
    t.deepEqual(found({ [name]: 1 }), [[`/${name}`, 'claim.reserved']])
    t.deepEqual(found({ within: { [name]: 1 } }), [], 'further down a name is the own one of the issuer')
  }
})

test('a sub is a text, as in every JWT (RFC 7519, section 4.1.2)', (t) => {
  for (const sub of [5, null, true, ['a'], {}]) t.deepEqual(found({ sub }), [['/sub', 'claim.type']])
  t.deepEqual(found({ sub: 'urn:example:ada', within: { sub: 5 } }), [])
})

test('claims have 28 levels and 5,000 values at most, and a hundred errors are enough', (t) => {
  t.deepEqual(found(nested(28)), [])
  t.is(found(nested(29))[0]?.[1], 'claim.depth')
  const values = (count: number) => ({ list: Array.from({ length: count - 2 }, () => 0) })
  t.deepEqual(found(values(5_000)), [])
  t.deepEqual(found(values(5_001)), [['', 'claim.too_many']])
  // 375,000 characters in names and texts: base64url of more is longer than what can be verified
  t.deepEqual(found({ a: 'x'.repeat(374_998), b: '' }), [])
  t.deepEqual(found({ a: 'x'.repeat(374_998), bc: '' }), [['', 'claim.too_long']])
  t.deepEqual(found({ list: Array.from({ length: 4 }, () => 'x'.repeat(100_000)) }), [['', 'claim.too_long']])
  t.is(found({ list: Array.from({ length: 200 }, () => ({ _sd: 1 })) }).length, 100)
})

test('an error tells 500 characters of a long name', (t) => {
  const errors = found({ ['x'.repeat(100_000)]: Array.from({ length: 200 }, () => ({ _sd: 1 })) })
  t.is(errors.length, 100)
  t.is(errors[0]?.[0], `/${'x'.repeat(500)}/0/_sd`)
})

test('a claim path is a list of names, places and nulls, up to 32', (t) => {
  for (const path of [['a'], ['a', 0, null, 'b'], ['x'.repeat(255)], Array.from({ length: 32 }, () => 'a')])
    t.is(claimPathFault(path), undefined)
  const wrong: unknown[] = [undefined, 'a', [], [''], [-1], [1.5], [true], [{}], ['x'.repeat(256)]]
  for (const path of [...wrong, Array.from({ length: 33 }, () => 'a')]) t.is(claimPathFault(path), 'form')
  for (const path of [['_sd'], ['a', '...'], ['a', '__proto__']]) t.is(claimPathFault(path), 'reserved')
  t.true(isSamePath(['a', null, 1], ['a', null, 1]))
  for (const other of [
    ['a', null],
    ['a', null, '1'],
    ['a', null, 1, 'b'],
    ['b', null, 1],
  ])
    t.false(isSamePath(['a', null, 1], other))
})
