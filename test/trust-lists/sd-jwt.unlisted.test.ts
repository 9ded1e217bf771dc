import test from 'ava'
import { createSdJwtVerifier } from '../../activities/sd-jwt-credentials/verify.ts'
import { indexed, trustOf } from '../../protocol/trust-lists/trust.ts'

type Parts = Parameters<typeof createSdJwtVerifier>[0]

const LISTED = 'did:web:listed.example'

/** A verifier whose tenant enforces a list with one issuer; `looked`: the issuers whose keys were looked for. */
function verifierWith(trustedIssuers?: readonly string[]) {
  const looked: string[] = []
  const list = indexed({
    ...{ id: 'id', name: 'Schools', formats: ['sd-jwt-vc'], attests: [], enforced: true, url: null, staleAt: null },
    entries: [{ identifier: LISTED, issuer: LISTED }],
  })
  const verifier = createSdJwtVerifier({
    now: () => new Date(),
    config: { clockToleranceMs: 0 },
    issuerKeys: {
      find: async (_: string, { issuer }: { issuer: string }) => {
        looked.push(issuer)
        throw new Error('a key was looked for')
      },
    },
    trustGate: { trustFor: async () => trustOf([list], 'sd-jwt-vc', new Date()) },
    policyGate: { reasonsAgainst: async () => [] },
  } as unknown as Parts)
  const verify = (iss: string) => {
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const payload = `${encoded({ alg: 'ES256', typ: 'dc+sd-jwt', kid: '#a' })}.${encoded({ iss, vct: 'a' })}.AAAA~`
    const options = { checkRevocation: true, checkTypeMetadata: true, ...(trustedIssuers && { trustedIssuers }) }
    return verifier.verify('tenant', { payload, ...options })
  }
  return { looked, verify }
}

for (const issuer of ['did:web:other.example', 'https://other.example'])
  test(`nothing is fetched for ${issuer}, which no enforced list has`, async (t) => {
    const { looked, verify } = verifierWith()
    const { verified, checks, faults } = await verify(issuer)
    t.false(verified)
    t.deepEqual(
      faults.map(({ check, code }) => `${check} ${code}`),
      ['Trust sd_jwt.issuer_not_listed'],
    )
    const results = new Map(checks.map(({ name, result }) => [name, result]))
    t.deepEqual(
      (['IssuerKey', 'Signature', 'Trust'] as const).map((name) => results.get(name)),
      ['skipped', 'skipped', 'failed'],
    )
    t.deepEqual(looked, [])
  })

test('nothing is fetched for an issuer that the request does not trust, and the key of a listed one is looked for', async (t) => {
  const strict = verifierWith(['did:web:another.example'])
  t.like((await strict.verify(LISTED)).faults, [{ code: 'sd_jwt.issuer_not_trusted' }])
  t.deepEqual(strict.looked, [])
  const { looked, verify } = verifierWith()
  await t.throwsAsync(verify(LISTED), { message: 'a key was looked for' })
  t.deepEqual(looked, [LISTED])
})
