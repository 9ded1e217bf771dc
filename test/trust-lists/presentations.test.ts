import test from 'ava'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { makeHolder } from '../support/credentials/holders.ts'
import { makeIaca, makeSigner } from '../support/credentials/mobile.ts'
import { verifyPresentation } from '../support/credentials/presentations.ts'
import { openSdJwt } from '../support/openid/presenting.sd-jwt.ts'
import {
  DOC_TYPE,
  NAMESPACE,
  openMdoc,
  presentJsonLd,
  type WalletRequest,
  wallet,
} from '../support/openid/presenting.ts'
import { identityQuery, requestsOf } from '../support/openid/requests.ts'
import { createVerifier, createVerifierClient, openRelyingParty, qrLink } from '../support/openid/verifiers.ts'
import { trustListsOf } from '../support/trust-lists/lists.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
let certificate: string
let requests: ReturnType<typeof requestsOf>
let lists: ReturnType<typeof trustListsOf>
test.before(async () => {
  world = await openWorld()
  certificate = (await makeIaca(world)).certificatePem
  await makeSigner(world, { active: true })
  issuer = await createDid(world, 'ed25519', world.token, true)
  requests = requestsOf(world, await createDid(world, 'p256'))
  lists = trustListsOf(world, world.token)
})
test.after.always(() => world?.close())

const other = { identifier: 'did:web:other.example' }

async function course() {
  const holder = makeHolder()
  const credentialSubject = { id: holder.did, course: 'CS-101' }
  const { credential } = await sign(world, issuer, { more: { credentialSubject } })
  return { holder, credential }
}

const FORMATS: {
  format: string
  query: object
  trustedContexts?: object[]
  entry: () => object
  check: string
  present(): Promise<(request: WalletRequest) => Promise<Record<string, unknown[]>>>
}[] = [
  {
    format: 'sd-jwt-vc',
    query: identityQuery(),
    entry: () => ({ identifier: issuer }),
    check: 'Trust',
    async present() {
      const held = await openSdJwt(world, { issuer_did: issuer })
      return (request) => held.present(request, { given_name: true })
    },
  },
  {
    format: 'mobile',
    query: {
      credentials: [
        {
          id: 'licence',
          format: 'mso_mdoc',
          meta: { doctype_value: DOC_TYPE },
          claims: [{ path: [NAMESPACE, 'family_name'] }],
        },
      ],
    },
    entry: () => ({ certificate }),
    check: 'IssuerNotListed',
    async present() {
      const held = await openMdoc(world)
      return (request) => held.present(request, ['family_name'])
    },
  },
  {
    format: 'web-semantic',
    query: {
      credentials: [
        {
          id: 'course',
          format: 'ldp_vc',
          meta: { type_values: [['https://www.w3.org/2018/credentials#VerifiableCredential']] },
          claims: [{ path: ['credentialSubject', 'course'] }],
        },
      ],
    },
    trustedContexts: [{ course: 'https://schema.org/courseCode' }],
    entry: () => ({ identifier: issuer }),
    check: 'credentialTrust',
    async present() {
      const { holder, credential } = await course()
      return (request) => presentJsonLd(holder, credential, request)
    },
  },
]

for (const { format, query, trustedContexts, entry, check, present } of FORMATS)
  test.serial(`OpenID4VP, ${format}: what a wallet presents is accepted if its issuer is listed`, async (t) => {
    const presented = await present()
    const asked = async () => {
      const { id, uri } = await requests.create({ dcqlQuery: query, ...(trustedContexts && { trustedContexts }) })
      const request = await wallet.readRequest(uri)
      const { status } = await wallet.answer(request, await presented(request))
      const [credential] = (await requests.read(id)).credentials
      return { status, credential }
    }
    const free = await asked()
    t.is(free.status, 200)
    t.false('trust' in (free.credential ?? {}))
    const list = await lists.created({ formats: [format], enforced: true, entries: [entry()] })
    const accepted = await asked()
    t.is(accepted.status, 200)
    t.like(accepted.credential, { verified: true, trust: { listId: list.id } })
    t.deepEqual(
      accepted.credential?.checks.filter(({ name }) => name === check),
      [{ name: check, result: 'passed' }],
    )
    const elsewhere =
      format === 'mobile'
        ? { formats: ['mobile', 'compact'], entries: [other, { certificate: await foreign() }] }
        : { entries: [other] }
    await lists.update(list.id, elsewhere)
    const refused = await asked()
    t.is(refused.status, 400)
    t.like(refused.credential, { verified: false })
    t.true(refused.credential?.checks.some(({ name, result }) => name === check && result === 'failed'))
    t.true(
      refused.credential?.reason.some(({ type }) => type === check),
      JSON.stringify(refused.credential?.reason),
    )
    t.is((await lists.remove(list.id)).status, 204)
  })

async function foreign(): Promise<string> {
  const { makeForeignIaca } = await import('../support/credentials/mobile.issuers.ts')
  return (await makeForeignIaca()).certificatePem
}

test.serial('a person signs in with a credential of a listed issuer, and with no other', async (t) => {
  const verifier = await createVerifier(world)
  const party = await openRelyingParty(verifier, await createVerifierClient(world, verifier.id))
  const { holder, credential } = await course()
  const list = await lists.created({ formats: ['web-semantic'], enforced: true, entries: [other] })
  const begun = await party.begin()
  const request = await wallet.readRequest(qrLink(begun.page))
  t.is((await wallet.answer(request, await presentJsonLd(holder, credential, request))).status, 400)
  await lists.update(list.id, { entries: [{ identifier: issuer }] })
  t.is((await wallet.answer(request, await presentJsonLd(holder, credential, request))).status, 200)
  const tokens = await party.grant(await party.back(begun, begun.page.url), begun)
  t.is(tokens.claims()?.course, 'CS-101')
  await lists.remove(list.id)
})

test.serial(
  'a W3C presentation: credentialTrust names the list, is made where one is enforced, and leaves the proof out',
  async (t) => {
    const { holder, credential } = await course()
    const presentation = await holder.present([credential], { challenge: 'a-challenge', domain: 'a.example' })
    const checks = async () =>
      (await verifyPresentation(world, presentation)).checks.filter(({ check }) => /^credential/.test(check))
    const names = ['credentialForm', 'credentialIssuer', 'credentialProof', 'credentialValidity', 'credentialStatus']
    const outcomes = async () => (await checks()).map(({ check, outcome }) => `${check} ${outcome}`)
    t.deepEqual(await outcomes(), [...names.slice(0, 4).map((name) => `${name} passed`), 'credentialStatus skipped'])
    const list = await lists.created({ formats: ['web-semantic'], enforced: true, entries: [{ identifier: issuer }] })
    t.like(
      (await checks()).find(({ check }) => check === 'credentialTrust'),
      { outcome: 'passed', trust: { listId: list.id, identifier: issuer } },
    )
    await lists.update(list.id, { entries: [other] })
    // nothing is fetched for an issuer that is not accepted, so that no other check was made
    const failing = new Map((await checks()).map(({ check, outcome }) => [check, outcome]))
    t.deepEqual(Object.fromEntries(failing), {
      ...Object.fromEntries(names.map((name) => [name, 'skipped'])),
      credentialTrust: 'failed',
    })
    await lists.remove(list.id)
  },
)
