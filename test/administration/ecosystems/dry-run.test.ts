import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { createTemplate } from '../../support/credentials/templates.ts'
import { FORMATS, makeIssuer } from '../../support/ecosystems.formats.ts'
import { newDid, newEcosystem, operatorToken } from '../../support/ecosystems.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let operator: string
test.before(async () => {
  world = await openWorld()
  operator = await operatorToken(world)
})
test.after.always(() => world?.close())

interface DryRun {
  credentials: { tenantId: string; profile: string; types: string[]; count: number }[]
  templates: { tenantId: string; templateId: string; profile: string; types: string[] }[]
  verifiers: { participantId: string; name: string; tenantIds: string[]; credentialIds: string[] }[]
  atLeast: string[]
  notCounted: string[]
}

const NOTHING: DryRun = { credentials: [], templates: [], verifiers: [], atLeast: [], notCounted: [] }

/** A tenant under a policy that allows one type of each profile, with a credential and a template of each. */
async function busy() {
  const client = await world.addTenant()
  const { tenantId } = client
  const issuer = await makeIssuer(world, await world.tokenOf(client))
  const ecosystem = await newEcosystem(world, operator)
  const { did, certificatePem } = issuer
  const identifiers = { webSemantic: did, compact: did, compactSemantic: did, mobile: [certificatePem], sdJwtVc: did }
  const { id: participantId } = await ecosystem.participant({ identifiers, isIssuerConstrained: true })
  await ecosystem.bind(tenantId, participantId)
  const credentialIds: Record<string, string> = {}
  for (const [profile, { type, sign }] of Object.entries(FORMATS)) {
    const { id } = await ecosystem.credential({ profile, type })
    credentialIds[profile] = id
    await ecosystem.allow('issuer', participantId, id)
    const reply = await sign(world, issuer, type)
    if (reply.status !== 200) throw new Error(reply.text)
  }
  const template = await createTemplate(world, { type: 'DiplomaCredential' }, issuer.token)
  const dryRun = async (...changes: object[]) => {
    const reply = await ecosystem.ask('/policy/dry-run', 'POST', { changes })
    if (reply.status !== 200) throw new Error(reply.text)
    return reply.json<DryRun>()
  }
  return { tenantId, issuer, ecosystem, participantId, credentialIds, template, dryRun }
}

const sorted = ({ credentials }: DryRun) =>
  credentials.map(({ profile, types, count }) => `${profile} ${types.join()} ${count}`).sort()

const ALL = Object.entries(FORMATS)
  .map(([profile, { type }]) => `${profile} ${type} 1`)
  .sort()

test('without its issuer all credentials in force would break, and its templates; nothing changes', async (t) => {
  const { tenantId, ecosystem, participantId, template, dryRun } = await busy()
  const before = await ecosystem.policy()
  for (const changes of [
    [{ change: 'removeRole', role: 'issuer', participantId }],
    [{ change: 'removeRole', role: 'issuer', participantId: participantId.toUpperCase() }],
  ]) {
    const told = await dryRun(...changes)
    t.deepEqual(sorted(told), ALL)
    t.true(told.credentials.every((each) => each.tenantId === tenantId))
    t.deepEqual(told.templates, [
      { tenantId, templateId: template.id, profile: 'web-semantic', types: ['DiplomaCredential'] },
    ])
    t.deepEqual([told.verifiers, told.atLeast, told.notCounted], [[], [], []])
  }
  const { credentialIds, ...removed } = await (async () => {
    const told = await dryRun({ change: 'removeParticipant', participantId })
    return { ...told, credentialIds: told.verifiers[0]?.credentialIds.length }
  })()
  t.deepEqual(sorted(removed), ALL)
  t.is(credentialIds, Object.keys(FORMATS).length, 'it verifies no more either')
  t.deepEqual(removed.verifiers[0]?.tenantIds, [tenantId])
  t.deepEqual(await ecosystem.policy(), before)
})

for (const [profile, { type }] of Object.entries(FORMATS))
  test(`without the credential of ${profile} those of its type would break`, async (t) => {
    const { participantId, credentialIds, dryRun } = await busy()
    const credentialId = credentialIds[profile]
    for (const change of [
      { change: 'removeCredential', credentialId },
      { change: 'takeCredential', role: 'issuer', participantId, credentialId },
    ]) {
      const told = await dryRun(change)
      t.deepEqual(sorted(told), [`${profile} ${type} 1`])
      t.is(told.templates.length, profile === 'web-semantic' ? 1 : 0)
    }
    t.deepEqual(await dryRun({ change: 'takeCredential', role: 'verifier', participantId, credentialId }), NOTHING)
  })

test('a constrained verifier could verify nothing that it is not allowed', async (t) => {
  const { tenantId, ecosystem, participantId, credentialIds, dryRun } = await busy()
  await ecosystem.allow('verifier', participantId, String(credentialIds.mobile))
  const told = await dryRun({ change: 'constrain', role: 'verifier', participantId })
  t.deepEqual(told.credentials, [])
  const [verifier] = told.verifiers
  t.deepEqual([verifier?.participantId, verifier?.tenantIds], [participantId, [tenantId]])
  const others = Object.entries(credentialIds).flatMap(([profile, id]) => (profile === 'mobile' ? [] : [id]))
  t.deepEqual([...(verifier?.credentialIds ?? [])].sort(), others.sort())
})

test('what is revoked, has expired, was forbidden before or belongs to a tenant that is not bound is not counted', async (t) => {
  const { issuer, ecosystem, participantId, tenantId, template, dryRun } = await busy()
  const { systemSql } = world.dependencies
  const text = `update credentials set revoked = $2, expiration_date = $3 where tenant_id = $1 and format = 'semantic'`
  const set = (revoked: boolean, until: string | null) => systemSql.query({ text, values: [tenantId, revoked, until] })
  const counted = async () =>
    sorted(await dryRun({ change: 'removeRole', role: 'issuer', participantId })).some((each) =>
      each.startsWith('web-semantic'),
    )
  t.true(await counted())
  await set(true, null)
  t.false(await counted(), 'revoked')
  await set(false, '2020-01-01T00:00:00Z')
  t.false(await counted(), 'expired')
  await set(false, '2999-01-01T00:00:00Z')
  t.true(await counted())
  const did = await createDid(world, 'ed25519', issuer.token)
  await ecosystem.participant({ identifiers: { webSemantic: did } })
  const told = await dryRun({ change: 'removeRole', role: 'issuer', participantId })
  t.false(
    told.templates.some(({ templateId }) => templateId === template.id),
    'another DID of the tenant could sign',
  )
  await ecosystem.unbind(tenantId)
  t.deepEqual(await dryRun({ change: 'removeRole', role: 'issuer', participantId }), NOTHING)
})

test('a dry run is refused for changes that name nothing, too little or too much', async (t) => {
  const { ecosystem, participantId, credentialIds } = await busy()
  const credentialId = credentialIds.compact
  const refusal = async (changes: unknown) => {
    const reply = await ecosystem.ask('/policy/dry-run', 'POST', { changes })
    const { type, errors } = reply.json<{ type: string; errors?: { path: string; code: string }[] }>()
    return [reply.status, type.replace('/problems#', ''), errors?.[0]?.path]
  }
  for (const [changes, path] of [
    [[], 'changes'],
    [Array.from({ length: 21 }, () => ({ change: 'removeCredential', credentialId })), 'changes'],
    [[{ change: 'removeParticipant' }], 'changes.0.participantId'],
    [[{ change: 'constrain', participantId }], 'changes.0.role'],
    [[{ change: 'removeCredential', credentialId, role: 'issuer' }], 'changes.0.role'],
    [[{ change: 'forget', participantId }], undefined],
    [[{ change: 'removeParticipant', participantId: 'x' }], undefined],
  ] as const) {
    const [status, code, at] = await refusal(changes)
    t.deepEqual([status, code], [400, 'request.invalid'], JSON.stringify(changes).slice(0, 80))
    if (path) t.is(at, path)
  }
  t.deepEqual(await refusal([{ change: 'removeParticipant', participantId: randomUUID() }]), [
    ...[404, 'ecosystem_participant.not_found', undefined],
  ])
  const gone = [
    { change: 'removeCredential', credentialId },
    { change: 'takeCredential', credentialId, participantId, role: 'issuer' },
  ]
  t.deepEqual(await refusal(gone), [404, 'ecosystem_credential.not_found', undefined])
})

test('operators alone rehearse, and the answer names nobody', async (t) => {
  const { ecosystem, participantId, issuer, dryRun } = await busy()
  const body = { changes: [{ change: 'removeParticipant', participantId }] }
  const reply = await world.ask(`/v1/ecosystems/${ecosystem.id}/policy/dry-run`, { token: issuer.token, body })
  t.is(reply.status, 403)
  const text = JSON.stringify(await dryRun(...body.changes))
  for (const personal of ['did:', 'CS-101', 'holder']) t.false(text.includes(personal))
  await ecosystem.participant({ identifiers: { webSemantic: newDid() } })
})
