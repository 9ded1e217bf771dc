import { randomBytes } from 'node:crypto'
import test from 'ava'
import { Refusal } from '../../../protocol/errors.ts'
import type { Json } from '../../../protocol/json.ts'
import { buildSdJwt, type DisclosurePlan } from '../../../protocol/sd-jwt-credentials/build.ts'
import { choicesOf, presentSdJwt } from '../../../protocol/sd-jwt-credentials/present.ts'
import { processSdJwt } from '../../../protocol/sd-jwt-credentials/processed.ts'
import { issue, verify } from '../../support/sd-jwt/tokens.ts'

const build = (claims: Json, plan: DisclosurePlan) => buildSdJwt(claims, plan, { randomBytes })

const refused: [what: string, claims: Json, plan: DisclosurePlan, path: string, code: string][] = [
  ['_sd', { a: { _sd: [] } }, { selective: [] }, '/a/_sd', 'claim.reserved'],
  ['three dots', { a: [{ '...': 1 }] }, { selective: [] }, '/a/0/...', 'claim.reserved'],
  ['_sd_alg', { _sd_alg: 'sha-256' }, { selective: [] }, '/_sd_alg', 'claim.reserved'],
  ['a name of prototypes', { a: { constructor: 1 } }, { selective: [] }, '/a/constructor', 'claim.name'],
  ['a claim that the issuance sets', { iss: 'a' }, { selective: [] }, '/iss', 'claim.reserved'],
  ['what is no JSON', { a: undefined }, { selective: [] }, '/a', 'claim.value'],
  [
    'what is too deep',
    { a: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) },
    { selective: [] },
    `/a${'/0'.repeat(27)}`,
    'claim.depth',
  ],
  ...[{}, null, 1, 'a'].map((path): [string, Json, DisclosurePlan, string, string] => [
    `${JSON.stringify(path)} as a path`,
    { a: 1 },
    { selective: [path as never] },
    'selective.0',
    'disclosure.path',
  ]),
  ['an empty path', { a: 1 }, { selective: [[]] }, 'selective.0', 'disclosure.path'],
  ['a path that begins with an index', { a: 1 }, { selective: [[0]] }, 'selective.0', 'disclosure.path'],
  ['a reserved name in a path', { a: 1 }, { selective: [['a', '_sd']] }, 'selective.0', 'disclosure.name'],
  ['too many decoys', { a: 1 }, { selective: [], decoys: 51 }, 'decoys', 'disclosure.decoys'],
  ...['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', 'aka_vcts'].map(
    (name): [string, Json, DisclosurePlan, string, string] => [
      `${name} as selectively disclosable`,
      { a: 1 },
      { selective: [['a'], [name]] },
      'selective.1',
      'disclosure.never',
    ],
  ),
]

for (const [what, claims, plan, path, code] of refused)
  test(`refused is ${what}, with its path (RFC 9901, section 4.1; draft-ietf-oauth-sd-jwt-vc-19, section 2.2.2.3)`, (t) => {
    const error = t.throws(() => build(claims, plan), { instanceOf: Refusal })
    t.is(error.code, 'credential.invalid')
    t.true(
      error.errors.some((each) => each.path === path && each.code === code),
      JSON.stringify(error.errors),
    )
  })

test('a claim in a hidden object can be hidden itself, and its disclosure comes before that of the object', (t) => {
  const { payload, disclosures } = build({ a: { b: { c: 1 } } }, { selective: [['a'], ['a', 'b'], ['a', 'b', 'c']] })
  t.deepEqual(
    disclosures.map(({ name }) => name),
    ['c', 'b', 'a'],
  )
  t.deepEqual(Object.keys(payload), ['_sd', '_sd_alg'])
  t.deepEqual(processSdJwt({ payload, disclosures }).claims, { a: { b: { c: 1 } } })
  t.deepEqual(processSdJwt({ payload, disclosures: disclosures.slice(1) }).claims, { a: { b: {} } })
})

test('decoys are digests like others, at every level that the plan names', (t) => {
  const plan: DisclosurePlan = {
    selective: [['a']],
    decoys: 5,
    decoysAt: [
      { path: ['b'], count: 3 },
      { path: ['c'], count: 2 },
    ],
  }
  const { payload, disclosures } = build({ a: 1, b: { d: 1 }, c: [1, 2] }, plan)
  t.is((payload._sd as string[]).length, 6)
  t.deepEqual(payload._sd, (payload._sd as string[]).toSorted())
  t.is((payload.c as unknown[]).length, 4)
  t.deepEqual(processSdJwt({ payload, disclosures }).claims, { a: 1, b: { d: 1 }, c: [1, 2] })
})

test('without selectively disclosable claims there is no _sd (draft-ietf-oauth-sd-jwt-vc-19, section 2.2.2.5)', async (t) => {
  t.deepEqual(build({ a: 1 }, { selective: [['b']] }), { payload: { a: 1 }, disclosures: [] })
  const text = await issue({ plan: { selective: [] } })
  t.regex(text, /^[^~]+~$/)
  t.true((await verify(text)).verified)
})

test('no two salts are the same, and each has 128 bits (RFC 9901, section 9.3)', (t) => {
  const { disclosures } = build({ list: Array.from({ length: 500 }, (_, at) => at) }, { selective: [['list', null]] })
  t.is(new Set(disclosures.map(({ salt }) => salt)).size, 500)
  t.true(disclosures.every(({ salt }) => Buffer.from(salt, 'base64url').length === 16))
})

test('the salts of a credential are one draw of random bytes, and each its own part of it', (t) => {
  const draws: number[] = []
  const drawn = (size: number) => {
    draws.push(size)
    return Uint8Array.from({ length: size }, (_, at) => at)
  }
  const claims = { a: 1, b: 2, c: 3 }
  const plan = { selective: Object.keys(claims).map((name) => [name]), decoys: 2 }
  const { disclosures } = buildSdJwt(claims, plan, { randomBytes: drawn })
  t.deepEqual(draws, [5 * 16])
  const begins = disclosures.map(({ salt }) => Buffer.from(salt, 'base64url')[0])
  t.deepEqual(begins, [0, 16, 32])
})

test('a holder sees what can be shown, and shows of it only what is chosen (RFC 9901, section 7.2)', async (t) => {
  const text = await issue()
  t.deepEqual(
    choicesOf(text)
      .map(({ path }) => path.join('.'))
      .toSorted(),
    ['address', 'address.street', 'given_name', 'nationalities.0', 'nationalities.1'],
  )
  t.is(presentSdJwt(text, []).split('~').length, 2)
  t.is(presentSdJwt(text, [['address', 'city']]).split('~').length, 3)
  t.is(presentSdJwt(text, [['address']]).split('~').length, 4)
  const missing = t.throws(() => presentSdJwt(text, [['given_name'], ['middle_name']]), { instanceOf: Refusal })
  t.like(missing, { code: 'presentation.claim_missing', errors: [{ path: 'paths.1' }] })
  t.like(
    t.throws(() => choicesOf('no credential')),
    { code: 'credential.malformed' },
  )
})
