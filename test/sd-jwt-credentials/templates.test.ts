import { createHash } from 'node:crypto'
import test from 'ava'
import { SD_JWT_TEMPLATE_EXAMPLE } from '../../api/sd-jwt-credentials/examples.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { refusal } from '../support/credentials/templates.ts'
import { createSdJwtTemplate, SD_JWT, verifySdJwt } from '../support/sd-jwt/credentials.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
  await createDid(world, 'P-256', world.token, true)
})
test.after.always(() => world?.close())

const CONFIGURATIONS = `${SD_JWT}/configurations`

const sign = (id: string, body: object) => world.ask(`${CONFIGURATIONS}/${id}/sign`, { token: world.token, body })

const integrityOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`

test('a template signs claims, and its type has its metadata at its own address, byte for byte', async (t) => {
  const { id, vct, hosted } = await createSdJwtTemplate(world)
  t.true(hosted)
  const published = await world.ask(new URL(vct).pathname)
  t.is(published.status, 200)
  t.is(published.headers.get('content-type'), 'application/json')
  t.is(published.headers.get('access-control-allow-origin'), '*')
  const metadata = published.json<{ vct: string; claims: { path: string[]; sd: string; mandatory?: true }[] }>()
  t.is(metadata.vct, vct)
  t.deepEqual(
    metadata.claims.map(({ path, sd }) => [path.join('.'), sd]),
    [
      ['given_name', 'always'],
      ['address.locality', 'always'],
      ['issuing_country', 'never'],
    ],
  )
  const again = await world.ask(new URL(vct).pathname, {
    headers: { 'if-none-match': String(published.headers.get('etag')) },
  })
  t.is(again.status, 304)
  const reply = await sign(id, { claims: { given_name: 'Ada', city: 'London' } })
  t.is(reply.status, 200, reply.text)
  const { encoded, decoded, template_id, template_version } = reply.json<{
    encoded: string
    decoded: Record<string, unknown>
    template_id: string
    template_version: number
  }>()
  t.is(template_id, id)
  t.is(template_version, 1)
  t.like(decoded, {
    vct,
    'vct#integrity': integrityOf(published.text),
    given_name: 'Ada',
    address: { locality: 'London' },
    issuing_country: 'NL',
  })
  t.true('status' in decoded)
  const verdict = await verifySdJwt(world, encoded)
  t.true(verdict.verified, JSON.stringify(verdict.reason))
  t.is(verdict.checks.find(({ name }) => name === 'TypeMetadata')?.result, 'passed')
})

test('the metadata of issued credentials stays at its address through every change of the template', async (t) => {
  const { id, vct } = await createSdJwtTemplate(world)
  const first = await world.ask(new URL(vct).pathname)
  const put = async (more: object) => {
    const body = { ...SD_JWT_TEMPLATE_EXAMPLE, ...more }
    const reply = await world.ask(`${CONFIGURATIONS}/${id}`, { method: 'PUT', token: world.token, body })
    t.is(reply.status, 200, reply.text)
    return reply.json<{ version: number; vct: string }>()
  }
  t.like(await put({}), { version: 1, vct })
  t.like(await put({ expiration: { days: 1 } }), { version: 2, vct })
  const other = await put({ name: 'Another name', display: [{ locale: 'en', name: 'Another name' }] })
  t.is(other.version, 3)
  t.not(other.vct, vct)
  t.is((await world.ask(new URL(vct).pathname)).text, first.text)
  t.not((await world.ask(new URL(other.vct).pathname)).text, first.text)
  const removed = await world.ask(`${CONFIGURATIONS}/${id}`, { method: 'DELETE', token: world.token })
  t.is(removed.status, 204)
  t.is((await world.ask(`${CONFIGURATIONS}/${id}`, { token: world.token })).status, 404)
  t.is((await world.ask(new URL(vct).pathname)).text, first.text)
  t.is((await world.ask(new URL(`${vct.slice(0, -1)}2`).pathname)).status, 404)
})

test("a type of the tenant's own is signed as it is, and nothing is hosted", async (t) => {
  const vct = 'urn:eudi:pid:de:1'
  const { id, hosted } = await createSdJwtTemplate(world, { vct })
  t.false(hosted)
  const { decoded } = (await sign(id, { claims: { given_name: 'Ada' } })).json<{ decoded: Record<string, unknown> }>()
  t.is(decoded.vct, vct)
  t.false('vct#integrity' in decoded)
  const listed = await world.ask(`${CONFIGURATIONS}?type=${vct}`, { token: world.token })
  t.deepEqual(
    listed.json<{ data: { id: string }[] }>().data.map((each) => each.id),
    [id],
  )
})

test('claims that are missing, or that the template would lose, are refused by name', async (t) => {
  const { id } = await createSdJwtTemplate(world)
  const missing = await sign(id, { claims: { city: 'London' } })
  t.is(refusal(missing, 400), 'credential_template.claims_missing')
  const unmapped = await sign(id, { claims: { given_name: 'Ada', given_nme: 'Ada' } })
  t.is(refusal(unmapped, 400), 'credential_template.claims_unmapped')
})

test('a value that the paths of its template do not fit is refused: the holder could hide no part of it', async (t) => {
  const { id } = await createSdJwtTemplate(world, {
    claims: [
      { path: ['nationalities'], map_from: 'claims.countries', disclosure: 'always' },
      { path: ['nationalities', null] },
      { path: ['person'], map_from: 'claims.person' },
      { path: ['person', 'name'] },
    ],
  })
  for (const [claims, path, expected] of [
    [{ countries: 'GB' }, 'claims.countries', 'expected a list at nationalities'],
    [{ person: ['Ada'] }, 'claims.person', 'expected an object at person'],
  ] as const) {
    const reply = await sign(id, { claims })
    t.is(refusal(reply, 400), 'credential.invalid')
    const [error] = reply.json<{ errors: { path: string; code: string; message: string }[] }>().errors
    t.like(error, { path, code: 'credential_template.claim_shape' })
    t.true(error?.message.startsWith(expected))
  }
  for (const claims of [{ countries: ['GB', 'IT'] }, { countries: [] }, { person: { name: 'Ada' } }, {}])
    t.is((await sign(id, { claims })).status, 200)
})

test('a template that breaks a rule is refused with its place', async (t) => {
  const [claim] = SD_JWT_TEMPLATE_EXAMPLE.claims
  const claims = (...more: object[]) => ({ claims: [claim, ...more] })
  const cases: [more: object, path: string][] = [
    [{ claims: [] }, 'claims'],
    [claims({ path: ['iss'], map_from: 'claims.iss' }), 'claims.1.path'],
    [claims({ path: ['a', '_sd'], map_from: 'claims.a' }), 'claims.1.path'],
    [claims({ path: ['__proto__'], map_from: 'claims.a' }), 'claims.1.path.0'],
    [claims({ path: [null], map_from: 'claims.a' }), 'claims.1.path'],
    [claims({ path: ['a', null], map_from: 'claims.a' }), 'claims.1.path'],
    [claims({ path: ['given_name'], map_from: 'claims.a' }), 'claims.1.path'],
    [claims({ path: ['given_name', 'b'], map_from: 'claims.a' }), 'claims.1.path'],
    [claims({ path: ['a'], map_from: 'claims..a' }), 'claims.1.map_from'],
    [claims({ path: ['a'], map_from: 'claims.a', disclosure: 'never' }), 'claims.1.disclosure'],
    [claims({ path: ['a'], map_from: 'claims.a', other: 1 }), 'claims.1.other'],
    [claims({ path: ['a'], required: true }), 'claims.1.required'],
    [{ display: [{ locale: 'en', name: 'x', background_color: 'red' }] }, 'display.0.background_color'],
    [{ display: [{ locale: 'en', name: 'x', logo_url: 'javascript:alert(1)' }] }, 'display.0.logo_url'],
    [{ display: [{ locale: 'en', name: 'x', logo_url: 'HTTPS://example.com/logo.png' }] }, 'display.0.logo_url'],
    [{ display: [{ locale: 'en', name: 'x', logo_url: ' https://example.com/logo.png' }] }, 'display.0.logo_url'],
    [{ vct: 'a b' }, 'vct'],
    [{ vct_integrity: 'md5-x' }, 'vct_integrity'],
    [{ extends_integrity: integrityOf('x') }, 'extends_integrity'],
    [{ expiration: { days: 0 } }, 'expiration'],
    [{ issued_as: 'x5c', issuer_did: 'did:example:a' }, 'issuer_did'],
  ]
  for (const [more, path] of cases) {
    const body = { ...SD_JWT_TEMPLATE_EXAMPLE, ...more }
    const reply = await world.ask(CONFIGURATIONS, { token: world.token, body })
    t.is(reply.status, 400, `${JSON.stringify(more)} ${reply.text}`)
    const { errors } = reply.json<{ errors: { path: string }[] }>()
    t.true(
      errors.some((each) => each.path === path),
      `${path}: ${reply.text}`,
    )
  }
})

test('a template whose hosted metadata verifiers would not read is refused, made or changed', async (t) => {
  const described = (many: number) =>
    Array.from({ length: many }, (_, nth) => ({
      ...{ path: [`claim_${nth}`], map_from: `claims.claim_${nth}`, disclosure: 'selectively' },
      display: [{ locale: 'en', label: 'Claim', description: 'x'.repeat(4_096) }],
    }))
  const shown = Array.from({ length: 50 }, (_, nth) => ({
    ...{ locale: `en-${nth}x`, name: 'x'.repeat(255), description: 'é'.repeat(4_096) },
  }))
  const { id } = await createSdJwtTemplate(world)
  for (const [more, path] of [
    [{ claims: described(65) }, 'claims'],
    [{ display: shown }, 'display'],
  ] as const) {
    const body = { ...SD_JWT_TEMPLATE_EXAMPLE, ...more }
    for (const reply of [
      await world.ask(CONFIGURATIONS, { token: world.token, body }),
      await world.ask(`${CONFIGURATIONS}/${id}`, { method: 'PUT', token: world.token, body }),
    ]) {
      t.is(refusal(reply, 400), 'credential_template.invalid')
      t.like(reply.json<{ errors: object[] }>().errors[0], { path, code: 'credential_template.hosted_type' })
    }
  }
  const { id: large } = await createSdJwtTemplate(world, { claims: described(60) })
  const { encoded } = (await sign(large, { claims: { claim_0: 'a' } })).json<{ encoded: string }>()
  t.true((await verifySdJwt(world, encoded)).verified)
})
