import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { createTemplate } from '../../support/credentials/templates.ts'
import {
  CLAIMS,
  createTemplates,
  createWalletKey,
  offerIn,
  openWallet,
  sessionsOf,
} from '../../support/openid/wallet.ts'
import { openWorld, type World } from '../../support/world.ts'

const PRE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
  await createDid(world, 'ed25519', world.token, true)
})
test.after.always(() => world?.close())

test('a wallet that asks for a part of an offer completes its session with that part (D-1191)', async (t) => {
  const { ldp_vc: wanted } = await createTemplates(world)
  const claim_mappings = { given_name: { map_from: 'claims.given_name', required: true } }
  const more = { claim_mappings, proof_type: 'eddsa-rdfc-2022', ignore_unmapped: true, type: 'OtherCredential' }
  const other = (await createTemplate(world, more)).id
  const { id, uri } = await sessionsOf(world).offer({ credentials: [other, wanted], claims: CLAIMS })
  const { credential_issuer: at, grants } = offerIn(uri)
  const raw = new URLSearchParams({
    grant_type: PRE,
    'pre-authorized_code': grants[PRE]?.['pre-authorized_code'] ?? '',
    authorization_details: JSON.stringify([{ type: 'openid_credential', credential_configuration_id: wanted }]),
  }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await world.ask('/v1/oauth/token', { raw, headers })
  const { access_token: token, authorization_details: details } = answer.json<{
    access_token: string
    authorization_details: { credential_identifiers: string[] }[]
  }>()
  const wallet = openWallet([await createWalletKey('EdDSA')])
  const jwt = await wallet.prove(await wallet.client.resolveIssuerMetadata(at), wanted)
  const body = { credential_identifier: details[0]?.credential_identifiers[0], proofs: { jwt } }
  const reply = await world.ask('/v1/openid/credential', { token, body })
  t.is(reply.status, 200, reply.text)
  const { state, issuances } = await sessionsOf(world).read(id)
  t.deepEqual([state, issuances.map((each) => each.state)], ['ISSUED', ['ISSUED']])
  const { notification_id } = reply.json<{ notification_id: string }>()
  const noted = { notification_id, event: 'credential_accepted' }
  t.is((await world.ask('/v1/openid/notification', { token, body: noted })).status, 204)
  t.is((await sessionsOf(world).read(id)).state, 'COMPLETED')
})
