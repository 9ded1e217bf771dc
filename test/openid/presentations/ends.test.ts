import test from 'ava'
import { createSealer } from '../../../activities/frame/sealing.ts'
import { createPlatform } from '../../../activities/index.ts'
import { createRequestExpiry } from '../../../activities/openid/presentations/expiry.ts'
import { payloadBoundTo } from '../../../activities/webhooks/events.ts'
import { openSdJwt } from '../../support/openid/presenting.sd-jwt.ts'
import { post, wallet } from '../../support/openid/presenting.ts'
import { openAsking, type requestsOf } from '../../support/openid/requests.ts'
import { webhooksOf } from '../../support/webhooks.ts'
import type { World } from '../../support/world.ts'

let world: World
let issuer: string
let requests: ReturnType<typeof requestsOf>
test.before(async () => {
  ;({ world, issuer, requests } = await openAsking('ed25519'))
})
test.after.always(() => world?.close())

test('each end of a request is told to the webhooks that ask for it, once', async (t) => {
  const hooks = webhooksOf(world, world.token)
  const hook = { url: 'https://receiver.university.example/ends', secret: 'a-secret-of-a-webhook' }
  const { id: webhookId } = await hooks.created({ ...hook, events: ['OpenId4VpRequestEnded'] })
  const { webhookEvents } = createPlatform(world.dependencies)
  const held = await openSdJwt(world, { issuer_did: issuer })
  const [verified, refused, expired] = [await requests.create(), await requests.create(), await requests.create()]
  const request = await wallet.readRequest(verified.uri)
  await wallet.answer(request, await held.present(request, { given_name: true }))
  const other = await wallet.readRequest(refused.uri)
  await post(other.response_uri, { error: 'access_denied' })
  const later = { ...world.dependencies, now: () => new Date(Date.now() + 86_400_000), webhookEvents }
  const { tenantId } = world.first
  const subject = { tenantId, presentationId: expired.id }
  for (const _ of ['once', 'again']) await createRequestExpiry(later).expirePresentationRequest(subject)

  const { rows } = await world.dependencies.systemSql.query<{ id: string; payload: Buffer }>({
    text: `select e.id, e.payload from webhook_events e join webhook_deliveries d on d.event_id = e.id
      where d.webhook_id = $1`,
    values: [webhookId],
  })
  const sealer = createSealer(world.config.masterKey, 'webhooks')
  const told = rows.map(({ id, payload: sealed }) =>
    JSON.parse(sealer.open(sealed, payloadBoundTo(tenantId, id)).toString()),
  )
  const about = (created: { id: string }) => told.filter(({ requestId }) => requestId === created.id)
  t.deepEqual(about(verified), [{ requestId: verified.id, state: 'VERIFIED', failureCode: null }])
  t.like(about(refused), [{ state: 'REFUSED', failureCode: (await requests.read(refused.id)).failureCode }])
  t.like(about(expired), [{ state: 'EXPIRED', failureCode: 'openid_presentation.expired' }])
  t.is(about(refused).length + about(expired).length, 2)
  await hooks.remove(webhookId)
})
