import test from 'ava'
import fc from 'fast-check'
import { course, refusal, TEMPLATES, type Template } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const create = (body: unknown) => world.ask(TEMPLATES, { token: world.token, body })

const ISSUER = { name: 'University' }
const map = (mapping: unknown) => ({ claim_mappings: { claim: mapping } })
const manyClaims = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`c${index}`, 'claims.a']))

/** A member at fault, and the path that the answer names. Its code is that of the schema or of the template's own rules. */
const HOSTILE: [more: Record<string, unknown>, path: string][] = [
  [{ name: '' }, 'name'],
  [{ name: ' ' }, 'name'],
  [{ name: 'n'.repeat(256) }, 'name'],
  [{ name: 7 }, 'name'],
  [{ name: null }, 'name'],
  [{ description: 'd'.repeat(4097) }, 'description'],
  [{ description: {} }, 'description'],
  [{ type: '' }, 'type'],
  [{ type: 'Two words' }, 'type'],
  [{ type: 'No\u00a0break' }, 'type'],
  [{ type: 'Zero\u200bwidth' }, 'type'],
  [{ type: '@id' }, 'type'],
  [{ type: 't'.repeat(256) }, 'type'],
  [{ additional_types: 'AlumniCredential' }, 'additional_types'],
  [{ additional_types: [7] }, 'additional_types.0'],
  [{ additional_types: ['One', ''] }, 'additional_types.1'],
  [{ additional_types: ['CourseCredential'] }, 'additional_types.0'],
  [{ additional_types: ['One', 'One'] }, 'additional_types.1'],
  [{ additional_types: Array.from({ length: 32 }, (_, index) => `T${index}`) }, 'additional_types'],
  [{ issuer: null }, 'issuer'],
  [{ issuer: {} }, 'issuer.name'],
  [{ issuer: { name: '' } }, 'issuer.name'],
  [{ issuer: { ...ISSUER, icon_url: 'icon.png' } }, 'issuer.icon_url'],
  [{ issuer: { ...ISSUER, logo_url: 'no url' } }, 'issuer.logo_url'],
  [{ issuer: { ...ISSUER, iconUrl: 'https://example.edu/i.png' } }, 'issuer.iconUrl'],
  [{ credential_branding: { backgroundColor: 'c'.repeat(101) } }, 'credential_branding.backgroundColor'],
  [{ credential_branding: { watermarkImageUrl: 'w' } }, 'credential_branding.watermarkImageUrl'],
  [{ credential_branding: { background_color: 'red' } }, 'credential_branding.background_color'],
  [{ credential_branding: 'red' }, 'credential_branding'],
  [{ expires_in: {} }, 'expires_in'],
  [{ expires_in: { days: 0, years: 0 } }, 'expires_in'],
  [{ expires_in: { days: -1 } }, 'expires_in.days'],
  [{ expires_in: { months: 1.5 } }, 'expires_in.months'],
  [{ expires_in: { weeks: '1' } }, 'expires_in.weeks'],
  [{ expires_in: { seconds: null } }, 'expires_in.seconds'],
  [{ expires_in: { years: 8000 } }, 'expires_in'],
  [{ expires_in: { hours: 9_007_199_254_740_991 } }, 'expires_in'],
  [{ expires_in: { decades: 1 } }, 'expires_in.decades'],
  [{ expires_in: 'P1Y' }, 'expires_in'],
  [{ proof_type: 'RsaSignature2018' }, 'proof_type'],
  [{ proof_type: '' }, 'proof_type'],
  [{ revocable: 'true' }, 'revocable'],
  [{ claim_source_id: 'not-an-id' }, 'claim_source_id'],
  [{ claim_source_id: '../x' }, 'claim_source_id'],
  [{ claim_mappings: [] }, 'claim_mappings'],
  [{ claim_mappings: manyClaims }, 'claim_mappings'],
  [{ claim_mappings: { '@type': 'claims.a' } }, 'claim_mappings.@type'],
  [{ claim_mappings: { '': 'claims.a' } }, 'claim_mappings[""]'],
  [{ claim_mappings: { constructor: 'claims.a' } }, 'claim_mappings.constructor'],
  [map(''), 'claim_mappings.claim'],
  [map('claims..a'), 'claim_mappings.claim'],
  [map('claims.'), 'claim_mappings.claim'],
  [map('a'.repeat(513)), 'claim_mappings.claim'],
  [map(7), 'claim_mappings.claim'],
  [map(null), 'claim_mappings.claim'],
  [map({}), 'claim_mappings.claim'],
  [{ claim_mappings: { valueOf: false } }, 'claim_mappings.valueOf'],
  [{ claim_mappings: { valueOf: { map_from: 7 } } }, 'claim_mappings.valueOf.map_from'],
  [{ claim_mappings: { valueOf: { map_from: 'claims.a', required: 1 } } }, 'claim_mappings.valueOf.required'],
  [map({ required: true }), 'claim_mappings.claim'],
  [map({ default_value: null }), 'claim_mappings.claim'],
  [map({ map_from: '' }), 'claim_mappings.claim.map_from'],
  [map({ map_from: 7 }), 'claim_mappings.claim.map_from'],
  [map({ map_from: 'claims.a', given_name: 'claims.b' }), 'claim_mappings.claim.given_name'],
  [map({ given_name: '' }), 'claim_mappings.claim.given_name'],
  [map({ email: 'claims.email' }), 'claim_mappings.claim.email'],
  [map({ authentication_provider: {} }), 'claim_mappings.claim.authentication_provider'],
  [map({ authentication_provider: { url: '' } }), 'claim_mappings.claim.authentication_provider.url'],
  [map({ authentication_provider: 'x' }), 'claim_mappings.claim.authentication_provider'],
  [{ id: 'x' }, 'id'],
  [{ version: 2 }, 'version'],
  [{ tenant_id: 'x' }, 'tenant_id'],
  [{ contexts: JSON.parse(`${'['.repeat(62)}${']'.repeat(62)}`) as unknown, issuer: 7 }, 'issuer'],
]

test('every member at fault is a 400 that names its path', async (t) => {
  for (const [more, path] of HOSTILE) {
    const what = JSON.stringify(more).slice(0, 100)
    const reply = await create(course(more))
    t.regex(refusal(reply, 400), /^(request|credential_template)\.invalid$/, what)
    const { errors } = reply.json<{ errors: { path: string; code: string; message: string }[] }>()
    t.is(errors[0]?.path, path, what)
    t.regex(errors[0]?.code ?? '', /^(schema|credential_template\.[a-z_]+|credential\.[a-z_]+)$/)
    t.true((errors[0]?.message.length ?? 0) > 3)
  }
})

for (const missing of ['additional_types', 'issuer', 'name', 'revocable', 'type'])
  test(`${missing} is required (specification, Credential template)`, async (t) => {
    const { [missing]: _, ...rest } = course() as Record<string, unknown>
    const reply = await create(rest)
    t.is(refusal(reply, 400), 'request.invalid')
    t.is(reply.json<{ errors: { path: string }[] }>().errors[0]?.path, missing)
  })

test('an object that cannot be read as text is refused before anything reads it so (D-007)', async (t) => {
  for (const member of ['claim_mappings', 'description', 'issuer', 'contexts', 'name']) {
    const reply = await create(course({ [member]: { toString: false } }))
    t.is(refusal(reply, 400), 'request.duplicate_member', member)
  }
})

test('an update is checked as a create is, and changes nothing when refused', async (t) => {
  const { id } = (await create(course())).json<Template>()
  const put = (body: unknown) => world.ask(`${TEMPLATES}/${id}`, { method: 'PUT', token: world.token, body })
  for (const [more, path] of HOSTILE.filter(([more]) => !('id' in more || 'version' in more)).slice(0, 20)) {
    const reply = await put(course(more))
    t.is(reply.status, 400, path)
  }
  t.is(refusal(await put(course({ version: '1' })), 400), 'request.invalid')
  t.is((await world.ask(`${TEMPLATES}/${id}`, { token: world.token })).json<Template>().version, 1)
})

test('ids that are none, methods that are none, tokens without the scope', async (t) => {
  for (const [id, code] of [
    ['x', 'request.invalid'],
    ['%2e%2e%2fsign', 'request.invalid'],
    ['%ff', 'request.malformed'],
    ['A'.repeat(3000), 'request.invalid'],
    ['00000000-0000-0000-0000-00000000000G', 'request.invalid'],
    ['%00', 'request.unusable_text'],
  ] as const) {
    const reply = await world.ask(`${TEMPLATES}/${id}`, { token: world.token })
    t.is(refusal(reply, 400), code, id.slice(0, 20))
    t.is(reply.headers.get('content-type'), 'application/problem+json')
  }
  const patched = await world.ask(TEMPLATES, { method: 'PATCH', token: world.token, body: {} })
  t.is(refusal(patched, 405), 'request.method_not_allowed')
  t.is(refusal(await world.ask(TEMPLATES), 401), 'token.missing')
  const reader = await world.tokenOf(world.first, 'semantic-credentials:read')
  const { id } = (await create(course())).json<Template>()
  t.is((await world.ask(`${TEMPLATES}/${id}`, { token: reader })).status, 200)
  for (const [method, path] of [
    ['POST', ''],
    ['PUT', `/${id}`],
    ['DELETE', `/${id}`],
    ['POST', `/${id}/sign`],
  ] as const) {
    const body = path.endsWith('sign') ? { claims: {} } : course()
    const sent = method === 'DELETE' ? {} : { body }
    const reply = await world.ask(`${TEMPLATES}${path}`, { method, token: reader, ...sent })
    t.is(refusal(reply, 403), 'token.insufficient_scope', `${method} ${path}`)
  }
})

test('whatever stands in any member, the answer is 200 or 400, and what was kept comes back the same', async (t) => {
  const members = Object.keys({ ...course(), claim_mappings: 0, expires_in: 0, credential_branding: 0, proof_type: 0 })
  const value = fc.jsonValue({ maxDepth: 3, noUnicodeString: false, stringUnit: 'grapheme' })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...members), value, async (member, given) => {
      const reply = await create({ ...course(), [member]: given })
      if (reply.status === 200) {
        const kept = reply.json<Record<string, unknown>>()[member]
        // a double has two zeros, JSON text has one
        return JSON.stringify(kept) === JSON.stringify(given)
      }
      return reply.status === 400 && reply.headers.get('content-type') === 'application/problem+json'
    }),
    { numRuns: 300, seed: 4 },
  )
  t.pass()
})
