import test from 'ava'
import { digestOfBytes, publishedDigests } from '../../protocol/contexts/digests.ts'
import { CONTEXT } from '../../protocol/contexts/index.ts'
import { createDid, payload, sign, type Verdict, verdictOf, type Warning } from '../support/credentials/credentials.ts'
import { verifyPresentation } from '../support/credentials/presentations.ts'
import { prove } from '../support/credentials/proofs.ts'
import { ed25519Signer } from '../support/credentials/signers.ts'
import { codesOf, type Json, vcApi, vcApiSettings } from '../support/credentials/vc-api.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import type { World } from '../support/world.ts'

const COURSE = JSON.stringify({ '@context': { course: 'https://schema.org/courseCode' } })

let beside: WorldBeside
let world: World
let did: string
test.before(async () => {
  beside = await openWorldBeside('resources.test', (_, response) => {
    response.setHeader('content-type', 'application/ld+json')
    response.end(COURSE)
  })
  world = beside.world
  did = await createDid(world)
  await vcApiSettings(world, true)
})
test.after.always(() => beside?.close())

const id = CONTEXT.credentialsV2
/** VC Data Model 2.0, appendix B.1 and section 5.3. */
const SHA256 = '59955ced6697d61e03f2b2556febe5308ab16842846f5b586d7f1f7adec92734'
const SHA384 = 'sha384-l/HrjlBCNWyAX91hr6LFV2Y3heB5Tcr6IeE4/Tje8YyzYBM8IhqjHWiWpr8+ZbYU'
/** Of the file before the Recommendation (Candidate Recommendation, December 2024). */
const DRAFT = 'sha384-NSOcNpmdIVUxIJGvGUoe22FjTWrXiaXlsZ8q6912LdnR3KraQO2n75Ica4wK4Qeg'
const multibase = (prefix: string) => `u${Buffer.from(prefix + SHA256, 'hex').toString('base64url')}`
const OTHER = { id: 'https://example.edu/badge.png', digestMultibase: multibase('1220') }

const GOOD = [
  { id, digestSRI: SHA384 },
  [{ id, digestMultibase: multibase('1220'), mediaType: 'application/ld+json' }],
  { id, digestMultibase: multibase('') },
  { id, digestSRI: SHA384, digestMultibase: [multibase('1220')] },
]
const BAD: [relatedResource: unknown, code: string][] = [
  [[id], 'credential.object'],
  [{ digestSRI: SHA384 }, 'credential.uri'],
  [{ id }, 'credential.digest'],
  [{ id, digestSRI: 'md5-AAAA' }, 'credential.digest'],
  [{ id, digestSRI: DRAFT }, 'credential.digest'],
  [{ id, digestMultibase: multibase('1220').replace('uEiBZ', 'uEiBY') }, 'credential.digest'],
  [{ id, digestSRI: SHA384, digestMultibase: `u${'A'.repeat(43)}` }, 'credential.digest'],
  [
    [
      { id, digestSRI: SHA384 },
      { id, digestMultibase: multibase('') },
    ],
    'credential.duplicate',
  ],
]

/** Signed as its issuer likes. */
async function foreign(more: Json): Promise<Json> {
  const signer = ed25519Signer()
  const document = payload(signer.did, { '@context': [id], credentialSubject: { id: 'did:example:holder' }, ...more })
  return { ...document, proof: await prove(document, signer) }
}

/** The answer, without what it says of contexts. */
const said = ({ verified, reason, warnings }: Verdict & { warnings: Warning[] }) => ({
  verified,
  reason: reason.map(({ type }) => type),
  unchecked: warnings.flatMap(({ type, path, url }) => (type === 'UncheckedResource' ? [[path, url]] : [])),
})

test('a wrong digest of a bundled context is refused when signing (VC Data Model 2.0, section 5.3)', async (t) => {
  const issue = (relatedResource: unknown) =>
    vcApi(world, 'credentials/issue', { credential: payload(did, { relatedResource }) })
  for (const relatedResource of [...GOOD, OTHER])
    t.is((await issue(relatedResource)).status, 201, JSON.stringify(relatedResource))
  for (const [relatedResource, code] of BAD)
    t.deepEqual(codesOf((await issue(relatedResource)).text), ['credential.invalid', code])
})

test('and when verifying (VC Data Model 2.0, section 5.3)', async (t) => {
  for (const relatedResource of GOOD)
    t.deepEqual(said(await verdictOf(world, (await sign(world, did, { more: { relatedResource } })).credential)), {
      verified: true,
      reason: [],
      unchecked: [],
    })
  for (const relatedResource of [
    { id, digestSRI: DRAFT },
    { id: CONTEXT.dataIntegrityV2, digestSRI: SHA384 },
    { id: 'https://www.w3.org/ns/did/v1', digestMultibase: multibase('1220') },
  ]) {
    const verdict = await verdictOf(world, await foreign({ relatedResource }))
    t.deepEqual(said(verdict), { verified: false, reason: ['Syntax'], unchecked: [] })
    t.regex(verdict.reason[0]?.message ?? '', /^\/relatedResource\/digest/)
  }
})

test('what is not fetched is not checked, and the answer names it (D-236)', async (t) => {
  const citizenship = 'https://w3id.org/citizenship/v4rc1'
  const relatedResource = [{ id, digestSRI: SHA384 }, OTHER, { id: citizenship, digestSRI: SHA384 }]
  const credential = await foreign({ relatedResource })
  t.is(publishedDigests(citizenship), undefined)
  const verdict = await verdictOf(world, credential)
  t.deepEqual(said(verdict), {
    verified: true,
    reason: [],
    unchecked: [
      ['/relatedResource/1', OTHER.id],
      ['/relatedResource/2', citizenship],
    ],
  })
  const [one, two] = verdict.warnings.map(({ message }) => message)
  t.regex(one ?? '', /badge\.png was not fetched/)
  t.regex(two ?? '', /citizenship\/v4rc1 is bundled, but/)
  const many = Array.from({ length: 25 }, (_, index) => ({ ...OTHER, id: `https://example.edu/${index}` }))
  t.is((await verdictOf(world, await foreign({ relatedResource: many }))).warnings.length, 21)
  const presentation = {
    '@context': [id],
    type: ['VerifiablePresentation'],
    verifiableCredential: [await foreign({}), credential],
  }
  const { warnings } = await verifyPresentation(world, presentation)
  t.deepEqual(
    warnings.flatMap(({ type, path }) => (type === 'UncheckedResource' ? [path] : [])),
    ['/verifiableCredential/1/relatedResource/1', '/verifiableCredential/1/relatedResource/2'],
  )
  const answer = await vcApi(world, 'credentials/verify', { verifiableCredential: credential })
  t.true(
    answer.json<{ warnings: string[] }>().warnings.some((text) => text.includes(OTHER.id)),
    answer.text,
  )
})

test('a context that the verification fetched has the digest that the issuer gave (VC Data Model 2.0, section 5.3)', async (t) => {
  const url = beside.urlOf('course/v1')
  const verdictOn = async (resource: string, context: unknown[] = [url]) => {
    const relatedResource = { id: url, digestSRI: `sha256-${digestOfBytes(resource)('sha256')}` }
    const claims = context.length > 0 ? { course: 'CS-101' } : {}
    const credentialSubject = { id: 'did:example:holder', ...claims }
    const more = { '@context': [id, ...context], credentialSubject, relatedResource }
    return said(await verdictOf(world, (await sign(world, did, { more })).credential))
  }
  t.deepEqual(await verdictOn(COURSE), { verified: true, reason: [], unchecked: [] })
  t.deepEqual(await verdictOn('{}'), { verified: false, reason: ['Context'], unchecked: [] })
  t.deepEqual(await verdictOn('{}', []), { verified: true, reason: [], unchecked: [['/relatedResource', url]] })
})
