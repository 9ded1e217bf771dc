import { createHash, X509Certificate } from 'node:crypto'
import test from 'ava'
import { inTenant } from '../../../entities/orm.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { openAuthority } from '../../support/openid/certificates.ts'
import { wallet } from '../../support/openid/presenting.ts'
import {
  createVerifier,
  createVerifierClient,
  openRelyingParty,
  sameDeviceLink,
  VERIFIERS,
  type Verifier,
  verifierBody,
} from '../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let authority: Awaited<ReturnType<typeof openAuthority>>
test.before(async () => {
  world = await openWorld()
  authority = await openAuthority()
})
test.after.always(() => world?.close())

const derOf = (pem: string): string => new X509Certificate(pem).raw.toString('base64')

/** The link of a new sign-in at a verifier. */
async function linkOf(verifier: Verifier): Promise<string> {
  const party = await openRelyingParty(verifier, await createVerifierClient(world, verifier.id))
  return sameDeviceLink((await party.begin()).page)
}

test('a verifier with certificates is known by its own one, and signs with it (OpenID4VP 1.0, section 5.9.3)', async (t) => {
  const did = await createDid(world, 'p256')
  const [own, chain] = [await authority.certify(did), authority.between]
  const verifier = await createVerifier(world, { verifier_did: did, certificate_chain: `${own}${chain}` })
  t.like(verifier, { certificateChain: `${own}${chain}` })
  const request = await wallet.readRequest(await linkOf(verifier))
  const hash = createHash('sha256')
    .update(Buffer.from(derOf(own), 'base64'))
    .digest('base64url')
  t.is(request.client_id, `x509_hash:${hash}`)
  t.false('client_name' in (request.client_metadata ?? {}), 'its certificate names it')
  const uri = new URL(await linkOf(verifier)).searchParams.get('request_uri') ?? ''
  const [header = ''] = (await (await fetch(uri)).text()).split('.')
  t.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), {
    alg: 'ES256',
    typ: 'oauth-authz-req+jwt',
    x5c: [derOf(own), derOf(chain)],
  })
  const body = await verifierBody(world, { verifier_did: did })
  const without = await world.ask(`${VERIFIERS}/${verifier.id}`, { method: 'PUT', token: world.token, body })
  t.false('certificateChain' in without.json<object>())
  const later = await wallet.readRequest(await linkOf(verifier))
  t.is(later.client_id, `decentralized_identifier:${did}`)
  t.is(later.client_metadata?.client_name, 'Student portal')
})

test('an authority certifies a verifier by its request, without seeing a key (RFC 2986)', async (t) => {
  const body = await verifierBody(world)
  const { id } = await createVerifier(world, body)
  const reply = await world.ask(`${VERIFIERS}/${id}/certificate-request`, { token: world.token })
  t.is(reply.status, 200, reply.text)
  const chain = await authority.certifyRequest(reply.json<{ csrPem: string }>().csrPem)
  t.is(new X509Certificate(chain).subject, 'C=NL\nCN=localhost')
  const put = { method: 'PUT', token: world.token, body: { ...body, certificate_chain: chain } }
  t.is((await world.ask(`${VERIFIERS}/${id}`, put)).status, 200)
  const other = await createVerifier(world, { verifier_did: await createDid(world) })
  const refused = await world.ask(`${VERIFIERS}/${other.id}/certificate-request`, { token: world.token })
  t.deepEqual([refused.status, refused.json<{ type: string }>().type], [400, '/problems#oidc_verifier.did_unfit'])
})

test('certificates that wallets would refuse are refused with their rule', async (t) => {
  const did = await createDid(world, 'p256')
  const own = await authority.certify(did)
  const { root, between } = authority
  const cases: [string, string][] = [
    ['', 'pem'],
    ['x', 'pem'],
    [`${own}x`, 'pem'],
    [own.replace('MII', 'MIJ'), 'pem'],
    [own.repeat(5), 'pem'],
    [await authority.certify(await createDid(world, 'p256')), 'public_key'],
    [`${between}${own}`, 'public_key'],
    [await authority.certify(did, { isAuthority: true }), 'key_usage'],
    [`${own}${between}${root}`, 'trust_anchor'],
    [`${own}${own}`, 'chain'],
    [await authority.certify(did, { notAfter: -1 }), 'validity'],
  ]
  const body = await verifierBody(world, { verifier_did: did })
  for (const [chain, code] of cases) {
    const reply = await world.ask(VERIFIERS, { token: world.token, body: { ...body, certificate_chain: chain } })
    t.is(reply.status, 400, code)
    const [error] = reply.json<{ errors: { path: string; code: string }[] }>().errors
    t.like(error, { path: 'certificate_chain', code }, reply.text)
  }
  const other = { ...body, verifier_did: await createDid(world), certificate_chain: own }
  const reply = await world.ask(VERIFIERS, { token: world.token, body: other })
  t.deepEqual([reply.status, reply.json<{ type: string }>().type], [400, '/problems#oidc_verifier.did_unfit'])
})

test('a verifier whose certificate has expired asks nobody, and says why', async (t) => {
  const did = await createDid(world, 'p256')
  const verifier = await createVerifier(world, { verifier_did: did, certificate_chain: await authority.certify(did) })
  const link = await linkOf(verifier)
  const expired = derOf(await authority.certify(did, { notAfter: -1 }))
  await inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
    em.execute(`update oidc_verifiers set certificate_chain = '{${expired}}' where id = '${verifier.id}'`),
  )
  const response = await fetch(new URL(link).searchParams.get('request_uri') ?? '')
  t.is(response.status, 400)
  t.like((await response.json()) as object, { error: 'invalid_request' })
})
