import { randomUUID } from 'node:crypto'
import test from 'ava'
import { MAX_CLIENTS } from '../../../activities/openid/verifiers/clients.ts'
import { MAX_VERIFIERS } from '../../../activities/openid/verifiers/lifecycle.ts'
import { inTenant } from '../../../entities/orm.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import {
  clientBody,
  createTemplate,
  createVerifier,
  createVerifierClient,
  VERIFIERS,
  type Verifier,
  verifierBody,
} from '../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

interface Problem {
  type: string
  errors?: { path: string; code: string }[]
}

const ask = (path: string, more: object = {}) => world.ask(`${VERIFIERS}${path}`, { token: world.token, ...more })

const faults = (problem: Problem) => (problem.errors ?? []).map(({ path, code }) => `${path} ${code}`)

const rowsOf = async (text: string, values: unknown[] = []) =>
  (await world.dependencies.systemSql.query<Record<string, unknown>>({ text, values })).rows

const kidsOf = async (id: string) =>
  (await world.ask(`${VERIFIERS}/${id}/jwks`)).json<{ keys: { kid: string; alg: string }[] }>().keys

test('a verifier is created, listed, read, changed and deleted, and its keys with it (specification, OIDC verifier)', async (t) => {
  const body = await verifierBody(world)
  const created = await ask('', { body })
  t.is(created.status, 201)
  const verifier = created.json<Verifier>()
  t.is(created.headers.get('location'), `${VERIFIERS}/${verifier.id}`)
  t.like(verifier, { verifierDid: body.verifier_did, includePresentation: false, claimMappings: body.claim_mappings })
  t.true((await ask('')).json<{ data: Verifier[] }>().data.some(({ id }) => id === verifier.id))
  const claimsOf = async () =>
    (await ask(`/${verifier.id}/.well-known/openid-configuration`)).json<{ claims_supported: string[] }>()
      .claims_supported
  t.false((await claimsOf()).includes('vp_token'))
  const changed = await ask(`/${verifier.id}`, { method: 'PUT', body: { ...body, include_presentation: true } })
  t.true((await claimsOf()).includes('vp_token'), 'clients read it at once')
  t.true(changed.json<Verifier>().includePresentation)
  t.deepEqual((await ask(`/${verifier.id}`)).json(), changed.json())
  const template = `/v1/credentials/web-semantic/presentations/templates/${verifier.presentationTemplateId}`
  const inUse = await world.ask(template, { method: 'DELETE', token: world.token })
  t.deepEqual([inUse.status, inUse.json<Problem>().type], [409, '/problems#presentation_template.in_use'])
  const keys = await kidsOf(verifier.id)
  t.deepEqual(
    keys.map(({ alg }) => alg),
    ['ES256', 'EdDSA'],
  )
  t.false(JSON.stringify(keys).includes('"d"'))
  t.is((await ask(`/${verifier.id}`, { method: 'DELETE' })).status, 204)
  t.is((await ask(`/${verifier.id}`)).status, 404)
  t.is((await world.ask(`${VERIFIERS}/${verifier.id}/jwks`)).status, 404)
  t.is((await rowsOf('select from keys where owner_id = $1', [verifier.id])).length, 0, 'left to the reaper')
  t.is((await world.ask(template, { method: 'DELETE', token: world.token })).status, 204)
})

test('what a verifier cannot be is refused with its place', async (t) => {
  const body = await verifierBody(world)
  const mapping = { json_ld_fqn: 'https://schema.org/name', oidc_claim: 'name' }
  const cases: [object, number, string][] = [
    [{ claim_mappings: [{ ...mapping, oidc_claim: 'sub' }] }, 400, 'claim_mappings.0.oidc_claim own'],
    [{ claim_mappings: [{ ...mapping, oidc_claim: '__proto__' }] }, 400, 'claim_mappings.0.oidc_claim claim'],
    [{ claim_mappings: [{ ...mapping, oidc_claim: '' }] }, 400, 'claim_mappings.0.oidc_claim claim'],
    [{ claim_mappings: [mapping, mapping] }, 400, 'claim_mappings.1.oidc_claim repeated'],
    [{ claim_mappings: [{ ...mapping, json_ld_fqn: 'name' }] }, 400, 'claim_mappings.0.json_ld_fqn fqn'],
    [
      { claim_mappings: Array.from({ length: 51 }, (_, at) => ({ ...mapping, oidc_claim: `c${at}` })) },
      400,
      'claim_mappings count',
    ],
    [{ presentation_template_id: randomUUID() }, 404, 'presentation_template_id unknown'],
    [
      { presentation_template_id: await createTemplate(world, [{ type: 'DIDAuth' }]) },
      400,
      'presentation_template_id unsuitable',
    ],
    [{ verifier_did: 'did:key:zUnknown' }, 400, 'verifier_did did'],
    [{ verifier_did: await createDid(world, 'bls12381g2') }, 400, 'verifier_did did'],
  ]
  const { id } = await createVerifier(world)
  for (const [more, status, fault] of cases)
    for (const [path, method] of [
      ['', 'POST'],
      [`/${id}`, 'PUT'],
    ] as const) {
      const reply = await ask(path, { method, body: { ...body, ...more } })
      t.is(reply.status, status, `${method} ${fault}`)
      t.deepEqual(faults(reply.json<Problem>()), [fault])
    }
  for (const missing of Object.keys(body)) {
    const { [missing as keyof typeof body]: _, ...rest } = body
    t.is((await ask('', { body: rest })).status, 400, missing)
  }
})

test('a client is created with a secret that is shown once, listed, read, changed and deleted', async (t) => {
  const { id: verifierId } = await createVerifier(world)
  const at = `/${verifierId}/clients`
  const created = await createVerifierClient(world, verifierId)
  t.regex(created.secret ?? '', /^[\w-]{43}$/)
  const read = await ask(`${at}/${created.id}`)
  t.false(read.text.includes('"secret"'))
  t.false((await ask(at)).text.includes(created.secret ?? 'none'))
  const [row] = await rowsOf('select row_to_json(c)::text as row from oidc_clients c where id = $1', [created.id])
  t.false(String(row?.row).includes(created.secret ?? 'none'))
  const put = (more: object) => ask(`${at}/${created.id}`, { method: 'PUT', body: clientBody(more) })
  t.false((await put({ name: 'Other' })).text.includes('"secret"'), 'it keeps its secret')
  t.is((await put({ tokenEndpointAuthMethod: 'none' })).status, 200)
  t.regex((await put({})).json<{ secret: string }>().secret, /^[\w-]{43}$/, 'a new one, for there was none')
  t.is((await ask(`${at}/${created.id}`, { method: 'DELETE' })).status, 204)
  t.is((await ask(`${at}/${created.id}`)).status, 404)
  const other = await createVerifier(world)
  const moved = await createVerifierClient(world, other.id)
  t.is((await ask(`${at}/${moved.id}`)).status, 404, 'a client of another verifier')
  const key = { 'idempotency-key': randomUUID() }
  const [one, two] = [
    await ask(at, { body: clientBody(), headers: key }),
    await ask(at, { body: clientBody(), headers: key }),
  ]
  t.deepEqual(one.json(), two.json())
})

test('what a client cannot be is refused with its place', async (t) => {
  const { id } = await createVerifier(world)
  const redirect = (uri: string, more: object = {}) => ({ redirectUris: [uri], ...more })
  const native = { applicationType: 'native' }
  const cases: [object, string][] = [
    [{ redirectUris: [] }, 'redirectUris count'],
    [{ redirectUris: Array.from({ length: 21 }, (_, at) => `https://a.example.com/${at}`) }, 'redirectUris count'],
    [redirect('http://portal.example.com/'), 'redirectUris.0 https'],
    [redirect('https://10.0.0.1/'), 'redirectUris.0 address'],
    [redirect('https://portal.example.com/?a=b'), 'redirectUris.0 query'],
    [redirect('https://portal.example.com/#a'), 'redirectUris.0 fragment'],
    [redirect('https://user@portal.example.com/'), 'redirectUris.0 user_info'],
    [redirect('https://*.example.com/'), 'redirectUris.0 wildcard'],
    [redirect('javascript:alert(1)'), 'redirectUris.0 https'],
    [redirect('com.example.app:/back'), 'redirectUris.0 https'],
    [redirect('javascript:alert(1)', native), 'redirectUris.0 https'],
    [redirect('/back'), 'redirectUris.0 url'],
    [redirect('http://127.0.0.1/'), 'redirectUris.0 address'],
    [{ grantTypes: ['implicit', 'authorization_code'] }, 'grantTypes.0 enum'],
    [{ grantTypes: ['refresh_token'] }, 'grantTypes required'],
    [{ responseTypes: ['code', 'code id_token'] }, 'responseTypes.1 enum'],
    [{ tokenEndpointAuthMethod: 'client_secret_jwt' }, 'tokenEndpointAuthMethod enum'],
    [{ idTokenSignedResponseAlg: 'none' }, 'idTokenSignedResponseAlg enum'],
    [{ idTokenSignedResponseAlg: 'RS256' }, 'idTokenSignedResponseAlg enum'],
    [{ applicationType: 'desktop' }, 'applicationType enum'],
    [{ logoUri: 'http://portal.example.com/logo.png' }, 'logoUri https'],
    [{ name: '' }, 'name text'],
  ]
  for (const [more, fault] of cases) {
    const reply = await ask(`/${id}/clients`, { body: clientBody(more) })
    t.is(reply.status, 400, fault)
    t.deepEqual(faults(reply.json<Problem>()), [fault], JSON.stringify(more))
  }
  for (const uri of [
    'http://localhost:3000/back',
    'http://127.0.0.1/back',
    'com.example.app:/back',
    'https://a.example.com/',
  ])
    t.is((await ask(`/${id}/clients`, { body: clientBody(redirect(uri, native)) })).status, 201, uri)
})

test('new keys are published at once and sign later; the former ones stay for a day (RFC 7517)', async (t) => {
  const { id } = await createVerifier(world)
  const rotate = () => ask(`/${id}/rotate-keys`, { method: 'POST' })
  t.is((await rotate()).status, 409)
  const age = (interval: string) => shift(id, interval)
  const before = await kidsOf(id)
  await age('10 minutes')
  t.is((await rotate()).status, 200)
  const published = await kidsOf(id)
  t.deepEqual(
    published.map(({ alg }) => alg),
    ['ES256', 'ES256', 'EdDSA', 'EdDSA'],
  )
  t.is(published[0]?.kid, before[0]?.kid, 'the former one signs')
  await age('10 minutes')
  const settled = await kidsOf(id)
  t.not(settled[0]?.kid, before[0]?.kid, 'the new one signs')
  t.is(settled.length, 4)
  await age('2 days')
  const [first, second] = [await kidsOf(id), await kidsOf(id)]
  t.is(first.length, 2)
  t.deepEqual(first, second)
})

test.serial('a tenant has so many verifiers, and a verifier so many clients, and no more', async (t) => {
  const tenant = await world.addTenant()
  const token = await world.tokenOf(tenant)
  const verifier = await createVerifier(world, {}, token)
  const { tenantId } = tenant
  await fill(
    `insert into oidc_verifiers (id, tenant_id, verifier_did, presentation_template_id, include_presentation, claim_mappings)
    select gen_random_uuid(), tenant_id, verifier_did, presentation_template_id, false, '[]' from oidc_verifiers,
    generate_series(2, ${MAX_VERIFIERS}) where id = '${verifier.id}'`,
    tenantId,
  )
  const more = await world.ask(VERIFIERS, { token, body: await verifierBody(world, {}, token) })
  t.deepEqual([more.status, more.json<Problem>().type], [409, '/problems#oidc_verifier.too_many'])
  const client = await createVerifierClient(world, verifier.id, {}, token)
  await fill(
    `insert into oidc_clients (id, tenant_id, verifier_id, name, application_type, redirect_uris, grant_types,
    response_types, token_endpoint_auth_method, id_token_signed_response_alg)
    select gen_random_uuid(), tenant_id, verifier_id, name, application_type, redirect_uris, grant_types, response_types,
    'none', 'ES256' from oidc_clients, generate_series(2, ${MAX_CLIENTS}) where id = '${client.id}'`,
    tenantId,
  )
  const further = await world.ask(`${VERIFIERS}/${verifier.id}/clients`, { token, body: clientBody() })
  t.deepEqual([further.status, further.json<Problem>().type], [409, '/problems#oidc_client.too_many'])
  const [another] = await rowsOf('select id from oidc_verifiers where tenant_id = $1 and id <> $2', [
    tenantId,
    verifier.id,
  ])
  t.regex((await createVerifierClient(world, String(another?.id), {}, token)).id, /^[\da-f-]{36}$/, 'of each verifier')
})

/** Runs a statement as the application does for a tenant. */
async function fill(text: string, tenantId = world.first.tenantId): Promise<void> {
  await inTenant(world.dependencies.database.tenants, tenantId, (em) => em.execute(text))
}

/** Makes the keys of a verifier older. */
const shift = (id: string, interval: string) =>
  fill(`update oidc_keys set created_at = created_at - interval '${interval}' where verifier_id = '${id}'`)
