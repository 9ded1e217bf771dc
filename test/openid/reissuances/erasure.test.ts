import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createExpiry } from '../../../activities/administration/privacy/expiry.ts'
import { createSealer } from '../../../activities/frame/sealing.ts'
import { endReissuances, lockReissuance, noteGiven, openKept } from '../../../activities/openid/reissuances/records.ts'
import { inTenant } from '../../../entities/orm.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { createTemplate } from '../../support/credentials/templates.ts'
import { type Authorization, errorOf, openAuthorization } from '../../support/openid/authorization.ts'
import { collectAfterLogin } from '../../support/openid/collecting.ts'
import { openReissuing, type Reissuing, type Token } from '../../support/openid/haip/reissuing.ts'
import { keepFor } from '../../support/privacy/retention.ts'

const CLAIMS = { given_name: 'Ada' }

let authorization: Authorization
let at: Reissuing
let template: string
test.before(async () => {
  authorization = await openAuthorization({ workflows: true })
  const { world } = authorization
  await createDid(world, 'ed25519', world.token, true)
  const claim_mappings = { given_name: { map_from: 'claims.given_name', required: true } }
  const more = { claim_mappings, proof_type: 'eddsa-rdfc-2022', ignore_unmapped: true, revocable: true }
  template = (await createTemplate(world, more)).id
  at = openReissuing(authorization)
  await authorization.setPolicy({ reissueDays: 30 })
})
test.after.always(() => authorization?.close())

const wanted = () => ({ credential_configuration_id: template })
const grantOf = async (sessionId: string) => (await at.list()).find((each) => each.sessionId === sessionId)

const within = <T>(work: Parameters<typeof inTenant<T>>[2]) =>
  inTenant(authorization.world.dependencies.database.tenants, authorization.world.first.tenantId, work)

const given = async (id: string | undefined) =>
  (
    await within((em) =>
      em.execute<{ id: string }[]>(
        `select credential_id as id from openid_reissuance_credentials where reissuance_id = '${id}'`,
      ),
    )
  ).map((row) => row.id)

async function erased(body: object): Promise<void> {
  const { world } = authorization
  const begun = await world.ask('/v1/privacy/erasures', { token: world.token, body })
  const { id } = begun.json<{ id: string }>()
  await until(
    'the end',
    async () =>
      (await world.ask(`/v1/privacy/erasures/${id}`, { token: world.token })).json<{ state: string }>().state ===
      'ERASED',
  )
}

test.serial('the retention of a credential ends what gives it anew, with its claims and its session', async (t) => {
  const { world } = authorization
  const { key, refreshToken, sessionId } = await at.issued([template], CLAIMS)
  const grant = await grantOf(sessionId)
  const token = (await at.refresh(refreshToken, { key })).json<Token>()
  await within((em) =>
    em.execute(
      `update credentials set expiration_date = now() - interval '40 days' where id = '${grant?.credentialIds[0]}'`,
    ),
  )
  await keepFor(world, world.token, { expiredCredentialsDays: 30 })
  const { eraseExpiredOf } = createExpiry(world.dependencies)
  while (!(await eraseExpiredOf({ tenantId: world.first.tenantId })).done);
  await keepFor(world, world.token, { expiredCredentialsDays: null })
  t.is(await grantOf(sessionId), undefined)
  t.deepEqual(await given(grant?.id), [])
  t.is(errorOf(await at.refresh(refreshToken, { key })), '400 invalid_grant')
  t.is(errorOf(await at.credential(wanted(), token, key)), '401 invalid_token')
})

test.serial(
  'a credential that a newer one has replaced still leads to the grant, and its erasure ends it',
  async (t) => {
    const { key, refreshToken, sessionId } = await at.issued([template], CLAIMS)
    const [first = ''] = (await grantOf(sessionId))?.credentialIds ?? []
    const token = (await at.refresh(refreshToken, { key })).json<Token>()
    t.is((await at.credential(wanted(), token, key)).status, 200)
    const grant = await grantOf(sessionId)
    const [second = ''] = grant?.credentialIds ?? []
    t.not(second, first)
    for (const id of [first, second])
      t.deepEqual(
        (await at.list(`?credentialId=${id}`)).map((each) => each.id),
        [grant?.id],
      )
    t.deepEqual(await at.list(`?credentialId=${randomUUID()}`), [])
    await erased({ credentialId: first })
    t.is(await grantOf(sessionId), undefined)
    t.is(errorOf(await at.refresh(refreshToken, { key })), '400 invalid_grant')
  },
)

test.serial('the erasure of a holder by the DID of an earlier credential ends it', async (t) => {
  const { key, refreshToken, sessionId } = await at.issued([template], CLAIMS)
  const [first = ''] = (await grantOf(sessionId))?.credentialIds ?? []
  const token = (await at.refresh(refreshToken, { key })).json<Token>()
  t.is((await at.credential(wanted(), token, key)).status, 200)
  const [holder] = await within((em) =>
    em.execute<{ did: string }[]>(
      `select document -> 'credentialSubject' ->> 'id' as did from credentials where id = '${first}'`,
    ),
  )
  t.regex(holder?.did ?? '', /^did:/)
  await erased({ subjectDid: holder?.did })
  t.is(await grantOf(sessionId), undefined)
  t.is(errorOf(await at.refresh(refreshToken, { key })), '400 invalid_grant')
})

test.serial('what is kept is of one grant, and has claims alone', async (t) => {
  const { world } = authorization
  const { id } = await collectAfterLogin(authorization, template, 'par and dpop', {
    offer: { requestedParameters: { login_hint: 'kept' } },
  })
  const { id: other } = (await grantOf((await at.issued([template], CLAIMS)).sessionId)) ?? t.fail()
  const grant = await grantOf(id)
  const sealer = createSealer(world.config.masterKey, 'openid-sessions')
  const row = (await within((em) => lockReissuance(em, grant?.id ?? ''))) ?? t.fail()
  const content = openKept(sealer, row)
  t.truthy(content?.userClaims)
  t.false('parameters' in (content ?? {}), 'nothing of the login')
  t.throws(() => openKept(sealer, Object.assign(row, { id: other })), undefined, 'of another grant it cannot be opened')
})

test.serial('an erasure that meets an issuance under way ends the grant too', async (t) => {
  const { sessionId } = await at.issued([template], CLAIMS)
  const grant = await grantOf(sessionId)
  const id = grant?.id ?? ''
  const next = randomUUID()
  let erasing: Promise<string[]> = Promise.resolve([])
  await within(async (em) => {
    const row = await lockReissuance(em, id)
    if (!row) throw new Error('no grant')
    erasing = within((other) => endReissuances(other, { credentialIds: grant?.credentialIds ?? [] }, new Date()))
    await new Promise((resolve) => setTimeout(resolve, 500)) // it waits for the lock
    row.credentialIds = [next]
    await noteGiven(em, row, [next])
  })
  await erasing
  t.is(await grantOf(sessionId), undefined)
  t.deepEqual(await given(id), [])
})
