import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { createTemplate } from '../../support/credentials/templates.ts'
import { type Authorization, assertionOf, errorOf, openAuthorization } from '../../support/openid/authorization.ts'
import {
  attestationProof,
  challengeOf,
  openWalletProvider,
  WALLET_CLIENT,
} from '../../support/openid/haip/attesting.ts'
import { openReissuing, type Reissuing, type Token } from '../../support/openid/haip/reissuing.ts'
import { createWalletKey, sessionsOf } from '../../support/openid/wallet.ts'

const CLAIMS = { given_name: 'Ada-of-the-reissue' }

let authorization: Authorization
let at: Reissuing
let template: string
test.before(async () => {
  authorization = await openAuthorization({ workflows: true })
  const { world } = authorization
  await createDid(world, 'ed25519', world.token, true)
  const claim_mappings = { given_name: { map_from: 'claims.given_name', required: true } }
  template = (
    await createTemplate(world, {
      claim_mappings,
      proof_type: 'eddsa-rdfc-2022',
      ignore_unmapped: true,
      revocable: true,
    })
  ).id
  at = openReissuing(authorization)
})
test.after.always(() => authorization?.close())

const grants = async () =>
  (await authorization.world.ask('/.well-known/oauth-authorization-server')).json<{ grant_types_supported: string[] }>()
    .grant_types_supported

const rows = async <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await authorization.world.dependencies.systemSql.query<Row>({ text, values })).rows

const wanted = () => ({ credential_configuration_id: template })

test.serial('without reissueDays nobody gets a refresh token, and one is no grant type', async (t) => {
  t.false((await grants()).includes('refresh_token'))
  const { first } = await at.issued([template], CLAIMS)
  t.false('refresh_token' in first)
  const reply = await at.refresh('x'.repeat(43), { key: await createWalletKey() })
  t.is(errorOf(reply), '400 invalid_grant')
})

test.serial(
  'a wallet gets its credential anew, without its holder, by a session of its own (section 13.5)',
  async (t) => {
    await authorization.setPolicy({ reissueDays: 30 })
    t.true((await grants()).includes('refresh_token'))
    const { world } = authorization
    const { key, sessionId, refreshToken } = await at.issued([template], CLAIMS)
    const sessions = sessionsOf(world)
    const [before] = await at.list()
    t.like(before, { sessionId, uses: 0, boundTo: 'dpop', templateIds: [template] })
    const first = await sessions.read(sessionId)
    t.deepEqual(before?.credentialIds, first.issuances[0]?.credentialIds)
    t.is(Reflect.get(first, 'reissuanceId'), before?.id)
    const seen: string[] = [before?.credentialIds[0] ?? '']
    for (const uses of [1, 2]) {
      const reply = await at.refresh(refreshToken, { key })
      t.is(reply.status, 200, reply.text)
      const token = reply.json<Token>()
      t.false('refresh_token' in token, 'it is bound to its wallet, and stays')
      const answer = await at.credential(wanted(), token, key)
      t.is(answer.status, 200, answer.text)
      const document = answer.json<{ credentials: { credential: { credentialSubject: object } }[] }>().credentials[0]
      t.like(document?.credential.credentialSubject, CLAIMS)
      const [grant] = await at.list()
      t.like(grant, { id: before?.id, uses })
      const [credentialId = ''] = grant?.credentialIds ?? []
      t.false(seen.includes(credentialId))
      seen.push(credentialId)
      const found = await rows<{ id: string }>(
        'select id from openid_sessions where reissuance_id = $1 order by created_at desc',
        before?.id,
      )
      t.is(found.length, uses + 1)
      const session = await sessions.read(found[0]?.id ?? '')
      t.deepEqual(
        session.steps.map(({ step }) => step),
        ['REFRESHED', 'TOKEN_ISSUED', 'CREDENTIAL_REQUESTED', 'CREDENTIAL_ISSUED'],
      )
      t.deepEqual(session.issuances[0]?.credentialIds, [credentialId])
    }
    t.is((await at.list(`?credentialId=${seen[2]}`)).length, 1)
    t.is((await at.list(`?credentialId=${seen[0]}`)).length, 1, 'also one that was replaced')
    const entries = await rows<{ metadata: string }>(
      `select metadata::text as metadata from logs where type = 'OPENID_CREDENTIAL_ISSUE_SUCCESS'`,
    )
    const ids = await rows<{ id: string }>('select id from openid_sessions where reissuance_id = $1', before?.id)
    for (const { id } of ids) t.is(entries.filter(({ metadata }) => metadata.includes(id)).length, 1)
    t.false(JSON.stringify(entries).includes(CLAIMS.given_name))
  },
)

test.serial('claims are kept once there is a credential, and encrypted', async (t) => {
  const key = await createWalletKey()
  const { members } = await at.offered([template], CLAIMS)
  const token = (await at.token(members, { key })).json<Token>()
  const content = async () =>
    rows<{ content: Buffer | null }>('select content from openid_reissuances order by created_at desc limit 1')
  t.is((await content())[0]?.content, null)
  const listed = (await at.list()).length
  t.is((await at.credential(wanted(), token, key)).status, 200)
  t.is((await at.list()).length, listed + 1)
  const [row] = await content()
  t.false(row?.content?.includes(CLAIMS.given_name))
  t.true((row?.content?.length ?? 0) > 0)
})

test.serial(
  'before its session has ended a token is for that session, and the one before counts no more',
  async (t) => {
    const key = await createWalletKey()
    const { id, members } = await at.offered([template], CLAIMS)
    const first = (await at.token(members, { key })).json<Token>()
    const second = (await at.refresh(first.refresh_token ?? '', { key })).json<Token>()
    t.is(errorOf(await at.credential(wanted(), first, key)), '401 invalid_token')
    t.is((await at.credential(wanted(), second, key)).status, 200)
    t.is((await sessionsOf(authorization.world).read(id)).issuances[0]?.state, 'ISSUED')
  },
)

test.serial('authorization details come again, with new identifiers; fewer of them may be asked for', async (t) => {
  const details = (ids: string[]) =>
    JSON.stringify(ids.map((id) => ({ type: 'openid_credential', credential_configuration_id: id })))
  const claim_mappings = { given_name: { map_from: 'claims.given_name', required: true } }
  const more = { claim_mappings, proof_type: 'eddsa-rdfc-2022', ignore_unmapped: true, type: 'SecondCredential' }
  const other = (await createTemplate(authorization.world, more)).id
  const both = { authorization_details: details([template, other]) }
  const { key, first, refreshToken } = await at.issued([template, other], CLAIMS, both)
  const again = (await at.refresh(refreshToken, { key })).json<Token>()
  t.is(again.authorization_details?.length, 2)
  t.notDeepEqual(again.authorization_details, first.authorization_details)
  const [old] = first.authorization_details?.[0]?.credential_identifiers ?? []
  t.is(errorOf(await at.credential({ credential_identifier: old }, again, key)), '400 unknown_credential_identifier')
  for (const {
    credential_identifiers: [credential_identifier],
  } of again.authorization_details ?? [])
    t.is((await at.credential({ credential_identifier }, again, key)).status, 200)
  const one = (await at.refresh(refreshToken, { key }, { authorization_details: details([other]) })).json<Token>()
  t.deepEqual(
    one.authorization_details?.map((each) => each.credential_configuration_id),
    [other],
  )
  const { members } = await at.offered([template, other], CLAIMS)
  const narrow = (await at.token({ ...members, authorization_details: details([template]) }, { key })).json<Token>()
  const still = (await at.refresh(narrow.refresh_token ?? '', { key })).json<Token>()
  t.deepEqual(still.authorization_details, narrow.authorization_details, 'no more than its first token had')
  const wider = await at.refresh(narrow.refresh_token ?? '', { key }, { authorization_details: details([other]) })
  t.is(errorOf(wider), '400 invalid_authorization_details')
})

test.serial('a credential that an open session has given already comes again in another session', async (t) => {
  const more = { proof_type: 'eddsa-rdfc-2022', ignore_unmapped: true, type: 'FourthCredential' }
  const other = (await createTemplate(authorization.world, more)).id
  const details = (...ids: string[]) => ({
    authorization_details: JSON.stringify(
      ids.map((id) => ({ type: 'openid_credential', credential_configuration_id: id })),
    ),
  })
  const key = await createWalletKey()
  const { members } = await at.offered([template, other], CLAIMS)
  const first = (await at.token({ ...members, ...details(template, other) }, { key })).json<Token>()
  const named = (token: Token) => ({
    credential_identifier: token.authorization_details?.find((each) => each.credential_configuration_id === template)
      ?.credential_identifiers[0],
  })
  t.is((await at.credential(named(first), first, key)).status, 200)
  const refresh = async (...ids: string[]) =>
    (await at.refresh(first.refresh_token ?? '', { key }, details(...ids))).json<Token>()
  const going = await refresh(template, other)
  t.regex((await at.credential(named(going), going, key)).text, /credential_request_denied.*name this credential/)
  const again = await refresh(template)
  const reply = await at.credential(named(again), again, key)
  t.is(reply.status, 200, reply.text)
})

test.serial('an open session that lacks what is asked for ends, and scope says what the token is for', async (t) => {
  const claim_mappings = { given_name: { map_from: 'claims.given_name', required: true } }
  const more = { claim_mappings, proof_type: 'eddsa-rdfc-2022', ignore_unmapped: true, type: 'ThirdCredential' }
  const other = (await createTemplate(authorization.world, more)).id
  const details = (...ids: string[]) => ({
    authorization_details: JSON.stringify(
      ids.map((id) => ({ type: 'openid_credential', credential_configuration_id: id })),
    ),
  })
  const idsOf = (token: Token) => token.authorization_details?.map((each) => each.credential_configuration_id)
  const named = await at.issued([template, other], CLAIMS, details(template, other))
  const narrow = (await at.refresh(named.refreshToken, named, details(other))).json<Token>()
  const reply = await at.refresh(named.refreshToken, named, details(template))
  t.is(reply.status, 200, reply.text)
  t.deepEqual(idsOf(reply.json<Token>()), [template])
  const [identifier] = narrow.authorization_details?.[0]?.credential_identifiers ?? []
  t.is(errorOf(await at.credential({ credential_identifier: identifier }, narrow, named.key)), '401 invalid_token')
  const [ended] = await rows<{ state: string; failure_code: string }>(
    `select state, failure_code from openid_sessions where failure_code = 'openid_session.refreshed'`,
  )
  t.is(ended?.state, 'CANCELLED')
  const all = (await at.refresh(named.refreshToken, named)).json<Token>()
  t.deepEqual(idsOf(all)?.toSorted(), [template, other].toSorted(), 'nothing is named: all of it')

  const { credential_configurations_supported: known } = (
    await authorization.world.ask('/.well-known/openid-credential-issuer')
  ).json<{ credential_configurations_supported: Record<string, { scope: string }> }>()
  const [one, two] = [known[template]?.scope ?? '', known[other]?.scope ?? '']
  const { refreshToken, key } = await at.issued([template, other], CLAIMS)
  t.is((await at.refresh(refreshToken, { key }, { scope: two })).json<Token>().scope, two)
  const both = (await at.refresh(refreshToken, { key }, { scope: `${one} ${two}` })).json<Token>()
  t.deepEqual(both.scope?.split(' ').toSorted(), [one, two].toSorted())
  const still = (await at.refresh(refreshToken, { key }, { scope: one })).json<Token>()
  t.deepEqual(still.scope?.split(' ').toSorted(), [one, two].toSorted(), 'the session under way gives both')
})

test.serial(
  'an attested wallet proves the key of its instance, with any DPoP key (attestation draft, section 10)',
  async (t) => {
    const provider = await openWalletProvider()
    await provider.register(authorization.world)
    const headers = async (instance = own) => ({
      'oauth-client-attestation': await provider.attestWallet(instance),
      'oauth-client-attestation-pop': await attestationProof(instance, authorization.base, {
        challenge: await challengeOf(authorization.world),
      }),
    })
    const own = await createWalletKey()
    const key = await createWalletKey()
    const { members } = await at.offered([template], CLAIMS)
    const given = await at.token(members, { headers: await headers() })
    const first = given.json<Token>()
    t.is((await at.credential(wanted(), first)).status, 200)
    t.like((await at.list())[0], { boundTo: 'instance', walletClientId: WALLET_CLIENT })
    const token = first.refresh_token ?? ''
    t.is(errorOf(await at.refresh(token, { headers: await headers(await createWalletKey()) })), '400 invalid_grant')
    t.is(errorOf(await at.refresh(token, { key }, { client_id: WALLET_CLIENT })), '400 invalid_grant', 'its name alone')
    t.is((await at.refresh(token, { headers: await headers() })).status, 200)
  },
)

test.serial(
  'a registered wallet proves that by its registered keys, and not once it is registered no more',
  async (t) => {
    const { world, base } = authorization
    const key = await createWalletKey()
    const jwks = { keys: [{ ...key.publicJwk, kid: '1' }] }
    const body = { name: 'w', clientId: 'reissue-wallet', redirectUris: ['https://w.example/cb'], jwks }
    const { id } = (await world.ask('/v1/openid/wallets', { token: world.token, body })).json<{ id: string }>()
    const assertion = () => assertionOf(key, 'reissue-wallet', base)
    const { members } = await at.offered([template], CLAIMS)
    const first = (await at.token({ ...members, ...(await assertion()) })).json<Token>()
    t.is((await at.credential(wanted(), first)).status, 200)
    t.like((await at.list())[0], { boundTo: 'registration', walletClientId: 'reissue-wallet' })
    const token = first.refresh_token ?? ''
    t.is((await at.refresh(token, {}, await assertion())).status, 200)
    t.is(errorOf(await at.refresh(token, { key }, { client_id: 'reissue-wallet' })), '401 invalid_client')
    const bound = await createWalletKey()
    await world.ask(`/v1/openid/wallets/${id}`, { method: 'DELETE', token: world.token })
    t.is(errorOf(await at.refresh(token, { key: bound }, { client_id: 'reissue-wallet' })), '400 invalid_grant')
  },
)
