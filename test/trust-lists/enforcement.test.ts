import test, { type ExecutionContext } from 'ava'
import { COMPACT_SEMANTIC, signCompact, signCompactSemantic, verifyCompact } from '../support/credentials/compact.ts'
import { createDid, sign, verdictOf } from '../support/credentials/credentials.ts'
import { issueElsewhere, makeForeignIaca, makeForeignIssuer } from '../support/credentials/mobile.issuers.ts'
import { makeIaca, makeSigner, signMobile } from '../support/credentials/mobile.ts'
import { signSdJwt, verifySdJwt } from '../support/sd-jwt/credentials.ts'
import { trustListsOf } from '../support/trust-lists/lists.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

interface Found {
  verified: boolean
  trust?: { listId: string; listName: string; entryName?: string; identifier?: string; certificateFingerprint?: string }
}

/** A tenant of its own: an enforced list counts for all that a tenant verifies. */
async function tenant() {
  const token = await world.tokenOf(await world.addTenant())
  const own = { ...world, token }
  return { own, lists: trustListsOf(world, token), did: await createDid(own, 'p256', token, true) }
}

const listOf = (formats: string[], entries: object[]) => ({ name: 'The registry', enforced: true, formats, entries })

const other = { name: 'Another issuer', identifier: 'did:web:other.example' }

const FORMATS: {
  format: string
  verdict(own: World, did: string): Promise<() => Promise<Found & { reason: string[] }>>
}[] = [
  {
    format: 'web-semantic',
    async verdict(own, did) {
      const { credential } = await sign(own, did, { proofType: 'ecdsa-rdfc-2019' })
      return async () => {
        const { reason, ...verdict } = await verdictOf(own, credential)
        return { ...verdict, reason: reason.map(({ type }) => type) }
      }
    },
  },
  {
    format: 'compact',
    async verdict(own, did) {
      const { encoded } = await signCompact(own, { iss: did, type: 'Sample', name: 'Ada' })
      return async () => {
        const { error, ...verdict } = await verifyCompact(own, encoded)
        return { ...verdict, reason: error ? [error.type] : [] }
      }
    },
  },
  {
    format: 'compact-semantic',
    async verdict(own, did) {
      const { encoded } = await signCompactSemantic(own, did)
      return async () => {
        const { error, ...verdict } = await verifyCompact(own, encoded, {}, COMPACT_SEMANTIC)
        return { ...verdict, reason: error ? [error.type] : [] }
      }
    },
  },
  {
    format: 'sd-jwt-vc',
    async verdict(own, did) {
      const payload = { vct: 'https://credentials.example/identity', name: 'Ada' }
      const { encoded } = await signSdJwt(own, { payload, issuer_did: did })
      return async () => {
        const { reason, ...verdict } = await verifySdJwt(own, encoded)
        return {
          ...verdict,
          reason: reason.map(({ code }) => (code === 'sd_jwt.issuer_not_listed' ? 'IssuerNotListed' : code)),
        }
      }
    },
  },
]

for (const { format, verdict } of FORMATS)
  test(`${format}: with an enforced list a credential verifies if its issuer is in it, and names list and entry`, async (t) => {
    const { own, lists, did } = await tenant()
    const look = await verdict(own, did)
    t.like(await look(), { verified: true, reason: [] }, 'no list')
    const list = await lists.created(listOf([format], [other]))
    const refused = await look()
    t.like(refused, { verified: false, reason: ['IssuerNotListed'] })
    t.is(refused.trust, undefined)
    await lists.update(list.id, { entries: [other, { name: 'The college', identifier: did }] })
    const listed = await look()
    t.true(listed.verified, JSON.stringify(listed))
    const trust = { listId: list.id, listName: 'The registry', entryName: 'The college', identifier: did }
    t.deepEqual(listed.trust, trust)
    // what another list says is enough, and what does not decide is not asked
    await lists.update(list.id, { entries: [other] })
    const second = await lists.created({ ...listOf([format], [{ identifier: did }]), name: 'The second' })
    t.like((await look()).trust, { listId: second.id, listName: 'The second' })
    await lists.update(second.id, { enforced: false })
    t.false((await look()).verified)
    await lists.update(list.id, { formats: [format === 'compact' ? 'web-semantic' : 'compact'] })
    t.true((await look()).verified, 'the list is enforced for another format')
    await lists.update(list.id, { formats: [format] })
    await lists.remove(list.id)
    const free = await look()
    t.true(free.verified)
    t.is(free.trust, undefined)
  })

const MOBILE = '/v1/credentials/mobile/verify'

interface MobileFound extends Found {
  reason: { type: string }[]
  documents: Found[]
}

const mobileVerdict = async (t: ExecutionContext, own: World, payload: string) => {
  const reply = await own.ask(MOBILE, { token: own.token, body: { payload } })
  t.is(reply.status, 200, reply.text)
  return reply.json<MobileFound>()
}

test('mobile: a listed certificate is trusted without an IACA of the tenant, and an unlisted IACA is not', async (t) => {
  const { own, lists } = await tenant()
  const elsewhere = await makeForeignIaca()
  const payload = await issueElsewhere(await elsewhere.signer())
  await makeIaca(own, {}, own.token)
  await makeSigner(own, { active: true }, own.token)
  const { mobileEncoded } = await signMobile(own, own.token)
  t.true((await mobileVerdict(t, own, mobileEncoded)).verified)
  t.deepEqual(
    (await mobileVerdict(t, own, payload)).reason.map(({ type }) => type),
    ['UntrustedIssuer'],
  )
  const entry = { name: 'The ministry', certificate: elsewhere.certificatePem }
  const list = await lists.created(listOf(['mobile'], [entry]))
  const found = await mobileVerdict(t, own, payload)
  t.true(found.verified, JSON.stringify(found.reason))
  const [fingerprint] = list.entries.map(({ certificateFingerprint }) => certificateFingerprint)
  t.like(found.documents[0], {
    issuerFingerprint: fingerprint,
    trust: {
      listId: list.id,
      listName: 'The registry',
      entryName: 'The ministry',
      certificateFingerprint: fingerprint,
    },
  })
  const unlisted = await mobileVerdict(t, own, mobileEncoded)
  t.deepEqual(
    unlisted.reason.map(({ type }) => type),
    ['IssuerNotListed'],
  )
  t.is(unlisted.documents[0]?.trust, undefined)
  await lists.update(list.id, { enforced: false })
  t.true((await mobileVerdict(t, own, mobileEncoded)).verified)
  t.deepEqual(
    (await mobileVerdict(t, own, payload)).reason.map(({ type }) => type),
    ['UntrustedIssuer'],
  )
})

test('mobile: a listed signer certifies nobody else, and a certificate with the name of a listed one is another', async (t) => {
  const { own, lists } = await tenant()
  const issuer = await makeForeignIssuer('The state')
  const impostor = await makeForeignIaca({ commonName: 'The state' })
  const certificate = (await import('../../protocol/mobile-credentials/certificates.ts')).toPem(
    'CERTIFICATE',
    issuer.certificate,
  )
  await lists.created(listOf(['mobile'], [{ certificate: issuer.certificatePem }, { name: 'One signer', certificate }]))
  const forged = await mobileVerdict(t, own, await issueElsewhere(await impostor.signer()))
  t.deepEqual(
    forged.reason.map(({ type }) => type),
    ['UntrustedIssuer', 'IssuerNotListed'],
  )
})

test('SD-JWT VC: x5c leads to a listed certificate, whatever IACAs the tenant has, and the check is named', async (t) => {
  const { own, lists, did } = await tenant()
  const { certificatePem } = await makeIaca(own, {}, own.token)
  await makeSigner(own, { active: true }, own.token)
  const payload = { vct: 'https://credentials.example/identity', name: 'Ada' }
  const certified = await signSdJwt(own, { payload, issued_as: 'x5c' })
  const checkOf = async (encoded: string) =>
    (await verifySdJwt(own, encoded)).checks.find(({ name }) => name === 'Trust')
  t.like(await checkOf(certified.encoded), { result: 'skipped' })
  const list = await lists.created(listOf(['sd-jwt-vc'], [other]))
  t.like(await checkOf(certified.encoded), { result: 'failed' })
  // the IACA of the tenant is deactivated: the list alone says that it is trusted
  await lists.update(list.id, { entries: [{ name: 'The ministry', certificate: certificatePem }] })
  t.like(await checkOf(certified.encoded), { result: 'passed' })
  const byDid = await signSdJwt(own, { payload, issuer_did: did })
  t.like(await checkOf(byDid.encoded), { result: 'failed' })
  const verdict: Found = await verifySdJwt(own, certified.encoded)
  t.like(verdict.trust, { listId: list.id, entryName: 'The ministry' })
  // in another tenant without that IACA the same list is enough
  const stranger = await tenant()
  t.false((await verifySdJwt(stranger.own, certified.encoded)).verified)
  await stranger.lists.created(listOf(['sd-jwt-vc'], [{ certificate: certificatePem }]))
  t.true((await verifySdJwt(stranger.own, certified.encoded)).verified)
})

test('a list of another tenant decides nothing, and two processes agree within a second', async (t) => {
  const { own, lists, did } = await tenant()
  const { encoded } = await signCompact(own, { iss: did, type: 'Sample', name: 'Ada' })
  const stranger = await tenant()
  await stranger.lists.created(listOf(['compact'], [other]))
  t.true((await verifyCompact(own, encoded)).verified)
  t.is((await verifyCompact(stranger.own, encoded)).error?.type, 'IssuerNotListed')
  const { id } = await lists.created(listOf(['compact'], [other]))
  t.is((await verifyCompact(own, encoded)).error?.type, 'IssuerNotListed')
  // as another process changes it
  const { systemSql } = world.dependencies
  await systemSql.query({ text: 'delete from trust_lists where id = $1', values: [id] })
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  t.true((await verifyCompact(own, encoded)).verified)
})
