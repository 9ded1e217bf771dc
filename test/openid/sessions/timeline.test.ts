import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { CLAIMS, createTemplates, createWalletKey, openWallet, sessionsOf } from '../../support/openid/wallet.ts'
import { webhooksOf } from '../../support/webhooks.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
  await createDid(world, 'ed25519', world.token, true)
})
test.after.always(() => world?.close())

test('the timeline of a collected credential names its session and its event, by which deliveries are found', async (t) => {
  const { ldp_vc } = await createTemplates(world)
  const hooks = webhooksOf(world, world.token)
  const webhook = await hooks.created({
    url: 'https://receiver.university.example/hooks',
    events: ['OpenIdCredentialIssued'],
  })
  const sessions = sessionsOf(world)
  const { id, uri } = await sessions.offer({ credentials: [ldp_vc], claims: CLAIMS })
  await openWallet([await createWalletKey('EdDSA')]).collect(uri)
  const [credentialId = ''] = (await sessions.read(id)).issuances.flatMap(({ credentialIds }) => credentialIds)
  const timeline = await world.ask(`/v1/credentials/${credentialId}/timeline`, { token: world.token })
  const { data } = timeline.json<{ data: { type: string; details: Record<string, string> }[] }>()
  const issued = data.find(({ type }) => type === 'credential.issued')
  t.is(issued?.details.session_id, id)
  const { deliveries } = await hooks.deliveries(`?eventId=${issued?.details.event_id}`)
  t.deepEqual(
    deliveries.map(({ webhookId, eventType }) => [webhookId, eventType]),
    [[webhook.id, 'OpenIdCredentialIssued']],
  )
})
