import test from 'ava'
import { COMPACT_SEMANTIC, signCompactSemantic } from '../support/credentials/compact.ts'
import { createDid, payload, sign } from '../support/credentials/credentials.ts'
import { codesOf, type Json, vcApi, vcApiIssue, vcApiSettings } from '../support/credentials/vc-api.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  did = await createDid(world)
  await vcApiSettings(world, true)
})
test.after.always(() => world?.close())

const settings = (vcApi: boolean, token?: string) => vcApiSettings(world, vcApi, token)
const call = (path: string, body: unknown, token?: string) => vcApi(world, path, body, token)
const issue = (credential: Json, options?: Json) => vcApiIssue(world, credential, options)

test.serial(
  'a status is set by our id, and by the entry of a credential with an id of its own (VC API, Update Status)',
  async (t) => {
    const { id } = await sign(world, did, { revocable: true })
    const byId = {
      credentialId: `urn:uuid:${id}`,
      credentialStatus: [{ type: 'BitstringStatusListEntry', status: '1' }],
    }
    t.is((await call('credentials/status', byId)).status, 200)
    const unsaid = { ...byId, credentialStatus: { type: 'BitstringStatusListEntry' } }
    t.is((await call('credentials/status', unsaid)).status, 400)
    const read = await world.ask(`/v1/credentials/web-semantic/${id}/revocation-status`, { token: world.token })
    t.deepEqual(read.json(), { isRevoked: true })
    const own = payload(did, { id: 'https://example.edu/credentials/1' })
    const signed = await issue(own, {
      credentialStatus: { type: 'BitstringStatusListEntry', statusPurpose: 'revocation' },
    })
    const byEntry = { credentialId: signed.id, credentialStatus: signed.credentialStatus, status: true }
    t.is((await call('credentials/status', byEntry)).status, 200)
    const revoked = await call('credentials/verify', { verifiableCredential: signed })
    t.deepEqual(codesOf(revoked.text), ['credential.not_verified', 'Revoked'])
    t.is((await call('credentials/status', { ...byEntry, status: false })).status, 200)
    t.is((await call('credentials/verify', { verifiableCredential: signed })).status, 200)
    const byGivenId = { ...byId, credentialId: signed.id }
    t.is((await call('credentials/status', byGivenId)).status, 200)
    t.deepEqual(codesOf((await call('credentials/verify', { verifiableCredential: signed })).text)[1], 'Revoked')
    const twin = await issue(own, { credentialStatus: { type: 'BitstringStatusListEntry' } })
    const unclear = await call('credentials/status', byGivenId)
    t.deepEqual([unclear.status, ...codesOf(unclear.text)], [409, 'credential.id_ambiguous'])
    t.is((await call('credentials/verify', { verifiableCredential: twin })).status, 200)
    const missing = { ...byId, credentialId: 'https://example.edu/credentials/2' }
    t.is((await call('credentials/status', missing)).status, 404)
    const other = await world.tokenOf(await world.addTenant())
    await settings(true, other)
    t.is((await call('credentials/status', byEntry, other)).status, 404)
    t.is((await call('credentials/status', byGivenId, other)).status, 404)
  },
)

test.serial(
  'credentials of other formats have no status in the VC API, by their id or their entry (D-1175)',
  async (t) => {
    const compact = await signCompactSemantic(world, did, { revocable: true })
    const id = compact.id.replace('urn:uuid:', '')
    const status = { type: 'BitstringStatusListEntry', status: '1' }
    const byId = await call('credentials/status', { credentialId: `urn:uuid:${id}`, credentialStatus: [status] })
    t.deepEqual([byId.status, ...codesOf(byId.text)], [404, 'credential.not_found'])
    const { rows } = await world.dependencies.systemSql.query<{ list: string; index: number }>({
      text: 'select status_list_id as list, status_index as index from credentials where id = $1',
      values: [id],
    })
    const [entry] = rows
    t.truthy(entry?.list)
    const named = {
      ...status,
      statusListCredential: `${world.url}/v1/revocation-lists/${entry?.list}`,
      statusListIndex: `${entry?.index}`,
    }
    const byEntry = await call('credentials/status', { credentialId: `urn:uuid:${id}`, credentialStatus: [named] })
    t.is(byEntry.status, 404, byEntry.text)
    const read = await world.ask(`${COMPACT_SEMANTIC}/${id}/revocation-status`, { token: world.token })
    t.deepEqual(read.json(), { isRevoked: false })
  },
)

const revocation = { type: 'BitstringStatusListEntry', statusPurpose: 'revocation' }
const suspension = { type: 'BitstringStatusListEntry', statusPurpose: 'suspension' }

test.serial(
  'an entry per purpose, each set for itself (Bitstring Status List 1.0, section 2.1, statusPurpose)',
  async (t) => {
    const given = payload(did, { id: 'https://example.edu/credentials/suspendable' })
    const signed = await issue(given, { credentialStatus: [suspension, revocation] })
    const entries = signed.credentialStatus as Json[]
    t.deepEqual(
      entries.map(({ statusPurpose }) => statusPurpose),
      ['revocation', 'suspension'],
    )
    const set = (credentialStatus: Json, status: boolean) =>
      call('credentials/status', { credentialId: signed.id, credentialStatus, status })
    const verdict = async () => codesOf((await call('credentials/verify', { verifiableCredential: signed })).text)
    t.is((await set(suspension, true)).status, 200)
    t.deepEqual(await verdict(), ['credential.not_verified', 'Suspended'])
    t.is((await set(entries[1] as Json, false)).status, 200)
    t.is((await call('credentials/verify', { verifiableCredential: signed })).status, 200)
    t.is((await set({ ...entries[1], statusPurpose: 'revocation' }, true)).status, 404)
    t.is((await set(revocation, true)).status, 200)
    t.deepEqual(await verdict(), ['credential.not_verified', 'Revoked'])
    t.is(
      codesOf((await set({ ...revocation, statusPurpose: 'refresh' }, true)).text)[0],
      'status_list.purpose_unsupported',
    )
    const plain = await issue(payload(did, { id: 'https://example.edu/credentials/plain' }))
    const none = await call('credentials/status', {
      credentialId: plain.id,
      credentialStatus: revocation,
      status: true,
    })
    t.is(codesOf(none.text)[0], 'credential.not_revocable')
  },
)

test.serial('an entry says what its values mean (Bitstring Status List 1.0, section 2.1, statusMessage)', async (t) => {
  const statusMessage = [
    { status: '0x0', message: 'valid' },
    { status: '0x1', message: 'withdrawn' },
  ]
  const statusReference = 'https://example.edu/status'
  const explained = { ...revocation, statusMessage: [...statusMessage].reverse(), statusReference }
  const signed = await issue(payload(did), { credentialStatus: explained })
  t.like(signed.credentialStatus, { statusMessage, statusReference, statusPurpose: 'revocation' })
  t.is((await call('credentials/verify', { verifiableCredential: signed })).status, 200)
  const forged = { ...(signed.credentialStatus as Json), statusReference: 'https://example.com/' }
  const changed = await call('credentials/verify', { verifiableCredential: { ...signed, credentialStatus: forged } })
  t.deepEqual(codesOf(changed.text).slice(0, 2), ['credential.not_verified', 'Proof'])
  const [zero, one] = statusMessage
  for (const [member, value] of [
    ['statusMessage', [zero]],
    ['statusMessage', [zero, zero]],
    ['statusMessage', [zero, one, { status: '0x2', message: 'pending' }]],
    ['statusMessage', [zero, { status: '0x1' }]],
    ['statusMessage', 'withdrawn'],
    ['statusReference', []],
    ['statusReference', 'not a URL'],
    ['statusReference', [statusReference, 7]],
    ['statusSize', 2],
    ['statusSize', '1'],
    ['statusPurpose', 'message'],
  ] as const) {
    const refused = await call('credentials/issue', {
      credential: payload(did),
      options: { credentialStatus: { ...revocation, [member]: value } },
    })
    t.is(refused.status, 400)
    t.is(refused.json<{ errors: { path: string }[] }>().errors[0]?.path, `options.credentialStatus.${member}`)
  }
  for (const credentialStatus of [suspension, [], [revocation, revocation], 'revocation', [null]]) {
    const refused = await call('credentials/issue', { credential: payload(did), options: { credentialStatus } })
    t.deepEqual(codesOf(refused.text), ['request.invalid', 'schema'], JSON.stringify(credentialStatus))
  }
  const older = {
    '@context': ['https://www.w3.org/2018/credentials/v1'],
    type: ['VerifiableCredential'],
    issuer: did,
    issuanceDate: '2026-01-01T00:00:00Z',
    credentialSubject: { id: did },
  }
  const unexplained = await call('credentials/issue', { credential: older, options: { credentialStatus: explained } })
  t.deepEqual([unexplained.status, ...codesOf(unexplained.text)], [400, 'status_list.unsupported'])
})

test.serial('a published list comes in the media type that is asked for (RFC 9110, section 12.5.1)', async (t) => {
  const { credential } = await sign(world, did, { revocable: true })
  const { statusListCredential } = credential.credentialStatus as Record<string, string>
  const { pathname } = new URL(String(statusListCredential))
  for (const [accept, type] of [
    ['*/*', 'application/vc'],
    ['application/ld+json, application/json', 'application/ld+json'],
    ['application/json', 'application/json'],
    ['text/html', 'application/vc'],
  ] as const) {
    const reply = await world.ask(pathname, { headers: { accept } })
    t.is(reply.status, 200, reply.text)
    t.is(reply.headers.get('content-type')?.split(';')[0], type)
  }
})
