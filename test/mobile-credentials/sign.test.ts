import { createHash, randomUUID } from 'node:crypto'
import test from 'ava'
import { MOBILE_SIGN_EXAMPLE } from '../../api/mobile-credentials/answers.ts'
import { type Cbor, decodeCbor, isCborMap, isTag } from '../../protocol/cose/cbor.ts'
import { MDOC, readMdocs } from '../../protocol/mobile-credentials/read.ts'
import { IACAS, makeIaca, makeSigner, SIGN, SIGNERS } from '../support/credentials/mobile.ts'
import { openWorld, type Reply, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const NAMESPACE = 'org.iso.18013.5.1'

/** A tenant with an IACA and an active signer. */
async function newIssuer() {
  const token = await world.tokenOf(await world.addTenant())
  const iaca = await makeIaca(world, {}, token)
  const signer = await makeSigner(world, { active: true }, token)
  const sign = (payload: object, documentSignerId?: string | null) =>
    world.ask(SIGN, { token, body: { payload, documentSignerId } })
  const verify = (payload: string) => world.ask('/v1/credentials/mobile/verify', { token, body: { payload } })
  return { token, iaca, signer, sign, verify }
}

const codesOf = ({ status, text }: Reply) => {
  const { type, errors = [] } = JSON.parse(text) as { type: string; errors?: { path: string; code: string }[] }
  return [status, type.split('#')[1], ...errors.map(({ path, code }) => `${path}:${code}`)]
}

interface Signed {
  id: string
  encoded: string
  decoded: {
    docType: string
    branding: object
    issuerAuth: string
    namespaces: Record<string, Record<string, unknown>>
  }
}

interface Verdict {
  verified: boolean
  reason: { type: string }[]
  documents: { namespaces: Record<string, Record<string, unknown>>; warnings: string[]; issuerFingerprint?: string }[]
}

const reasonsOf = (reply: Reply) => reply.json<Verdict>().reason.map(({ type }) => type)
const { payload: EXAMPLE } = MOBILE_SIGN_EXAMPLE

const tagOf = (value: Cbor) => (isTag(value) ? Number(value.tag) : undefined)

test('signMobileCredential signs the ISO types of an mDL and records it (specification, Mobile credential signing)', async (t) => {
  const { token, sign, signer, verify, iaca } = await newIssuer()
  const reply = await sign(EXAMPLE)
  t.is(reply.status, 200, reply.text)
  const { id, encoded, decoded } = reply.json<Signed>()
  t.deepEqual(decoded.branding, EXAMPLE.branding)
  t.deepEqual(decoded.namespaces, EXAMPLE.itemsToSign)
  const bytes = new Uint8Array(Buffer.from(encoded, 'base64url'))
  const [mdoc] = readMdocs(bytes)
  if (!mdoc) return t.fail()
  const items = mdoc.nameSpaces.get(NAMESPACE) ?? []
  const valueIn = (name: string) => items.find((item) => item.name === name)?.value
  t.is(tagOf(valueIn('birth_date')), 1004)
  t.is(tagOf(valueIn('expiry_date')), 1004)
  t.true(valueIn('portrait') instanceof Uint8Array)
  t.is(valueIn('age_over_18'), true)
  const [privilege] = valueIn('driving_privileges') as Cbor[]
  t.true(isCborMap(privilege) && tagOf(privilege.get('issue_date')) === 1004)
  const { mso } = mdoc
  t.is(mso.docType, 'org.iso.18013.5.1.mDL')
  const certified = Date.parse(signer.certificateData.notAfter)
  t.is(mso.validUntil.getTime(), certified - (certified % 3_600_000), 'a year would be more than its certificate has')
  t.deepEqual(mso.deviceKey?.get(1), 2)
  // digest ids are a permutation that differs from the order of the elements, and salts are long and all different
  const ids = items.map(({ digestId }) => digestId)
  t.deepEqual(
    ids.toSorted((a, b) => a - b),
    [...items.keys()],
  )
  const salts = items.map(({ bytes: item }) => createHash('sha256').update(item).digest('hex'))
  t.is(new Set(salts).size, items.length)
  t.is(decoded.issuerAuth, Buffer.from(encodeOf(bytes)).toString('base64url'))
  const verdict = (await verify(encoded)).json<Verdict>()
  t.deepEqual([verdict.verified, verdict.reason], [true, []])
  t.deepEqual(verdict.documents[0]?.namespaces, EXAMPLE.itemsToSign as unknown)
  t.deepEqual(verdict.documents[0]?.warnings, ['NoDevice'])
  t.is(
    verdict.documents[0]?.issuerFingerprint,
    (iaca as unknown as { certificateFingerprint: string }).certificateFingerprint,
  )
  const read = await world.ask(`/v1/credentials/mobile/${id}`, { token })
  t.is(read.json().encoded, encoded)
  t.is(read.json().documentSignerId, signer.id)
  t.deepEqual(read.json().namespaces, EXAMPLE.itemsToSign)
  const list = (type: string) => world.ask(`/v1/credentials/mobile?docType=${type}`, { token })
  t.is((await list('org.iso.18013.5.1.mDL')).json().totalCount, 1)
  t.is((await list('other')).json().totalCount, 0)
  const filter = { categories: [], types: ['MOBILE_CREDENTIAL_SIGN_SUCCESS'], ids: [], requestIds: [] }
  const times = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' }
  const log = await world.ask('/v1/analytics/events', { token, body: { ...filter, ...times } })
  const [entry] = log.json<{ data: { metadata: string; category: string }[] }>().data
  const metadata = JSON.parse(entry?.metadata ?? '{}') as Record<string, unknown>
  t.is(entry?.category, 'mobile-credential')
  t.deepEqual([metadata.id, metadata.documentSignerId], [id, signer.id])
  t.false(log.text.includes('Lovelace'))
})

/** IssuerAuth within IssuerSigned, as its bytes. */
function encodeOf(bytes: Uint8Array): Uint8Array {
  const top = decodeCbor(bytes, MDOC)
  const marker = Buffer.from('issuerAuth')
  if (!isCborMap(top)) throw new Error('not a map')
  return bytes.subarray(Buffer.from(bytes).indexOf(marker) + marker.length) // the last member
}

test('a value that its namespace forbids is refused with its field (ISO/IEC 18013-5, table 5; PID rulebook)', async (t) => {
  const { sign } = await newIssuer()
  const refused = async (items: object) => codesOf(await sign({ ...EXAMPLE, itemsToSign: items }))
  const mdl = (elements: object) => refused({ [NAMESPACE]: elements })
  const at = `payload.itemsToSign["${NAMESPACE}"]`
  const invalid = (...errors: string[]) => [400, 'credential.invalid', ...errors]
  t.deepEqual(await mdl({ birth_date: '1990-02-30' }), invalid(`${at}.birth_date:full_date`))
  t.deepEqual(await mdl({ birth_date: '1990-01-01T00:00:00Z' }), invalid(`${at}.birth_date:full_date`))
  t.deepEqual(await mdl({ issue_date: 'today' }), invalid(`${at}.issue_date:date`))
  t.deepEqual(await mdl({ portrait: 'not base64!' }), invalid(`${at}.portrait:bytes`))
  t.deepEqual(await mdl({ portrait: { type: 'binary', value: '%' } }), invalid(`${at}.portrait.value:bytes`))
  t.deepEqual(await mdl({ family_name: 'x'.repeat(151) }), invalid(`${at}.family_name:text`))
  t.deepEqual(await mdl({ family_name: '名' }), invalid(`${at}.family_name:text`))
  t.deepEqual(await mdl({ issuing_country: 'nl' }), invalid(`${at}.issuing_country:text`))
  t.deepEqual(await mdl({ sex: 3 }), invalid(`${at}.sex:integer`))
  t.deepEqual(await mdl({ height: -1 }), invalid(`${at}.height:integer`))
  t.deepEqual(await mdl({ age_over_18: 'yes' }), invalid(`${at}.age_over_18:boolean`))
  t.deepEqual(await mdl({ age_over_100: true }), invalid(`${at}.age_over_100:unknown`))
  t.deepEqual(
    await mdl({ driving_privileges: [{ issue_date: 'x', codes: [{ sign: '=' }] }] }),
    invalid(
      `${at}.driving_privileges.0.vehicle_category_code:required`,
      `${at}.driving_privileges.0.issue_date:full_date`,
      `${at}.driving_privileges.0.codes.0.code:required`,
    ),
  )
  t.deepEqual(await mdl({}), invalid(`${at}:required`))
  t.deepEqual(await refused({}), invalid('payload.itemsToSign:required'))
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`e${index}`, 1]))
  t.deepEqual(await refused({ other: many }), invalid('payload.itemsToSign.other:too_many'))
  const pid = 'eu.europa.ec.eudi.pid.1'
  const inPid = `payload.itemsToSign["${pid}"]`
  t.deepEqual(
    await refused({ [pid]: { nationality: ['NL', 'nl'], sex: 7, place_of_birth: { planet: 'Mars' } } }),
    invalid(`${inPid}.nationality.1:text`, `${inPid}.sex:integer`, `${inPid}.place_of_birth.planet:unknown`),
  )
})

test('texts stand for other types, and unknown namespaces are free (specification: object of objects string to string)', async (t) => {
  const { sign, verify } = await newIssuer()
  const items = {
    [NAMESPACE]: {
      height: '180',
      age_over_18: 'true',
      driving_privileges: '[{"vehicle_category_code":"A"}]',
      issue_date: '2027-01-01T10:00:00.123+01:00',
    },
    'example.1': {
      list: [1, -2.5, null, { deep: [true] }],
      photo: { type: 'binary', value: 'AAEC' },
      day: { type: 'full-date', value: '2027-01-01' },
      constructor: 'x',
      typed: { type: 'car', value: 'bus' },
    },
  }
  const signed = await sign({ ...EXAMPLE, itemsToSign: items })
  t.is(signed.status, 200, signed.text)
  const expected = {
    [NAMESPACE]: {
      height: 180,
      age_over_18: true,
      driving_privileges: [{ vehicle_category_code: 'A' }],
      issue_date: '2027-01-01T09:00:00Z',
    },
    'example.1': { ...items['example.1'], photo: 'AAEC', day: '2027-01-01' },
  }
  t.deepEqual(signed.json<Signed>().decoded.namespaces, expected)
  const verdict = (await verify(signed.json<Signed>().encoded)).json<Verdict>()
  t.true(verdict.verified)
  t.deepEqual(verdict.documents[0]?.namespaces, expected as unknown)
})

test('times and device keys that an mdoc cannot have are refused by their field', async (t) => {
  const { sign } = await newIssuer()
  const refused = async (more: object) => codesOf(await sign({ ...EXAMPLE, ...more }))
  const past = new Date(Date.now() - 60_000).toISOString()
  const validity = (name: string) => [400, 'request.invalid', `payload.validityInfo.${name}:validity`]
  t.deepEqual(await refused({ validityInfo: { validFrom: past } }), validity('validFrom'))
  t.deepEqual(await refused({ validityInfo: { validUntil: past } }), validity('validUntil'))
  t.deepEqual(await refused({ validityInfo: { expectedUpdate: 'x' } }), validity('expectedUpdate'))
  const later = new Date(Date.now() + 366 * 86_400_000).toISOString()
  t.deepEqual(
    await refused({ validityInfo: { validUntil: later } }),
    validity('validUntil'),
    'its certificate ends before',
  )
  t.deepEqual(await refused({ validityInfo: { validFrom: later } }), validity('validFrom'))
  const device = [400, 'credential.invalid', 'payload.deviceKeyInfo.deviceKey:device_key']
  const { deviceKey } = EXAMPLE.deviceKeyInfo
  const key = (more: object) => ({ deviceKeyInfo: { deviceKey: { ...deviceKey, ...more } } })
  t.deepEqual(await refused(key({ d: 'AAAA' })), device)
  t.deepEqual(await refused(key({ x: deviceKey.y })), device)
  t.deepEqual(await refused(key({ crv: 'secp256k1' })), device)
  t.deepEqual(await refused(key({ crv: 7 })), device)
  t.deepEqual(await refused({ docType: '' }), [400, 'request.invalid', 'payload.docType:length'])
})

test('an inactive, revoked or expired signer never signs, and neither does one whose IACA is inactive', async (t) => {
  const { token, sign, signer, iaca } = await newIssuer()
  const put = (path: string, active: boolean) => world.ask(path, { method: 'PUT', token, body: { active } })
  const refused = async (id: string | null) => {
    const { status, text } = await sign(EXAMPLE, id)
    const { type, detail } = JSON.parse(text) as { type: string; detail: string }
    return [status, type.split('#')[1], /cannot sign: ([\w ]+)/.exec(detail)?.[1]]
  }
  const path = `${SIGNERS}/${signer.id}`
  await put(path, false)
  t.deepEqual(await refused(signer.id), [409, 'document_signer.not_usable', 'inactive'])
  t.deepEqual(await refused(null), [409, 'document_signer.missing', undefined])
  await put(path, true)
  t.is((await sign(EXAMPLE, null)).status, 200)
  await put(`${IACAS}/${iaca.id}`, false)
  t.deepEqual(await refused(signer.id), [409, 'document_signer.not_usable', 'its IACA is inactive'])
  t.deepEqual(await refused(null), [409, 'document_signer.missing', undefined])
  await put(`${IACAS}/${iaca.id}`, true)
  const times = async (column: string, time: string) => {
    const text = `update mobile_document_signers set ${column} = now() + $1::interval where id = $2`
    await world.dependencies.systemSql.query({ text, values: [time, signer.id] })
    await put(path, true) // any change makes the process look at its signers again
  }
  await times('not_before', '1 hour')
  t.deepEqual(await refused(signer.id), [409, 'document_signer.not_usable', 'not_yet_valid'])
  await times('not_before', '-2 hours')
  await times('not_after', '-1 hour')
  t.deepEqual(await refused(signer.id), [409, 'document_signer.not_usable', 'expired'])
  await times('not_after', '1 hour')
  await world.ask(`${path}/revoke`, { method: 'POST', token })
  t.deepEqual(await refused(signer.id), [409, 'document_signer.not_usable', 'revoked'])
  t.deepEqual(codesOf(await sign(EXAMPLE, randomUUID())), [
    404,
    'document_signer.not_found',
    'documentSignerId:unknown',
  ])
})

test('without a name the signer that was created or changed last signs', async (t) => {
  const { token, sign, signer } = await newIssuer()
  const second = await makeSigner(world, { active: true }, token)
  const signerOf = async () => {
    const { id } = (await sign(EXAMPLE)).json<Signed>()
    return (await world.ask(`/v1/credentials/mobile/${id}`, { token })).json().documentSignerId
  }
  t.is(await signerOf(), second.id)
  await world.ask(`${SIGNERS}/${signer.id}`, { method: 'PUT', token, body: { active: true } })
  t.is(await signerOf(), signer.id)
})

test('a verdict names each failed check: a stranger, a revoked signer, a flipped bit', async (t) => {
  const { token, sign, signer, verify } = await newIssuer()
  const { encoded } = (await sign(EXAMPLE)).json<Signed>()
  const other = await newIssuer()
  t.deepEqual(reasonsOf(await other.verify(encoded)), ['UntrustedIssuer'])
  await world.ask(`${SIGNERS}/${signer.id}/revoke`, { method: 'POST', token })
  t.deepEqual(reasonsOf(await verify(encoded)), ['CertificateRevoked'])
  t.deepEqual(reasonsOf(await verify('AAAA')), ['Syntax'])
  t.is((await verify('!')).status, 400)
  const issuer = await newIssuer()
  const bytes = Buffer.from((await issuer.sign(EXAMPLE)).json<Signed>().encoded, 'base64url')
  const value = bytes.indexOf('Lovelace')
  bytes[value] = (bytes[value] ?? 0) ^ 1
  t.deepEqual(reasonsOf(await issuer.verify(bytes.toString('base64url'))), ['Digest'])
  bytes[value] = (bytes[value] ?? 0) ^ 1
  const signature = bytes.length - 1
  bytes[signature] = (bytes[signature] ?? 0) ^ 1
  t.deepEqual(reasonsOf(await issuer.verify(bytes.toString('base64url'))), ['Signature'])
})

test('a repeated request with an Idempotency-Key signs once', async (t) => {
  const { token } = await newIssuer()
  const headers = { 'idempotency-key': randomUUID() }
  const sign = () => world.ask(SIGN, { token, body: { payload: EXAMPLE }, headers })
  t.is((await sign()).text, (await sign()).text)
  t.is((await world.ask('/v1/credentials/mobile', { token })).json().totalCount, 1)
})
