import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import test from 'ava'
import { createCredentialReader } from '../../activities/credentials/read.ts'
import { createDid, sign as signSemantic } from '../support/credentials/credentials.ts'
import { createIaca, createSigner, IACAS, SIGNERS } from '../support/credentials/mobile.ts'
import { SD_JWT, signSdJwt, verifySdJwt } from '../support/sd-jwt/credentials.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'P-256', world.token, true)
  await createIaca(world)
  await createSigner(world)
})
test.after.always(() => world?.close())

const VCT = 'https://credentials.example/identity'
const payload = {
  vct: VCT,
  given_name: 'Ada',
  address: { locality: 'London', country: 'GB' },
  nationalities: ['GB', 'IT'],
}

const partOf = (jwt: string, at: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split('~')[0]?.split('.')[at] ?? '', 'base64url').toString())

const failed = ({ reason }: { reason: { type: string; code: string }[] }) =>
  reason.map(({ type, code }) => `${type} ${code}`)

for (const [keyType, alg] of [
  ['P-256', 'ES256'],
  ['P-384', 'ES384'],
  ['ed25519', 'EdDSA'],
] as const)
  test(`a ${keyType} DID signs an SD-JWT VC, and it verifies (draft-ietf-oauth-sd-jwt-vc)`, async (t) => {
    const did = await createDid(world, keyType)
    const { id, encoded, decoded } = await signSdJwt(world, { payload, issuer_did: did, decoys: 3, tag: 'identity' })
    t.like(partOf(encoded, 0), { alg, typ: 'dc+sd-jwt', kid: `${did}#${did.slice('did:key:'.length)}` })
    const body = partOf(encoded, 1)
    t.like(body, { iss: did, vct: VCT, _sd_alg: 'sha-256' })
    t.false('given_name' in body)
    t.is((body._sd as string[]).length, 6)
    const { iat, ...claims } = decoded
    t.deepEqual(claims, { iss: did, ...payload })
    const verdict = await verifySdJwt(world, encoded)
    t.like(verdict, { verified: true, issuer: did, claims: decoded, reason: [] })
    t.deepEqual(verdict.selective?.toSorted(), ['/address', '/given_name', '/nationalities'])
    const read = await world.ask(`${SD_JWT}/${id}`, { token: world.token })
    t.like(read.json(), {
      id,
      vct: VCT,
      issuer: did,
      encoded,
      decoded,
      revocable: false,
      is_revoked: false,
      tag: 'identity',
    })
    const listed = await world.ask(`${SD_JWT}?type=${encodeURIComponent(VCT)}&tag=identity`, { token: world.token })
    t.true(listed.json<{ data: { id: string }[] }>().data.some((each) => each.id === id))
  })

test('an id that stands in no credential begins with the time, others are random (D-1035)', async (t) => {
  const before = Date.now()
  const { id, encoded } = await signSdJwt(world, { payload, issuer_did: issuer })
  const [made, version] = [Number.parseInt(id.replace('-', '').slice(0, 12), 16), id.charAt(14)]
  t.is(version, '7')
  t.true(made >= before && made <= Date.now())
  const texts = encoded.split(/[.~]/).map((part) => Buffer.from(part, 'base64url').toString())
  t.false(texts.some((text) => text.includes(id)))
  const { id: semanticId } = await signSemantic(world, issuer, { proofType: 'ecdsa-rdfc-2019' })
  t.is(semanticId.charAt(14), '4')
})

test('nested claims and elements of arrays are disclosed each by itself, and what is left out stays unknown', async (t) => {
  const selectively = [
    ['address', 'locality'],
    ['nationalities', null],
  ]
  const { encoded } = await signSdJwt(world, { payload, selectively })
  const body = partOf(encoded, 1)
  t.is(body.given_name, 'Ada')
  t.like(body.address, { country: 'GB' })
  const [jwt, ...disclosures] = encoded.split('~').slice(0, -1)
  t.is(disclosures.length, 3)
  const shown = disclosures.filter((each) => Buffer.from(each, 'base64url').toString().includes('"IT"'))
  const verdict = await verifySdJwt(world, `${[jwt, ...shown].join('~')}~`)
  t.true(verdict.verified)
  t.like(verdict.claims, { address: { country: 'GB' }, nationalities: ['IT'] })
})

test('a document signer signs with its certificate, and its IACA is trusted', async (t) => {
  const { encoded } = await signSdJwt(world, { payload, issued_as: 'x5c', revocable: true })
  const { x5c, alg } = partOf(encoded, 0)
  t.is(alg, 'ES256')
  t.is((x5c as string[]).length, 1)
  t.false('iss' in partOf(encoded, 1))
  const verdict = await verifySdJwt(world, encoded)
  t.true(verdict.verified, JSON.stringify(verdict))
  t.true((await verifySdJwt(world, encoded, { trusted_issuers: [verdict.issuer] })).verified)
  t.deepEqual(failed(await verifySdJwt(world, encoded, { trusted_issuers: [issuer] })), [
    'IssuerKey sd_jwt.issuer_not_trusted',
  ])
  const foreign = await world.addTenant()
  const elsewhere = await verifySdJwt(world, encoded, {}, await world.tokenOf(foreign))
  t.deepEqual(failed(elsewhere), ['IssuerKey sd_jwt.certificate_untrusted'])
})

test('an IACA that is not active, and a document signer that was revoked, are trusted no more', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const iaca = await createIaca(world, token)
  const signer = await createSigner(world, token)
  const { encoded } = await signSdJwt(world, { payload, issued_as: 'x5c' }, token)
  const look = async () => failed(await verifySdJwt(world, encoded, {}, token))
  const setActive = (active: boolean) => world.ask(`${IACAS}/${iaca}`, { method: 'PUT', token, body: { active } })
  t.deepEqual(await look(), [])
  t.is((await setActive(false)).status, 200)
  t.deepEqual(await look(), ['IssuerKey sd_jwt.certificate_untrusted'])
  t.is((await setActive(true)).status, 200)
  t.deepEqual(await look(), [])
  t.is((await world.ask(`${SIGNERS}/${signer}/revoke`, { method: 'POST', token })).status, 200)
  t.deepEqual(await look(), ['IssuerKey sd_jwt.certificate_revoked'])
})

for (const issued_as of ['did', 'x5c', 'P-384'] as const)
  test(`a revocation of a credential by ${issued_as} is in its Token Status List, and can be undone`, async (t) => {
    const issuer_did = issued_as === 'P-384' ? await createDid(world, issued_as) : undefined
    const by = issuer_did ? { issuer_did } : { issued_as }
    const { id, encoded, decoded } = await signSdJwt(world, { payload, revocable: true, ...by })
    const { idx, uri } = decoded.status?.status_list ?? { idx: -1, uri: '' }
    t.true(idx >= 0)
    const list = await world.ask(new URL(uri).pathname, { headers: { accept: 'application/statuslist+jwt' } })
    t.is(list.status, 200)
    t.is(partOf(list.text, 1).sub, uri)
    const set = (is_revoked: boolean) =>
      world.ask(`${SD_JWT}/${id}/revocation-status`, { token: world.token, body: { is_revoked } })
    t.is((await set(true)).status, 200)
    t.deepEqual(failed(await verifySdJwt(world, encoded)), ['Status sd_jwt.revoked'])
    t.true((await verifySdJwt(world, encoded, { check_revocation: false })).verified)
    const status = await world.ask(`${SD_JWT}/${id}/revocation-status`, { token: world.token })
    t.deepEqual(status.json(), { isRevoked: true })
    await set(false)
    t.true((await verifySdJwt(world, encoded)).verified)
  })

test('a credential that is bound to a key is presented with a key binding, once for its verifier', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const holder_key = publicKey.export({ format: 'jwk' })
  const { encoded, decoded } = await signSdJwt(world, { payload, holder_key })
  t.deepEqual(decoded.cnf, { jwk: holder_key })
  const { createHash } = await import('node:crypto')
  const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const present = (nonce: string, aud: string) => {
    const iat = Math.floor(Date.now() / 1000)
    const sd_hash = createHash('sha256').update(encoded).digest('base64url')
    const input = `${base64url({ alg: 'ES256', typ: 'kb+jwt' })}.${base64url({ iat, nonce, aud, sd_hash })}`
    const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return `${encoded}${input}.${signature.toString('base64url')}`
  }
  const nonce = randomBytes(16).toString('base64url')
  const audience = 'https://verifier.example'
  const key_binding = { nonce, audience }
  t.true((await verifySdJwt(world, present(nonce, audience), { key_binding })).verified)
  t.false((await verifySdJwt(world, present('other', audience), { key_binding })).verified)
  t.false((await verifySdJwt(world, present(nonce, 'https://other.example'), { key_binding })).verified)
  t.false((await verifySdJwt(world, encoded, { key_binding })).verified)
  t.deepEqual((await verifySdJwt(world, present(nonce, audience))).warnings, ['KeyBindingNotChecked'])
})

test('a request that cannot be signed is refused with its place', async (t) => {
  const cases: [body: object, status: number, path: string][] = [
    [{ payload: { given_name: 'Ada' } }, 400, 'payload.vct'],
    [{ payload: { ...payload, vct: 'with space' } }, 400, 'payload.vct'],
    [{ payload: { ...payload, iss: 'did:example:me' } }, 400, 'payload.iss'],
    [{ payload: { ...payload, cnf: {} } }, 400, 'payload.cnf'],
    [{ payload: { ...payload, _sd: [] } }, 400, 'payload._sd'],
    [{ payload: { ...payload, address: { '...': 'x' } } }, 400, 'payload.address["..."]'],
    [{ payload: { ...payload, sub: 5 } }, 400, 'payload.sub'],
    [{ payload: { ...payload, ['x'.repeat(256)]: 1 } }, 400, `payload.${'x'.repeat(256)}`],
    [{ payload: { ...payload, exp: 'soon' } }, 400, 'payload.exp'],
    [{ payload: { ...payload, nbf: 20, exp: 10 } }, 400, 'payload.exp'],
    [{ payload, selectively: [['vct']] }, 400, 'selectively.0'],
    [{ payload, selectively: [[]] }, 400, 'selectively.0'],
    [{ payload, selectively: [[0]] }, 400, 'selectively.0'],
    [{ payload, selectively: [['given_name'], ['givn_name']] }, 400, 'selectively.1'],
    [{ payload, selectively: [['given_name', null]] }, 400, 'selectively.0'],
    [{ payload, selectively: [['nationalities', 'first']] }, 400, 'selectively.0'],
    [{ payload, selectively: [['nationalities', 9]] }, 400, 'selectively.0'],
    [{ payload, decoys: 51 }, 400, 'decoys'],
    [{ payload, holder_key: { kty: 'EC', crv: 'P-256', x: 'AA' } }, 400, 'holder_key'],
    [{ payload, issuer_did: 'did:example:nobody' }, 400, 'issuer_did'],
    [{ payload, issuer_did: issuer, issued_as: 'x5c' }, 400, 'issuer_did'],
    [{ payload, document_signer_id: '00000000-0000-4000-8000-000000000000' }, 404, 'document_signer_id'],
    [
      { payload, issued_as: 'did', document_signer_id: '00000000-0000-4000-8000-000000000000' },
      400,
      'document_signer_id',
    ],
    [{ payload, issued_as: 'https' }, 400, 'issued_as'],
    [{ payload, issued_as: 'somehow' }, 400, 'issued_as'],
  ]
  for (const [body, status, path] of cases) {
    const reply = await world.ask(`${SD_JWT}/sign`, { token: world.token, body })
    t.is(reply.status, status, `${JSON.stringify(body)} ${reply.text}`)
    const { errors = [] } = reply.json<{ errors?: { path: string }[] }>()
    t.true(
      errors.some((each) => each.path === path),
      `${path}: ${reply.text}`,
    )
  }
})

test('what is no credential, or is changed, does not verify, and each says why', async (t) => {
  const { encoded } = await signSdJwt(world, { payload })
  const [jwt = '', ...rest] = encoded.split('~')
  const [header, body, signature] = jwt.split('.')
  const cases: [text: string, first: string][] = [
    ['', 'Syntax'],
    ['~', 'Syntax'],
    [jwt, 'Syntax'],
    [`${header}.${body}~`, 'Syntax'],
    [`${encoded}x`, 'KeyBinding'],
    [`${header}.${body}.${signature?.slice(0, -4)}AAAA~`, 'Signature'],
    [`${[jwt, ...rest.slice(0, -1), rest[0]].join('~')}~`, 'Disclosures'],
    [`${jwt}~${Buffer.from('["salt","role","admin"]').toString('base64url')}~`, 'Disclosures'],
    [`${jwt}~${'A'.repeat(600_000)}~`, 'Syntax'],
    [`${jwt}~${'~'.repeat(2_000)}`, 'Syntax'],
  ]
  for (const [text, first] of cases) {
    const verdict = await verifySdJwt(world, text)
    t.false(verdict.verified, text.slice(0, 100))
    t.is(verdict.reason[0]?.type, first, JSON.stringify(verdict.reason))
    t.regex(String(verdict.reason[0]?.code), /^sd_jwt\./)
  }
  const untrusted = await verifySdJwt(world, encoded, { trusted_issuers: ['did:example:other'] })
  t.deepEqual(failed(untrusted), ['IssuerKey sd_jwt.issuer_not_trusted'])
})

test('a repeated request with its Idempotency-Key gets the same credential', async (t) => {
  const headers = { 'idempotency-key': 'sd-jwt-once' }
  const ask = () => world.ask(`${SD_JWT}/sign`, { token: world.token, body: { payload }, headers })
  const [first, second] = [await ask(), await ask()]
  t.is(first.status, 200)
  t.is(second.text, first.text)
})

test('what an expired or future credential says of its time is checked', async (t) => {
  const now = Math.floor(Date.now() / 1000)
  const past = await signSdJwt(world, { payload: { ...payload, nbf: now - 7200, exp: now - 3600 } })
  t.deepEqual(failed(await verifySdJwt(world, past.encoded)), ['Validity sd_jwt.expired'])
  const future = await signSdJwt(world, { payload: { ...payload, nbf: now + 3600 } })
  t.deepEqual(failed(await verifySdJwt(world, future.encoded)), ['Validity sd_jwt.not_yet_valid'])
})

test('a list shows the issuers of its credentials, and takes no document from the database', async (t) => {
  const { id: byDid } = await signSdJwt(world, { payload, issuer_did: issuer, tag: 'listed' })
  const { id: byCertificate } = await signSdJwt(world, { payload, issued_as: 'x5c', tag: 'listed' })
  const page = await world.ask(`${SD_JWT}?tag=listed`, { token: world.token })
  const { data } = page.json<{ data: { id: string; issuer?: string; document_signer_id?: string }[] }>()
  t.deepEqual(Object.fromEntries(data.map((each) => [each.id, each.issuer])), {
    [byCertificate]: undefined,
    [byDid]: issuer,
  })
  t.truthy(data.find(({ id }) => id === byCertificate)?.document_signer_id)
  const { tenantId } = world.first
  const reader = createCredentialReader(world.dependencies)
  const filter = { tag: 'listed', limit: 10, offset: 0 }
  const { credentials } = await reader.listNamed(tenantId, 'sd-jwt-vc', filter)
  const { rows } = await reader.listRows(tenantId, 'sd-jwt-vc', filter)
  t.is(rows.length, 2)
  t.true(
    [...credentials.map(({ row }) => row), ...rows].every((row) => !('document' in row) || row.document === undefined),
  )
})
