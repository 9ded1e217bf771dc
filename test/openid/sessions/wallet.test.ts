import { createPublicKey, verify } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Openid4vciVersion } from '@openid4vc/openid4vci'
import { CoseKey, Holder, IssuerSigned } from '@owf/mdoc'
import proto from '@temporalio/proto'
import test from 'ava'
import { decode } from 'cbor2'
import { fromText, PREFIXES } from '../../../protocol/compact-credentials/text.ts'
import { encodeCbor } from '../../../protocol/cose/cbor.ts'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { apiKey, claimSourcesOf } from '../../support/claim-sources.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { peerVerifies } from '../../support/credentials/linkage.ts'
import { context } from '../../support/credentials/mobile.context.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import {
  CLAIMS,
  createMobileTemplate,
  createTemplates,
  createWalletKey,
  offerIn,
  openWallet,
  sessionsOf,
} from '../../support/openid/wallet.ts'
import { openWorldBeside, type WorldBeside } from '../../support/parts/elsewhere.ts'

/** How the claim source answers; a test that changes it has it back. */
const source = { status: 200, claims: {} as object }
const listener = (request: IncomingMessage, response: ServerResponse) => {
  request.resume().on('end', () => {
    response.writeHead(source.status, { 'content-type': 'application/json' }).end(JSON.stringify(source.claims))
  })
}

let beside: WorldBeside
let templates: Awaited<ReturnType<typeof createTemplates>>
let issuer: string
let root: Uint8Array
let signerBegan: number
test.before(async () => {
  const env = { CLAIM_SOURCE_ALLOW_PRIVATE: 'true', CLAIM_SOURCE_RETRY_SECONDS: '0.1', CLAIM_SOURCE_TIMEOUT_MS: '1000' }
  beside = await openWorldBeside('claims.acme.test', listener, { workflows: true, env })
  issuer = await createDid(beside.world, 'ed25519', beside.world.token, true)
  const iaca = await makeIaca(beside.world)
  root = new Uint8Array(Buffer.from(iaca.certificatePem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64'))
  const signer = await makeSigner(beside.world, { active: true })
  signerBegan = Date.parse(signer.certificateData.notBefore)
  templates = await createTemplates(beside.world)
})
test.after.always(() => beside?.close())

const world = () => beside.world
const sessions = () => sessionsOf(world())
const offer = (id: string, more: object = {}) => sessions().offer({ credentials: [id], claims: CLAIMS, ...more })

const PRE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

const hourBegins = (time: Date): boolean => time.getTime() % 3_600_000 === 0

/** COSE_Sign1 (RFC 9052, section 4.4), read by cbor2 and verified by node:crypto. */
function readCwt(text: string, prefix: string): Map<unknown, unknown> {
  const { contents } = decode(fromText(prefix, text)) as { contents: [Uint8Array, unknown, Uint8Array, Uint8Array] }
  const [header, , payload, signature] = contents
  const { method } = dereference(
    resolveDidKey(issuer),
    `${issuer}#${issuer.slice('did:key:'.length)}`,
    'assertionMethod',
  )
  const key = createPublicKey({ key: { ...toJwk(publicKeyOf(method)) }, format: 'jwk' })
  const signed = encodeCbor(['Signature1', header, new Uint8Array(0), payload])
  if (!verify(null, signed, key, signature)) throw new Error('the signature is wrong')
  return decode(payload) as Map<unknown, unknown>
}

test('ldp_vc: a foreign wallet collects it, and @digitalbazaar/vc verifies it (OpenID4VCI 1.0)', async (t) => {
  const wallet = openWallet([await createWalletKey('EdDSA')])
  const { id, uri } = await offer(templates.ldp_vc)
  const { credentials, issuerMetadata } = await wallet.collect(uri)
  const [credential] = credentials as Record<string, unknown>[]
  t.is(issuerMetadata.originalDraftVersion, Openid4vciVersion.V1)
  const verified = await peerVerifies(credential ?? {}, async (did) => resolveDidKey(did))
  t.true(verified.verified, String(verified.error))
  const subject = credential?.credentialSubject as Record<string, string>
  t.is(subject.given_name, 'Ada')
  t.regex(subject.id ?? '', /^did:key:z6Mk/, 'the subject is the key that the wallet proved')
  const search = { token: world().token, body: { subject: subject.id } }
  const found = (await world().ask('/v1/credentials/search', search)).json<{ data: { id: string }[] }>()
  t.deepEqual(
    found.data.map((each) => each.id),
    (await sessions().read(id)).issuances[0]?.credentialIds,
    'and the credential is found by it',
  )
  const { state, steps, issuances, waitsFor } = await sessions().read(id)
  t.deepEqual([state, waitsFor, issuances[0]?.state], ['ISSUED', 'notification', 'ISSUED'])
  const expected = ['OFFER_CREATED', 'TOKEN_ISSUED', 'CREDENTIAL_REQUESTED', 'CREDENTIAL_ISSUED']
  t.deepEqual(
    steps.map(({ step }) => step),
    expected,
  )
})

test('mso_mdoc: the device key is the one proved, and @owf/mdoc verifies it (ISO/IEC 18013-5)', async (t) => {
  const key = await createWalletKey()
  const { credentials } = await openWallet([key]).collect((await offer(templates.mso_mdoc)).uri)
  const issuerSigned = IssuerSigned.fromEncodedForOid4Vci(String(credentials[0]))
  await Holder.verifyIssuerSigned({ issuerSigned, trustedCertificates: [root] }, context)
  const { mobileSecurityObject } = issuerSigned.issuerAuth
  t.deepEqual(mobileSecurityObject.deviceKeyInfo.deviceKey.encode(), CoseKey.fromJwk(key.publicJwk).encode())
  t.like(issuerSigned.getPrettyClaims('org.iso.18013.5.1') ?? {}, { family_name: 'Lovelace', issuing_country: 'NL' })
})

test('happy-flow: members that no standard knows change nothing (OpenID4VCI 1.0, sections 6.1, 8.2 and 11.1)', async (t) => {
  const wallet = openWallet([await createWalletKey()])
  const { id, uri } = await offer(templates.mso_mdoc)
  const { credential_issuer: at, grants } = offerIn(uri)
  const unknown = { q3xUnknown: 'x' }
  const code = grants[PRE]?.['pre-authorized_code'] ?? ''
  const raw = new URLSearchParams({ grant_type: PRE, 'pre-authorized_code': code, ...unknown }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { access_token: token } = (await world().ask('/v1/oauth/token', { raw, headers })).json<{
    access_token: string
  }>()
  const jwt = await wallet.prove(await wallet.client.resolveIssuerMetadata(at), templates.mso_mdoc)
  const request = { credential_configuration_id: templates.mso_mdoc, proofs: { jwt }, ...unknown }
  const reply = await world().ask('/v1/openid/credential', { token, body: request })
  t.deepEqual([reply.status, Object.keys(reply.json<object>()).sort()], [200, ['credentials', 'notification_id']])
  const { notification_id } = reply.json<{ notification_id: string }>()
  const body = { notification_id, event: 'credential_accepted', ...unknown }
  t.is((await world().ask('/v1/openid/notification', { token, body })).status, 204)
  t.is((await sessions().read(id)).state, 'COMPLETED')
})

test('mso_mdoc: its times are full hours, which do not tell what was issued together (RFC 9901, section 10.1)', async (t) => {
  const collect = async (template: string, keys: number) => {
    const wallet = openWallet(await Promise.all(Array.from({ length: keys }, () => createWalletKey())))
    const { credentials } = await wallet.collect((await offer(template)).uri)
    return credentials.map((each) => {
      const { issuerAuth } = IssuerSigned.fromEncodedForOid4Vci(String(each))
      return issuerAuth.mobileSecurityObject.validityInfo
    })
  }
  const infos = await collect(templates.mso_mdoc, 2)
  t.is(infos.length, 2)
  for (const { signed, validFrom, validUntil } of infos) {
    t.true(hourBegins(signed) || signed.getTime() === signerBegan, 'never before the certificate of the signer')
    t.is(validFrom.getTime(), signed.getTime())
    t.true(hourBegins(validUntil))
  }
  const short = await createMobileTemplate(world(), { expiration: { minutes: 5 } })
  const [brief] = await collect(short, 1)
  t.true((brief?.validUntil.getTime() ?? 0) > Date.now() + 200_000, 'one of five minutes has them all')
})

test('cwt and cwt_vc: issued without a key, with signatures that node:crypto verifies (RFC 8392)', async (t) => {
  const wallet = openWallet([])
  const compact = await wallet.collect((await offer(templates.cwt, { claims: { given_name: 'Ada' } })).uri)
  t.is(readCwt(String(compact.credentials[0]), PREFIXES.compact).get(1), issuer)
  const semantic = await wallet.collect((await offer(templates.cwt_vc, { claims: { given_name: 'Ada' } })).uri)
  const claims = readCwt(String(semantic.credentials[0]), PREFIXES['compact-semantic'])
  t.regex(JSON.stringify(claims.get('vc') ?? [...claims]), /Ada/)
})

test('keys of a batch each get a credential; the same request again gets the same ones, another one nothing', async (t) => {
  const keys = await Promise.all([createWalletKey(), createWalletKey('EdDSA'), createWalletKey()])
  const wallet = openWallet(keys)
  const { id, uri } = await offer(templates.ldp_vc)
  const first = await wallet.collect(uri)
  t.is(new Set(first.credentials.map((each) => JSON.stringify(each))).size, 3)
  const again = await wallet.client.retrieveCredentials(first)
  t.deepEqual(again.credentialResponse, first.credentialResponse, 'with the nonce of before')
  const anew = await wallet.client.retrieveCredentials({
    ...first,
    proofs: { jwt: await wallet.prove(first.issuerMetadata, templates.ldp_vc) },
  })
  t.deepEqual(anew.credentialResponse, first.credentialResponse, 'with a new nonce')
  const other = openWallet([await createWalletKey()])
  const proofs = { jwt: await other.prove(first.issuerMetadata, templates.ldp_vc) }
  await t.throwsAsync(other.client.retrieveCredentials({ ...first, proofs }), { message: /credential_request_denied/ })
  const { issuances } = await sessions().read(id)
  t.is(issuances[0]?.credentialIds.length, 3)
})

test('twenty requests at once with two sets of keys: one set gets its credential, once', async (t) => {
  const wallets = [openWallet([await createWalletKey()]), openWallet([await createWalletKey()])] as const
  const { id, uri } = await offer(templates.ldp_vc)
  const { issuerMetadata, accessToken } = await wallets[0].authorize(uri)
  const base = { issuerMetadata, accessToken, credentialConfigurationId: templates.ldp_vc }
  const proofs = await Promise.all(wallets.map((wallet) => wallet.prove(issuerMetadata, templates.ldp_vc)))
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, nth) =>
      wallets[0].client.retrieveCredentials({ ...base, proofs: { jwt: proofs[nth % 2] as [string] } }),
    ),
  )
  const given = results.flatMap((each) =>
    each.status === 'fulfilled' ? [JSON.stringify(each.value.credentialResponse.credentials)] : [],
  )
  t.is(given.length, 10)
  t.is(new Set(given).size, 1)
  t.is((await sessions().read(id)).issuances[0]?.credentialIds.length, 1)
})

test('a transaction code is asked for; a notification ends the session, and its event is the one of the credential', async (t) => {
  const wallet = openWallet([await createWalletKey()])
  const { id, uri, txCode } = await offer(templates.mso_mdoc, { txCode: true })
  t.regex(txCode ?? '', /^\d{6}$/)
  const collected = await wallet.collect(uri, txCode)
  const { issuerMetadata, accessToken, notificationId } = collected
  const notification = { notificationId, event: 'credential_accepted' as const }
  await wallet.client.sendNotification({ issuerMetadata, accessToken, notification })
  await wallet.client.sendNotification({ issuerMetadata, accessToken, notification })
  const { state, issuances, steps } = await sessions().read(id)
  t.is(state, 'COMPLETED')
  t.is(steps.filter(({ step }) => step === 'NOTIFIED').length, 1)
  const { rows } = await world().dependencies.systemSql.query<{ type: string; content: unknown }>({
    text: `select e.type, s.content from webhook_events e, openid_sessions s where s.id = $1 and e.tenant_id = s.tenant_id
      and e.created_at >= (select created_at from credentials where id = $2)
      and e.created_at <= (select issued_at from openid_issuances where session_id = $1)`,
    values: [id, issuances[0]?.credentialIds[0]],
  })
  t.true(rows.some(({ type, content }) => type === 'OpenIdCredentialIssued' && content === null))
  const workflow = world().dependencies.temporal.client.workflow.getHandle(
    `${world().first.tenantId}/openid/sessions/${id}`,
  )
  await until('the end of the workflow', async () => (await workflow.describe()).status.name === 'COMPLETED')
})

test.serial(
  'claims of a claim source are signed; when it fails, wallet and operator are told, and a retry issues',
  async (t) => {
    const { id: claimSourceId } = await claimSourcesOf(world(), world().token).created({
      name: 'Registry',
      url: beside.urlOf('claims'),
      request_method: 'POST',
      request_parameters: { sub: { map_from: 'claims.given_name' } },
      authorization: apiKey(),
    })
    source.claims = { family_name: 'of the source', given_name: 'of the source', unknown: 'x' }
    const mso_mdoc = await createMobileTemplate(world(), { claim_source_id: claimSourceId })
    const wallet = openWallet([await createWalletKey()])
    const { id, uri } = await offer(mso_mdoc, { claims: { given_name: 'Ada' } })
    source.status = 500
    const { issuerMetadata, accessToken } = await wallet.authorize(uri)
    const request = {
      issuerMetadata,
      accessToken,
      credentialConfigurationId: mso_mdoc,
      proofs: { jwt: (await wallet.prove(issuerMetadata, mso_mdoc)) as [string] },
    }
    await t.throwsAsync(wallet.client.retrieveCredentials(request), { message: /credential_request_denied.*later/s })
    const failed = await sessions().read(id)
    t.is(failed.waitsFor, 'retry')
    t.like(failed.issuances[0], { state: 'FAILED', failure: { code: 'claim_source.answer' } })
    t.false(JSON.stringify(failed).includes('Ada'))
    source.status = 200
    t.is((await sessions().post(id, 'retry')).status, 200)
    await until('the credential', async () => (await sessions().read(id)).state === 'ISSUED')
    const { credentialResponse } = await wallet.client.retrieveCredentials(request)
    const [given] = credentialResponse.credentials as { credential: string }[]
    const claims = IssuerSigned.fromEncodedForOid4Vci(given?.credential ?? '').getPrettyClaims('org.iso.18013.5.1')
    t.like(claims ?? {}, { given_name: 'Ada', family_name: 'of the source' })
    t.is((await sessions().post(id, 'retry')).status, 409)
    const { first, dependencies } = world()
    const workflow = dependencies.temporal.client.workflow.getHandle(`${first.tenantId}/openid/sessions/${id}`)
    const history = Buffer.from(proto.temporal.api.history.v1.History.encode(await workflow.fetchHistory()).finish())
    t.true(history.includes(id), 'the history is the one of the session')
    for (const secret of ['of the source', 'Ada']) t.false(history.includes(secret), secret)
  },
)

test.serial(
  'without a worker the wallet is told to wait, and gets the credential once there is one again',
  async (t) => {
    const wallet = openWallet([await createWalletKey()])
    const { id, uri } = await offer(templates.ldp_vc)
    const { issuerMetadata, accessToken } = await wallet.authorize(uri)
    await world().stopWorker()
    const proofs = { jwt: (await wallet.prove(issuerMetadata, templates.ldp_vc)) as [string] }
    const request = { issuerMetadata, accessToken, credentialConfigurationId: templates.ldp_vc, proofs }
    const { credentialResponse } = await wallet.client.retrieveCredentials(request)
    t.is(credentialResponse.interval, 5)
    const transactionId = String(credentialResponse.transaction_id)
    t.like(await sessions().read(id), { state: 'AUTHORIZED', waitsFor: 'issuance' })
    await world().startWorker()
    await until('the credential', async () => (await sessions().read(id)).state === 'ISSUED')
    // the library refuses a notification_id here, which the standard allows (OpenID4VCI 1.0, section 9.2)
    const body = { transaction_id: transactionId }
    const deferred = await world().ask('/v1/openid/deferred-credential', { token: accessToken, body })
    t.is(deferred.json<{ credentials: object[] }>().credentials.length, 1)
    t.deepEqual((await wallet.client.retrieveCredentials(request)).credentialResponse, deferred.json())
    // what a wallet says that it has, it gets no more (section 9.1)
    const { notification_id } = deferred.json<{ notification_id: string }>()
    const notification = { notification_id, event: 'credential_accepted' }
    t.is((await world().ask('/v1/openid/notification', { token: accessToken, body: notification })).status, 204)
    const late = await world().ask('/v1/openid/deferred-credential', { token: accessToken, body })
    t.is(late.status, 400)
    t.like(late.json(), { error: 'invalid_transaction_id' })
  },
)
