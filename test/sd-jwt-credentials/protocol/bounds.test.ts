import { randomBytes } from 'node:crypto'
import test from 'ava'
import { createSdJwtSigning } from '../../../activities/sd-jwt-credentials/sign.ts'
import { readPayload, type SdJwtTerms } from '../../../activities/sd-jwt-credentials/terms.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Json } from '../../../protocol/json.ts'
import { buildSdJwt } from '../../../protocol/sd-jwt-credentials/build.ts'
import type { ClaimPath } from '../../../protocol/sd-jwt-credentials/claims.ts'
import { digestOf } from '../../../protocol/sd-jwt-credentials/disclosures.ts'
import { unfitting } from '../../../protocol/sd-jwt-credentials/plan-fit.ts'
import { claimsFromTemplate, type TemplateClaim } from '../../../protocol/sd-jwt-credentials/templates.ts'
import { disclosurePlan } from '../../../protocol/semantic-credentials/enveloped/disclosure.ts'
import { openSdJwt } from '../../../protocol/semantic-credentials/enveloped/sd-jwt.ts'
import { disclosureOf, ISSUER, issue, issuerKey, jwtOf, NOW, verify } from '../../support/sd-jwt/tokens.ts'

type Errors = [path: string, code: string][]

function errorsOf(work: () => unknown): Errors {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal) return error.errors.map(({ path, code }) => [path, code])
    throw error
  }
  return []
}

const build = (claims: Json, selective: ClaimPath[]) => buildSdJwt(claims, { selective }, { randomBytes })
const list = (length: number, value: unknown = 1) => Array.from({ length }, () => value)

const payloadErrors = (claims: Json, selectively: unknown[][]) =>
  errorsOf(() => readPayload({ payload: { vct: 'https://types.example/a', ...claims }, selectively, decoys: 0 }))

/** 1,000 paths of one length, each by 0 or by null at every level. */
const mixed = Array.from(
  { length: 1_000 },
  (_, at): ClaimPath => ['a', ...Array.from({ length: 10 }, (__, bit) => (at & (1 << bit) ? 0 : null)), null],
)

/** 1,000 disclosures within one claim. */
async function within(claim: string): Promise<string> {
  const disclosures = Array.from({ length: 1_000 }, (_, at) => disclosureOf(['s', `${at}`, 1]))
  const digests = disclosures.map((each) => digestOf(each, 'sha-256'))
  const header = { alg: 'ES256', typ: 'dc+sd-jwt', kid: `${ISSUER}#key` }
  const payload = { iss: ISSUER, vct: 'https://types.example/person', [claim]: { _sd: digests } }
  return `${[await jwtOf(header, payload), ...disclosures].join('~')}~`
}

test('the pointers of a credential have a million characters together, and slashes in names count twice', async (t) => {
  const fits = await verify(await within('x'.repeat(1_000)))
  t.true(fits.verified)
  t.is(fits.selective?.length, 1_000)
  for (const name of ['x'.repeat(2_000), '/'.repeat(600)]) {
    const { selective, claims, faults, checks } = await verify(await within(name))
    t.deepEqual([selective, claims], [undefined, undefined])
    t.deepEqual(
      faults.map(({ code }) => code),
      ['sd_jwt.pointers_too_long'],
    )
    t.is(checks.find((each) => each.name === 'Disclosures')?.result, 'failed')
  }
  const text = await within('x'.repeat(2_000))
  t.like(
    t.throws(() => openSdJwt(text), { instanceOf: Refusal, message: /^sd_jwt\.pointers_too_long/ }),
    { code: 'envelope.malformed' },
  )
})

test('a path of a plan is there once', (t) => {
  const repeated: Errors = [['selective.2', 'disclosure.repeated']]
  const plan: ClaimPath[] = [['a'], ['a', null], ['a']]
  t.deepEqual(
    errorsOf(() => build({ a: [1] }, plan)),
    repeated,
  )
  t.deepEqual(payloadErrors({ a: [1] }, [['a'], ['a', null], ['a']]), repeated)
  t.deepEqual(
    errorsOf(() => build({ a: { 0: 1 } }, [['a', '0'], ['a', 0], ['a,0']])),
    [],
    'a name is no index',
  )
  const selectively = [
    ['credentialSubject', 'a'],
    ['credentialSubject', 'a'],
  ]
  const credential = { credentialSubject: { a: 1 } }
  t.deepEqual(
    errorsOf(() => disclosurePlan(credential, 'vc+sd-jwt', { selectively })),
    [['selectively.1', 'disclosure.repeated']],
  )
})

test('paths are followed only into claims that are not too many', (t) => {
  t.deepEqual(payloadErrors({ a: list(16_900) }, [['a', null], ['b']]), [['', 'claim.too_many']])
  t.deepEqual(payloadErrors({ a: list(10) }, [['a', null], ['b']]), [['selective.1', 'disclosure.claim']])
})

test('paths that visit too many values are one error, in a request and in a template', (t) => {
  const complex = { path: 'selective', code: 'disclosure.too_complex' }
  const claims = { a: list(4_900, {}) }
  const paths = Array.from({ length: 1_000 }, (_, at): ClaimPath => ['a', null, `b${at}`])
  const count = (selective: ClaimPath[], areOptional?: boolean) => unfitting(claims, { selective }, areOptional)
  t.like(count(paths), [complex])
  t.like(count(paths, true), [complex])
  t.is(count(paths.slice(0, 100)).length, 100)
  t.deepEqual(count(paths.slice(0, 100), true), [])
  for (const areOptional of [false, true])
    t.deepEqual(
      errorsOf(() =>
        disclosurePlan(
          { credentialSubject: claims },
          'vc+sd-jwt',
          { selectively: paths.map((path) => ['credentialSubject', ...path]) },
          { areOptional },
        ),
      ),
      [['selectively', 'disclosure.too_complex']],
    )
})

test('what leads to one place by indexes and by null is bounded together with the number of values', (t) => {
  const nested = (levels: number, inner: unknown): unknown => (levels === 0 ? inner : [nested(levels - 1, inner)])
  const of = (length: number) => ({ a: nested(10, list(length)) })
  t.deepEqual(
    errorsOf(() => build(of(4_900), mixed)),
    [['selective', 'disclosure.too_complex']],
  )
  t.is(build(of(100), mixed).disclosures.length, 100)
})

test('nothing is issued of which the pointers are too long to be verified', async (t) => {
  const long = 'x'.repeat(255)
  const claims = (levels: number): Json => {
    let value: unknown = list(1_000)
    for (let level = 0; level < levels; level += 1) value = { [long]: value }
    return value as Json
  }
  const path = (levels: number): ClaimPath => [...list(levels, long), null] as ClaimPath
  const text = await issue({ claims: claims(4), plan: { selective: [path(4)] }, terms: { holder: undefined } })
  t.is((await verify(text)).selective?.length, 1_000)
  t.deepEqual(
    errorsOf(() => build(claims(5), [path(5)])),
    [['', 'disclosure.too_long']],
  )
})

test('a template takes one claim many times only as far as a credential has room', (t) => {
  const taking = (count: number, claim: unknown) => {
    const made = Array.from(
      { length: count },
      (_, at): TemplateClaim => ({ path: [`c${at}`], map_from: 'claims.a', disclosure: 'always' }),
    )
    return errorsOf(() => claimsFromTemplate({ claims: made }, { claims: { a: claim } }))
  }
  t.deepEqual(taking(3, 'x'.repeat(125_000)), [])
  t.deepEqual(taking(4, 'x'.repeat(125_000)), [['claims.a', 'claim.too_long']])
  t.deepEqual(taking(4, { ['x'.repeat(125_000)]: 1 }), [['claims.a', 'claim.too_long']])
  t.deepEqual(taking(4, list(1_200)), [])
  t.deepEqual(taking(5, list(1_200)), [['claims.a', 'claim.too_many']])
})

test('what cannot be signed takes no entry of a status list', async (t) => {
  let taken = 0
  let signed = 0
  const issuer = {
    ...{ iss: ISSUER, judged: ISSUER, name: ISSUER, didId: null, keyType: 'p256', header: { kid: `${ISSUER}#key` } },
    async sign(data: Uint8Array) {
      signed += 1
      return issuerKey.sign(data)
    },
    async takeEntry() {
      taken += 1
      return { listId: 'a', index: taken, url: 'https://issuer.example/lists/a' }
    },
    endOf: (wanted: Date | undefined) => wanted,
  }
  const sdJwtIssuers = { issuerOf: async () => issuer, forget() {} }
  const { sign } = createSdJwtSigning({ now: () => NOW, sdJwtIssuers, policyGate: { async assertMayIssue() {} } })
  const outcome = async (claims: Json, selective: ClaimPath[] = []) => {
    const terms: SdJwtTerms = {
      ...{ claims, plan: { selective }, vct: 'https://types.example/a', revocable: true, tag: null, issuedAs: 'did' },
      fields: { issuer: 'issuer_did', type: 'vct', holderKey: 'holder_key' },
    }
    const refusal = await sign('tenant', 'id', terms).then(
      () => undefined,
      (error: unknown) => (error instanceof Refusal ? error.errors[0]?.code : error),
    )
    return [refusal, taken, signed]
  }
  t.deepEqual(await outcome({ iat: 1 }), ['claim.reserved', 0, 0])
  t.deepEqual(await outcome({ a: 1 }, [[0]]), ['disclosure.path', 0, 0])
  t.deepEqual(await outcome({ a: list(1_001) }, [['a', null]]), ['disclosure.too_many', 0, 0])
  t.deepEqual(await outcome({ a: 'x'.repeat(370_000), b: list(4_000, 12_345) }), ['too_long', 0, 0])
  t.deepEqual(await outcome({ a: '\u00e6'.repeat(200_000) }), ['too_long', 0, 0])
  t.deepEqual(await outcome({ a: '\u00e6'.repeat(200_000) }, [['a']]), ['too_long', 0, 0])
  t.deepEqual(await outcome({ a: 1 }), [undefined, 1, 1])
})
