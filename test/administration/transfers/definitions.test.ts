import { randomUUID } from 'node:crypto'
import test from 'ava'
import { definitionErrors } from '../../../activities/administration/transfers/rules/definitions.ts'
import { createTransferRules } from '../../../activities/administration/transfers/rules/index.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const AT = 'row.current.definition'
const definition = (more: object) => ({
  name: 'Course',
  type: 'CourseCredential',
  additionalTypes: [],
  issuer: { name: 'University' },
  revocable: false,
  proofType: 'vc+sd-jwt',
  ...more,
})
const errorsOf = (more: object) =>
  definitionErrors('semantic', definition(more), AT, NOW).map(({ path, code }) => [path.replace(`${AT}.`, ''), code])

test('what a template says of selective disclosure is moved with it', (t) => {
  t.deepEqual(errorsOf({}), [])
  t.deepEqual(errorsOf({ selectively: null, decoys: null }), [])
  t.deepEqual(errorsOf({ selectively: [['credentialSubject', 'course']], decoys: 3 }), [])
})

const REFUSED: [more: object, place: string, code: string][] = [
  [{ issuer: {} }, 'issuer.name', 'required'],
  [{ issuer: { name: 1 } }, 'issuer.name', 'text'],
  [{ issuer: { name: 'University', iconUrl: 1 } }, 'issuer.iconUrl', 'text'],
  [{ issuer: [] }, 'issuer', 'object'],
  [{ decoys: 51 }, 'decoys', 'integer'],
  [{ decoys: 'many' }, 'decoys', 'integer'],
  [{ selectively: 'course' }, 'selectively', 'json'],
  [{ selectively: {} }, 'selectively', 'disclosure.path'],
  [{ selectively: [{}] }, 'selectively.0', 'disclosure.path'],
  [{ selectively: [null] }, 'selectively.0', 'disclosure.path'],
  [{ selectively: [['issuer']] }, 'selectively.0', 'disclosure.never'],
]
for (const [more, place, code] of REFUSED)
  test(`${JSON.stringify(more)} is refused with member and rule`, (t) => {
    t.deepEqual(errorsOf(more), [[place, code]])
  })

const dated = { id: randomUUID(), createdAt: '2025-01-01T00:00:00Z', updatedAt: '2025-01-01T00:00:00Z' }
const config = { claimSources: {}, outbound: {} }
const rulesOf = createTransferRules({ config, documents: {}, now: () => NOW } as never)
const policy = {
  ...{ requiresPar: false, requiresDpop: false, requiresClientAuthentication: false, allowsWalletInitiated: false },
  ...{ keyStorage: null, batchSize: null, profile: 'haip' },
}
const provider = {
  name: 'Maker',
  attestsWallets: true,
  attestsKeys: false,
  clientIds: [],
  certificates: [],
  jwks: null,
}
const jwks = { keys: [{ kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' }] }

for (const [kind, row, place] of [
  ['walletPolicies', { ...policy, keyStorage: ['iso_18045_high', 'iso_18045_high'] }, 'row.keyStorage.1'],
  ['walletPolicies', { ...policy, keyStorage: ['with blank'] }, 'row.keyStorage.0'],
  ['walletProviders', provider, 'row.certificates'],
  ['walletProviders', { ...provider, certificates: ['none'] }, 'row.certificates.0'],
  ['walletProviders', { ...provider, jwks }, 'row.jwks.keys.0'],
  ['walletProviders', { ...provider, certificates: ['none'], attestsWallets: false }, 'row.attests'],
  ['walletProviders', { ...provider, clientIds: ['with blank'] }, 'row.clientIds.0'],
] as const)
  test(`a row of ${kind} meets the rule of its creation: ${place}`, async (t) => {
    const errors = await rulesOf(kind, { ...dated, ...row }, 'a-tenant')
    t.true(
      errors.some(({ path }) => path === place),
      JSON.stringify(errors),
    )
  })

test('a policy with a profile, as exports have it, is imported', async (t) => {
  t.deepEqual(await rulesOf('walletPolicies', { ...dated, ...policy }, 'a-tenant'), [])
})
