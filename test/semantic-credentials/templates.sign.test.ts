import { randomUUID } from 'node:crypto'
import test from 'ava'
import { inTenant } from '../../entities/orm.ts'
import { createDid, type Signed, verify } from '../support/credentials/credentials.ts'
import { chooseIssuer } from '../support/credentials/dids.ts'
import { course, createTemplate, refusal, TEMPLATES } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  did = await createDid(world)
})
test.after.always(() => world?.close())

interface FromTemplate extends Signed {
  template_id: string
  template_version: number
}

const CLAIMS = { id: 'did:example:holder', course: 'CS-101' }
const ask = (id: string, body: unknown, headers?: Record<string, string>) =>
  world.ask(`${TEMPLATES}/${id}/sign`, { token: world.token, body, headers })
const details = async (id: string) =>
  (await world.ask(`/v1/credentials/web-semantic/${id}`, { token: world.token })).json()

async function sign(id: string, body: Record<string, unknown> = {}): Promise<FromTemplate> {
  const reply = await ask(id, { claims: CLAIMS, issuer_did: did, ...body })
  if (reply.status !== 200) throw new Error(`not signed: ${reply.text}`)
  return reply.json<FromTemplate>()
}

for (const [proofType, keyType] of [
  ['Ed25519Signature2018', 'ed25519'],
  ['eddsa-rdfc-2022', 'ed25519'],
  ['ecdsa-rdfc-2019', 'p256'],
  ['BbsSignature2022', 'bls12381g2'],
] as const)
  for (const base of ['https://www.w3.org/2018/credentials/v1', 'https://www.w3.org/ns/credentials/v2'])
    test(`signed from a template and verified: ${proofType} under ${base}`, async (t) => {
      const issuer_did = await createDid(world, keyType)
      const { id } = await createTemplate(world, {
        contexts: [base, { '@vocab': 'https://example.edu/terms#' }],
        proof_type: proofType,
        revocable: true,
        description: 'Of a school',
        credential_branding: { backgroundColor: '#B00AA0', watermarkImageUrl: 'https://example.edu/w.png' },
        issuer: {
          name: 'Example University',
          icon_url: 'https://example.edu/i.png',
          logo_url: 'https://example.edu/l.png',
        },
        additional_types: ['AlumniCredential'],
        expires_in: { years: 1 },
      })
      const { credential, ...rest } = await sign(id, { issuer_did, tag: 'spring' })
      t.like(rest, { tag: 'spring', template_id: id, template_version: 1 })
      t.like(credential, {
        type: ['VerifiableCredential', 'CourseCredential', 'AlumniCredential'],
        name: 'Course certificate',
        description: 'Of a school',
        credentialBranding: { backgroundColor: '#B00AA0', watermarkImageUrl: 'https://example.edu/w.png' },
        issuer: {
          id: issuer_did,
          name: 'Example University',
          iconUrl: 'https://example.edu/i.png',
          logoUrl: 'https://example.edu/l.png',
        },
        credentialSubject: CLAIMS,
      })
      t.deepEqual(await verify(world, credential), { verified: true, reason: [] })
      const path = `/v1/credentials/web-semantic/${rest.id}/revocation-status`
      await world.ask(path, { token: world.token, body: { is_revoked: true } })
      t.deepEqual(
        (await verify(world, credential)).reason.map(({ type }) => type),
        ['Revoked'],
      )
    })

test('the expiration stands where the calendar has it, counted from the issuance', async (t) => {
  const { id } = await createTemplate(world, { expires_in: { months: 1, hours: 2 } })
  const { validFrom, validUntil } = (await sign(id)).credential as Record<string, string>
  const expected = new Date(String(validFrom))
  const day = expected.getUTCDate()
  expected.setUTCMonth(expected.getUTCMonth() + 1)
  if (expected.getUTCDate() !== day) expected.setUTCDate(0) // the month was shorter: its last day
  expected.setUTCHours(expected.getUTCHours() + 2)
  t.is(validUntil, expected.toISOString().replace('.000Z', 'Z'))
})

test('mappings choose the claims, defaults fill in, what is not mapped stays out if the template says so', async (t) => {
  const { id } = await createTemplate(world, {
    ignore_unmapped: true,
    claim_mappings: {
      givenName: 'claims.given_name',
      city: { map_from: 'claims.address.locality' },
      level: { map_from: 'claims.level', default_value: 1 },
      site: { default_value: 'north' },
      absent: 'claims.absent',
      student: { given_name: 'claims.given_name', family_name: 'family_name', address: 'claims.address.street' },
      certificate: 'credential_configuration.name',
    },
  })
  const claims = {
    id: 'did:example:h',
    given_name: 'Ann',
    address: { locality: 'Rome' },
    family_name: 'Lee',
    secret: 1,
  }
  const { credential } = await sign(id, { claims })
  t.deepEqual(credential.credentialSubject, {
    id: 'did:example:h',
    givenName: 'Ann',
    city: 'Rome',
    level: 1,
    site: 'north',
    student: { given_name: 'Ann', family_name: 'Lee' },
    certificate: 'Course certificate',
  })
  t.true((await verify(world, credential)).verified)
})

test('a required claim that is missing is a 400 that names its path', async (t) => {
  const { id } = await createTemplate(world, {
    claim_mappings: { givenName: { map_from: 'claims.given_name', required: true } },
  })
  for (const claims of [{ id: 'did:example:a' }, ...[null, '', ' \n', {}, []].map((given_name) => ({ given_name }))]) {
    const reply = await ask(id, { claims, issuer_did: did })
    t.is(refusal(reply, 400), 'credential_template.claims_missing')
    t.like(reply.json<{ errors: object[] }>().errors[0], {
      path: 'claims.given_name',
      code: 'credential_template.claim_required',
    })
  }
})

test('editing a template changes nothing that was issued; each credential tells its version', async (t) => {
  const { id } = await createTemplate(world, { claim_mappings: { course: 'claims.course' }, expires_in: { days: 1 } })
  const first = await sign(id)
  const before = await details(first.id)
  const body = course({ name: 'Second', claim_mappings: null, claim_source_id: randomUUID(), expires_in: { weeks: 1 } })
  await world.ask(`${TEMPLATES}/${id}`, { method: 'PUT', token: world.token, body })
  const second = await sign(id)
  t.deepEqual(await details(first.id), before)
  t.like(before, {
    template_id: id,
    template_version: 1,
    name: 'Course certificate',
    claim_mappings: { course: 'claims.course' },
    expires_in: { days: 1 },
  })
  const after = await details(second.id)
  const { claim_source_id } = body as Record<string, unknown>
  t.like(after, { template_id: id, template_version: 2, name: 'Second', claim_source_id, expires_in: { weeks: 1 } })
  t.false('claim_mappings' in after)
  t.true((await verify(world, first.credential)).verified)
})

test('details carry context, persist and a map of names to strings (specification, Credential template)', async (t) => {
  const { id } = await createTemplate(world, {
    claim_mappings: {
      course: { map_from: 'claims.course', default_value: 'none' },
      site: { default_value: 'north' },
      student: { given_name: 'claims.given_name', authentication_provider: { url: 'authenticationProvider.url' } },
    },
    issuer: { name: 'Example University', icon_url: 'https://example.edu/i.png' },
    credential_branding: { backgroundColor: 'red' },
  })
  const { id: credentialId, credential } = await sign(id)
  t.like(await details(credentialId), {
    id: credentialId,
    type: 'CourseCredential',
    additional_types: [],
    persist: true,
    context: credential['@context'],
    claim_mappings: {
      course: 'claims.course',
      'student.given_name': 'claims.given_name',
      'student.authentication_provider.url': 'authenticationProvider.url',
    },
    issuer: { id: did, name: 'Example University', icon_url: 'https://example.edu/i.png' },
    credential_branding: { backgroundColor: 'red' },
    proof_type: 'Ed25519Signature2018',
    revocable: false,
  })
})

test('without an issuer DID the only one with a fitting key signs, and its key chooses the proof (D-062, D-246)', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const { id } = await createTemplate(world, {}, token)
  const bbs = await createTemplate(world, { proof_type: 'bbs-2023' }, token)
  const signed = async (template: string) =>
    world.ask(`${TEMPLATES}/${template}/sign`, { token, body: { claims: CLAIMS } })
  t.is(refusal(await signed(id), 400), 'credential_template.no_issuer')
  const only = await createDid(world, 'bls12381g2', token)
  const proofOf = async (template: string) => {
    const { credential } = (await signed(template)).json<{ credential: { issuer: { id: string }; proof: object } }>()
    return { issuer: credential.issuer.id, proof: credential.proof }
  }
  t.like(await proofOf(id), { issuer: only, proof: { cryptosuite: 'bbs-2023' } })
  const second = await createDid(world, 'p256', token)
  t.like(await proofOf(bbs.id), { issuer: only, proof: { cryptosuite: 'bbs-2023' } }, 'no other DID fits this template')
  t.is(refusal(await signed(id), 409), 'credential.issuer_not_chosen')
  await chooseIssuer(world, second, token)
  t.like(await proofOf(id), { issuer: second, proof: { cryptosuite: 'ecdsa-rdfc-2019' } })
})

test('the issuer must be the tenant’s own and hold a fitting key; errors say issuer_did', async (t) => {
  const { id } = await createTemplate(world, { proof_type: 'bbs-2023' })
  const theirs = await createDid(world, 'bls12381g2', await world.tokenOf(await world.addTenant()))
  for (const [issuer_did, code] of [
    [did, 'credential.issuer_key_unfit'],
    [theirs, 'credential.issuer_unknown'],
    ['did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK', 'credential.issuer_unknown'],
    ['', 'credential.issuer_unknown'],
  ] as const) {
    const reply = await ask(id, { claims: CLAIMS, issuer_did })
    t.is(refusal(reply, 400), code)
    t.is(reply.json<{ errors: { path: string }[] }>().errors[0]?.path, 'issuer_did')
  }
})

test('what cannot be signed says where: undefined terms, no claims, nulls', async (t) => {
  const plain = ['https://www.w3.org/ns/credentials/v2']
  for (const [contexts, claims, code] of [
    [plain, { id: 'did:example:a', shoeSize: 41 }, 'credential.term_undefined'],
    [undefined, {}, 'credential.invalid'],
    [undefined, { course: null }, 'credential.invalid'],
    [undefined, { id: 'no uri' }, 'credential.invalid'],
  ] as const) {
    const type = 'https://example.edu/terms#Course'
    const { id } = await createTemplate(world, { ...(contexts === undefined ? {} : { contexts, type }) })
    const reply = await ask(id, { claims, issuer_did: did })
    t.is(refusal(reply, 400), code, JSON.stringify([contexts, claims]))
  }
})

test('the same Idempotency-Key signs once, and a retry after a crash finds what was committed', async (t) => {
  const { id } = await createTemplate(world)
  const headers = { 'idempotency-key': randomUUID() }
  const first = await ask(id, { claims: CLAIMS, issuer_did: did }, headers)
  const second = await ask(id, { claims: CLAIMS, issuer_did: did }, headers)
  t.is(first.status, 200)
  t.is(second.text, first.text)
  const crashed = `update idempotency_keys set answer = null, locked_until = null where key = ?`
  await inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
    em.execute(crashed, [`${world.first.clientId} ${headers['idempotency-key']}`]),
  )
  await world.ask(`${TEMPLATES}/${id}`, { method: 'PUT', token: world.token, body: course({ name: 'Later' }) })
  t.deepEqual((await ask(id, { claims: CLAIMS, issuer_did: did }, headers)).json(), first.json())
  const { rows } = await world.dependencies.systemSql.query<{ count: number }>({
    text: 'select count(*)::int as count from credentials where template_id = $1',
    values: [id],
  })
  t.deepEqual(rows, [{ count: 1 }])
})

test('a credential row holds a template and its version, or neither, and none of another tenant', async (t) => {
  const { tenantId } = await world.addTenant()
  const { id } = await createTemplate(world)
  const signed = await sign(id)
  const set = (values: string, where: string) =>
    world.dependencies.systemSql.query({ text: `update credentials set ${values} where ${where}`, values: [] })
  const own = `id = '${signed.id}'`
  t.like(await t.throwsAsync(set('template_version = null', own)), { code: '23514' })
  t.like(await t.throwsAsync(set('template_version = 2', own)), { code: '23503' })
  t.like(await t.throwsAsync(set(`tenant_id = '${tenantId}'`, own)), { code: '23503' })
})

test('the log entry of a signature names the template and its version, and no claim', async (t) => {
  const { id } = await createTemplate(world)
  const signed = await sign(id)
  const { rows } = await world.dependencies.systemSql.query<{ type: string; metadata: Record<string, unknown> }>({
    text: `select type, metadata from logs where metadata->>'id' = $1`,
    values: [signed.id],
  })
  t.is(rows.length, 1)
  t.like(rows[0], { type: 'CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS', metadata: { templateId: id, templateVersion: 1 } })
  t.false(JSON.stringify(rows).includes('CS-101'))
})
