import { randomUUID } from 'node:crypto'
import test from 'ava'
import { loggedAbout } from '../../support/credentials/dids.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { ECOSYSTEMS, kind, newDid, newEcosystem, operatorToken, participant } from '../../support/ecosystems.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
let token: string
test.before(async () => {
  world = await openWorld()
  token = await operatorToken(world)
})
test.after.always(() => world?.close())

const made = () => newEcosystem(world, token)
const refusalOf = (reply: Reply) => {
  const { type, errors } = reply.json<{ type: string; errors?: { path: string; code: string }[] }>()
  return [reply.status, type.replace('/problems#', ''), ...(errors ?? []).map(({ path, code }) => `${path} ${code}`)]
}
const code = (reply: Reply) => refusalOf(reply).slice(0, 2)

test('an ecosystem is created, listed, renamed, found in the log and deleted (specification, Administration)', async (t) => {
  const created = await world.ask(ECOSYSTEMS, { token, body: { name: 'Universities' } })
  t.is(created.status, 201)
  const { id } = created.json<{ id: string }>()
  t.deepEqual(created.json(), { id, name: 'Universities' })
  t.is(created.headers.get('location'), `${ECOSYSTEMS}/${id}`)
  const renamed = await world.ask(`${ECOSYSTEMS}/${id}`, { method: 'PUT', token, body: { name: 'Schools' } })
  t.deepEqual(renamed.json(), { id, name: 'Schools' })
  const list = (await world.ask(`${ECOSYSTEMS}?limit=1000`, { token })).json<{ data: object[] }>()
  t.true(list.data.some((each) => JSON.stringify(each) === JSON.stringify({ id, name: 'Schools' })))
  t.is((await loggedAbout(world, world.token, 'ECOSYSTEM_CREATE_SUCCESS', id)).length, 1)
  t.is((await world.ask(`${ECOSYSTEMS}/${id}`, { method: 'DELETE', token })).status, 204)
  for (const method of ['GET', 'DELETE'])
    t.deepEqual(code(await world.ask(`${ECOSYSTEMS}/${id}`, { method, token })), [404, 'ecosystem.not_found'])
})

test('a participant has its fields, as a page of one where it is read, and isVerified for isVerifier (specification, Participant)', async (t) => {
  const ecosystem = await made()
  const identifiers = { webSemantic: newDid(), compact: newDid(), compactSemantic: null, mobile: [], sdJwtVc: null }
  const created = await ecosystem.participant({ identifiers, isIssuerConstrained: true, isVerifier: false })
  const { isVerifier: _, ...fields } = participant({ identifiers, isIssuerConstrained: true })
  t.deepEqual(created, { ...fields, ecosystemId: ecosystem.id, id: created.id, isVerified: false })
  const read = await ecosystem.ask(`/participants/${created.id}`)
  t.deepEqual(read.json(), { data: [created], limit: 20, totalCount: 1, totalPages: 1 })
  const updated = await ecosystem.update(created.id, { identifiers: { compact: identifiers.compact }, name: 'Renamed' })
  t.like(updated, { name: 'Renamed', isIssuerConstrained: false, isVerified: true })
  t.deepEqual(updated.identifiers, {
    webSemantic: null,
    compact: identifiers.compact,
    compactSemantic: null,
    mobile: [],
    sdJwtVc: null,
  })
})

test('every member of a participant is required, and nothing else is taken (specification, createEcosystemParticipant)', async (t) => {
  const ecosystem = await made()
  for (const name of Object.keys(participant())) {
    const { [name as 'name']: _, ...rest } = participant()
    t.deepEqual(code(await ecosystem.ask('/participants', 'POST', rest)), [400, 'request.invalid'], name)
  }
  for (const more of [{ isVerified: true }, { id: randomUUID() }, { identifiers: { webSemantics: newDid() } }])
    t.is((await ecosystem.ask('/participants', 'POST', participant(more))).status, 400, JSON.stringify(more))
})

test('identifiers are DIDs and IACA certificates by their profile, each key once', async (t) => {
  const ecosystem = await made()
  const { certificatePem } = await makeIaca(world)
  const leaf = (await makeSigner(world)).certificatePem
  const bad: [object, string][] = [
    [{ webSemantic: 'did:web' }, 'identifiers.webSemantic did'],
    [{ compact: `${newDid()}#key` }, 'identifiers.compact did'],
    [{ compactSemantic: '' }, 'identifiers.compactSemantic did'],
    [{ webSemantic: `did:web:${'a'.repeat(2_100)}` }, 'identifiers.webSemantic did'],
    [{ mobile: ['no certificate'] }, 'identifiers.mobile.0 pem'],
    [{ mobile: [certificatePem, certificatePem] }, 'identifiers.mobile.1 repeated'],
    [{ mobile: Array.from({ length: 21 }, () => certificatePem) }, 'identifiers.mobile too_many'],
    [{ mobile: [leaf] }, 'identifiers.mobile.0 basic_constraints'],
  ]
  for (const [identifiers, fault] of bad) {
    const reply = await ecosystem.ask('/participants', 'POST', participant({ identifiers }))
    const [status, type, ...faults] = refusalOf(reply)
    t.deepEqual([status, type], [400, 'ecosystem_participant.invalid'], reply.text)
    t.true(faults.includes(fault), `${fault} in ${faults}`)
  }
  const created = await ecosystem.participant({ identifiers: { mobile: [`\n${certificatePem}`] } })
  t.deepEqual(created.identifiers.mobile, [certificatePem])
  const again = await ecosystem.ask('/participants', 'POST', participant({ identifiers: { mobile: [certificatePem] } }))
  t.deepEqual(refusalOf(again), [409, 'ecosystem_participant.identifier_taken', 'identifiers.mobile.0 unique'])
})

test('an identifier is of one participant of an ecosystem, in whichever profile, and of as many ecosystems as there are', async (t) => {
  const [ecosystem, other] = [await made(), await made()]
  const did = newDid()
  const first = await ecosystem.participant({ identifiers: { webSemantic: did, compact: did } })
  for (const member of ['webSemantic', 'compact', 'compactSemantic'])
    t.deepEqual(
      refusalOf(await ecosystem.ask('/participants', 'POST', participant({ identifiers: { [member]: did } }))),
      [...[409, 'ecosystem_participant.identifier_taken', `identifiers.${member} unique`]],
    )
  await other.participant({ identifiers: { webSemantic: did } })
  await ecosystem.update(first.id, { identifiers: { compact: did } })
  await ecosystem.update(first.id, { identifiers: {} })
  await ecosystem.participant({ identifiers: { webSemantic: did } })
  t.deepEqual(
    code(await ecosystem.ask(`/participants/${first.id}`, 'PUT', participant({ identifiers: { compact: did } }))),
    [...[409, 'ecosystem_participant.identifier_taken']],
  )
})

test('of twenty participants that are made at once with one DID, one is', async (t) => {
  const ecosystem = await made()
  const body = participant({ identifiers: { webSemantic: newDid() } })
  const replies = await Promise.all(Array.from({ length: 20 }, () => ecosystem.ask('/participants', 'POST', body)))
  const statuses = replies.map(({ status }) => status)
  t.is(statuses.filter((status) => status === 201).length, 1, statuses.join())
  t.is(statuses.filter((status) => status === 409).length, 19, statuses.join())
  t.is((await ecosystem.policy()).participants.length, 1)
})

test('a credential has a profile and a type once (specification, Ecosystem credential)', async (t) => {
  const ecosystem = await made()
  const body = kind()
  const created = await ecosystem.credential(body)
  t.deepEqual(created, { ...body, ecosystemId: ecosystem.id, id: created.id })
  t.deepEqual(refusalOf(await ecosystem.ask('/credentials', 'POST', { ...body, name: 'Another' })), [
    ...[409, 'ecosystem_credential.taken', 'type unique'],
  ])
  const other = await ecosystem.credential({ ...body, profile: 'compact' })
  t.deepEqual(code(await ecosystem.ask(`/credentials/${other.id}`, 'PUT', body)), [409, 'ecosystem_credential.taken'])
  const changed = { ...body, name: 'Renamed' }
  t.deepEqual((await ecosystem.ask(`/credentials/${created.id}`, 'PUT', changed)).json(), {
    ...created,
    name: 'Renamed',
  })
  for (const bad of [
    { type: 'two words' },
    { type: '' },
    { type: '@id' },
    { type: 'a'.repeat(256) },
    { name: ' ' },
    { type: '\u200b' },
  ])
    t.deepEqual(code(await ecosystem.ask('/credentials', 'POST', kind(bad))), [400, 'ecosystem_credential.invalid'])
  t.deepEqual(code(await ecosystem.ask('/credentials', 'POST', kind({ profile: 'jwt' }))), [400, 'request.invalid'])
})

test('what is allowed is allowed once, and taken once; the policy shows it and moves', async (t) => {
  const ecosystem = await made()
  const { id: participantId } = await ecosystem.participant()
  const credential = await ecosystem.credential()
  for (const role of ['issuer', 'verifier'] as const) {
    const before = await ecosystem.policy()
    t.deepEqual(await ecosystem.allow(role, participantId, credential.id), credential)
    const member = role === 'issuer' ? 'isIssuerAllowedCredentials' : 'isVerifierAllowedCredentials'
    const allowed = await ecosystem.policy()
    t.deepEqual(allowed.participants[0]?.[member], [credential.id])
    t.true(allowed.policyModifiedAt > before.policyModifiedAt)
    await ecosystem.allow(role, participantId, credential.id.toUpperCase())
    t.deepEqual(await ecosystem.policy(), allowed, 'what changes nothing does not move the policy')
    await ecosystem.take(role, participantId, credential.id)
    const path = `/participants/${participantId}/${role}/credentials/${credential.id}`
    t.deepEqual(code(await ecosystem.ask(path, 'DELETE')), [404, 'ecosystem_credential.not_found'])
    t.deepEqual((await ecosystem.policy()).participants[0]?.[member], [])
  }
})

test('nothing of another ecosystem is allowed, and nobody without the role is allowed anything', async (t) => {
  const [ecosystem, other] = [await made(), await made()]
  const mine = await ecosystem.participant({ isVerifier: false })
  const theirs = await other.credential()
  const path = `/participants/${mine.id}`
  const allow = (role: string, credentialId: unknown) =>
    ecosystem.ask(`${path}/${role}/credentials`, 'POST', { credentialId })
  t.deepEqual(code(await allow('issuer', theirs.id)), [404, 'ecosystem_credential.not_found'])
  t.deepEqual(code(await allow('issuer', randomUUID())), [404, 'ecosystem_credential.not_found'])
  t.deepEqual(code(await allow('issuer', 'x')), [400, 'request.invalid'])
  const { id } = await ecosystem.credential()
  t.deepEqual(code(await allow('verifier', id)), [409, 'ecosystem_participant.role_missing'])
  t.deepEqual(code(await other.ask(`${path}/issuer/credentials`, 'POST', { credentialId: theirs.id })), [
    ...[404, 'ecosystem_participant.not_found'],
  ])
  t.deepEqual(code(await other.ask(path)), [404, 'ecosystem_participant.not_found'])
  const nobody = `${ECOSYSTEMS}/${randomUUID()}/participants/${mine.id}/issuer/credentials`
  t.deepEqual(code(await world.ask(nobody, { token, body: { credentialId: id } })), [404, 'ecosystem.not_found'])
})

test('what is in use stays: 409, and 404 once it is deleted (pitfalls, policy of a deleted participant)', async (t) => {
  const ecosystem = await made()
  const { id: participantId } = await ecosystem.participant()
  const { id: credentialId } = await ecosystem.credential()
  await ecosystem.allow('issuer', participantId, credentialId)
  const { tenantId } = await world.addTenant()
  await ecosystem.bind(tenantId, participantId)
  t.deepEqual(code(await ecosystem.ask('', 'DELETE')), [409, 'ecosystem.in_use'])
  t.deepEqual(code(await ecosystem.ask(`/participants/${participantId}`, 'DELETE')), [
    409,
    'ecosystem_participant.in_use',
  ])
  t.deepEqual(code(await ecosystem.ask(`/credentials/${credentialId}`, 'DELETE')), [409, 'ecosystem_credential.in_use'])
  await ecosystem.bind(tenantId, null)
  t.is((await ecosystem.ask(`/participants/${participantId}`, 'DELETE')).status, 204)
  t.deepEqual((await ecosystem.policy()).participants, [], 'what it was allowed went along')
  t.is((await ecosystem.ask(`/credentials/${credentialId}`, 'DELETE')).status, 204)
  const path = `/participants/${participantId}/issuer/credentials`
  t.deepEqual(code(await ecosystem.ask(path, 'POST', { credentialId })), [404, 'ecosystem_participant.not_found'])
  t.deepEqual(code(await ecosystem.ask(`${path}/${credentialId}`, 'DELETE')), [404, 'ecosystem_participant.not_found'])
  t.deepEqual(code(await ecosystem.ask(`/tenants/${tenantId}`, 'PUT', { participantId })), [
    ...[404, 'ecosystem_participant.not_found'],
  ])
  await ecosystem.unbind(tenantId)
  t.deepEqual(code(await ecosystem.ask(`/tenants/${tenantId}`, 'DELETE')), [404, 'ecosystem_tenant.not_found'])
  await ecosystem.allow('issuer', (await ecosystem.participant()).id, (await ecosystem.credential()).id)
  t.is((await ecosystem.ask('', 'DELETE')).status, 204, 'with participants, credentials and what is allowed')
})

test('a tenant is bound to one ecosystem, sees it in its settings, and cannot choose another', async (t) => {
  const [ecosystem, other] = [await made(), await made()]
  const client = await world.addTenant()
  const own = await world.tokenOf(client)
  const { id: participantId } = await ecosystem.participant()
  await ecosystem.bind(client.tenantId, participantId)
  t.deepEqual((await ecosystem.ask('/tenants')).json<{ data: object[] }>().data, [
    { ecosystemId: ecosystem.id, tenantId: client.tenantId, participantId },
  ])
  t.deepEqual(code(await other.ask(`/tenants/${client.tenantId}`, 'PUT', {})), [409, 'ecosystem_tenant.bound'])
  t.deepEqual(code(await other.ask(`/tenants/${randomUUID()}`, 'PUT', {})), [404, 'ecosystem_tenant.not_found'])
  const settings = (await world.ask('/v1/settings', { token: own })).json()
  t.like(settings, { ecosystemId: ecosystem.id, ecosystemParticipantId: participantId })
  const put = (body: object) => world.ask('/v1/settings', { method: 'PUT', token: own, body })
  t.is((await put(settings)).status, 200, 'what was read may be sent again')
  for (const body of [{ ecosystemId: null }, { ecosystemId: other.id }, { ecosystemParticipantId: null }])
    t.deepEqual(code(await put({ ...body, vcApi: true })), [403, 'settings.of_operators'])
  t.like((await world.ask('/v1/settings', { token: own })).json(), { vcApi: false, ecosystemId: ecosystem.id })
})

test('a tenant reads the ecosystem that it is bound to, and another one is as a missing one', async (t) => {
  const [ecosystem, other] = [await made(), await made()]
  const client = await world.addTenant()
  await ecosystem.bind(client.tenantId)
  const { id } = await ecosystem.participant()
  const { id: theirs } = await other.participant()
  const reader = await world.tokenOf(client, 'administration:read')
  const read = (path: string, by = reader) => world.ask(`${ECOSYSTEMS}${path}`, { token: by })
  t.deepEqual(
    (await read('')).json<{ data: { id: string }[] }>().data.map((each) => each.id),
    [ecosystem.id],
  )
  for (const path of ['', '/participants', '/credentials', `/participants/${id}`])
    t.is((await read(`/${ecosystem.id}${path}`)).status, 200, path)
  for (const path of ['', '/participants', '/credentials', `/participants/${theirs}`])
    for (const of of [other.id, randomUUID()])
      t.deepEqual(code(await read(`/${of}${path}`)), [404, 'ecosystem.not_found'], path)
  t.deepEqual(code(await read(`/${ecosystem.id}/participants/${theirs}`)), [404, 'ecosystem_participant.not_found'])
  const without = await world.tokenOf(client, 'dids:read')
  for (const path of ['', `/${ecosystem.id}`, `/${ecosystem.id}/participants/${id}`])
    t.deepEqual(code(await read(path, without)), [403, 'token.insufficient_scope'])
  const writer = await world.tokenOf(client)
  for (const [path, method, body] of [
    ['', 'POST', { name: 'Mine' }],
    [`/${ecosystem.id}/participants`, 'POST', participant()],
    [`/${ecosystem.id}/tenants/${client.tenantId}`, 'DELETE', undefined],
    [`/${ecosystem.id}/tenants`, 'GET', undefined],
  ] as const)
    t.deepEqual(code(await world.ask(`${ECOSYSTEMS}${path}`, { method, token: writer, body })), [
      ...[403, 'token.insufficient_scope'],
    ])
  const unbound = await world.tokenOf(await world.addTenant())
  t.deepEqual((await read('', unbound)).json<{ data: object[] }>().data, [])
  t.is((await read(`/${ecosystem.id}`, unbound)).status, 404)
})

test('a repeated request with its Idempotency-Key makes one participant', async (t) => {
  const ecosystem = await made()
  const headers = { 'idempotency-key': randomUUID() }
  const ask = () =>
    world.ask(`${ECOSYSTEMS}/${ecosystem.id}/participants`, { token, headers, body: participant({ name: 'Once' }) })
  const [first, second] = [await ask(), await ask()]
  t.deepEqual([first.status, second.status], [201, 201])
  t.deepEqual(first.json(), second.json())
  t.is((await ecosystem.policy()).participants.length, 1)
})
