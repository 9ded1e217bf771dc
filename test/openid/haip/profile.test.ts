import { createHash, randomBytes } from 'node:crypto'
import { Openid4vciClient } from '@openid4vc/openid4vci'
import { IssuerSigned } from '@owf/mdoc'
import test from 'ava'
import { decodeJwt } from 'jose'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { refusal } from '../../support/credentials/templates.ts'
import {
  type Authorization,
  assertionOf,
  errorOf,
  openAuthorization,
  parametersFor,
  pkce,
} from '../../support/openid/authorization.ts'
import {
  attestationProof,
  challengeOf,
  openWalletProvider,
  WALLET_CLIENT,
  type WalletProvider,
} from '../../support/openid/haip/attesting.ts'
import { createAnswerKey, encryptingFetch, requestEncryptionOf } from '../../support/openid/haip/encryption.ts'
import { readMdoc } from '../../support/openid/verifying.ts'
import { createMobileTemplate, createWalletKey, type WalletKey } from '../../support/openid/wallet.ts'
import { createSdJwtTemplate } from '../../support/sd-jwt/credentials.ts'

const RETURN = 'https://wallet.example/return'

let authorization: Authorization
let provider: WalletProvider
let root: Uint8Array
let mdoc: string
let sdJwt: string
test.before(async () => {
  authorization = await openAuthorization({ workflows: true })
  const { world, setPolicy } = authorization
  const { certificatePem } = await makeIaca(world)
  root = new Uint8Array(Buffer.from(certificatePem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64'))
  await makeSigner(world, { active: true })
  await createDid(world, 'p256', world.token, true)
  mdoc = await createMobileTemplate(world)
  const reply = await world.ask('/v1/credentials/sd-jwt-vc/configurations', {
    token: world.token,
    body: {
      name: 'Identity',
      issued_as: 'x5c',
      claims: [
        { path: ['given_name'], map_from: 'claims.given_name', required: true },
        { path: ['family_name'], map_from: 'claims.family_name' },
      ],
    },
  })
  if (reply.status !== 201) throw new Error(`no template: ${reply.text}`)
  sdJwt = reply.json<{ id: string }>().id
  provider = await openWalletProvider()
  await provider.register(world, { redirectUris: [RETURN] })
  await setPolicy({ profile: 'haip', requiresEncryption: true, keyStorage: ['iso_18045_high'], batchSize: 5 })
})
test.after.always(() => authorization?.close())

const policy = (body?: object) =>
  authorization.world.ask('/v1/openid/wallet-policy', {
    token: authorization.world.token,
    ...(body && { method: 'PUT', body }),
  })

/** A wallet of another author with a provider: it is attested, and so are its keys. */
async function openAttestedWallet(keys: readonly WalletKey[]) {
  const { base, world } = authorization
  const [instance, bound, answers] = [await createWalletKey(), await createWalletKey(), await createAnswerKey()]
  const all = [instance, bound, ...keys]
  const encrypted: string[] = []
  const client = new Openid4vciClient({
    callbacks: {
      fetch: encryptingFetch(() => requestEncryptionOf(world), answers, encrypted),
      hash: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
      generateRandom: (length) => randomBytes(length),
      async clientAuthentication({ headers }) {
        const challenge = await challengeOf(world)
        headers.set('OAuth-Client-Attestation', await provider.attestWallet(instance))
        headers.set('OAuth-Client-Attestation-PoP', await attestationProof(instance, base, { challenge }))
      },
      async signJwt(signer, { header, payload }) {
        const jwk = signer.method === 'jwk' ? signer.publicJwk : undefined
        const key = all.find(({ publicJwk }) => publicJwk.x === jwk?.x)
        if (!key) throw new Error('the wallet has no such key')
        return { jwt: await key.sign(header, payload), signerJwk: key.publicJwk }
      },
    },
  })
  const dpop = { signer: { method: 'jwk' as const, alg: 'ES256', publicJwk: bound.publicJwk } }

  /** From an offer to the credentials, one for each key. */
  async function collect(template: string, kind: 'jwt' | 'attestation') {
    const { uri } = await authorization.offered([template])
    const credentialOffer = await client.resolveCredentialOffer(uri)
    const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer)
    const { scope } = issuerMetadata.credentialIssuer.credential_configurations_supported[template] ?? {}
    const begun = await client.createAuthorizationRequestUrlFromOffer({
      ...{ credentialOffer, issuerMetadata, clientId: WALLET_CLIENT, redirectUri: RETURN, dpop },
      ...{ additionalRequestPayload: { login_hint: 'grace' }, ...(scope !== undefined && { scope }) },
    })
    const { location = '' } = await authorization.browser().follow(begun.authorizationRequestUrl, RETURN)
    const code = new URL(location).searchParams.get('code') ?? ''
    const { accessTokenResponse, dpop: next } = await client.retrieveAuthorizationCodeAccessTokenFromOffer({
      ...{ credentialOffer, issuerMetadata, authorizationCode: code, redirectUri: RETURN },
      ...{ pkceCodeVerifier: begun.pkce?.codeVerifier ?? '', dpop: { ...dpop, ...begun.dpop } },
    })
    const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata })
    const attestation = await provider.attestKeys(keys, { nonce })
    const [first] = keys
    if (!first) throw new Error('a wallet has a key')
    const signer = { method: 'jwk' as const, publicJwk: first.publicJwk, alg: first.alg }
    const proof = async () => {
      const asked = { issuerMetadata, credentialConfigurationId: template, signer, nonce, clientId: WALLET_CLIENT }
      return (await client.createCredentialRequestJwtProof({ ...asked, keyAttestationJwt: attestation })).jwt
    }
    const proofs = kind === 'jwt' ? { jwt: [await proof()] as [string] } : { attestation: [attestation] as [string] }
    const { credentialResponse } = await client.retrieveCredentials({
      ...{ issuerMetadata, accessToken: accessTokenResponse.access_token, credentialConfigurationId: template, proofs },
      ...(next && { dpop: next }),
    })
    const credentials = (credentialResponse.credentials ?? []).map((each) =>
      typeof each === 'object' && 'credential' in each ? each.credential : each,
    )
    return { credentials, accessTokenResponse, encrypted }
  }
  return { collect }
}

const keysOf = (count: number) => Promise.all(Array.from({ length: count }, () => createWalletKey()))

for (const kind of ['jwt', 'attestation'] as const) {
  test.serial(`a foreign wallet collects a batch of mdocs by HAIP 1.0, with a proof of the type ${kind}`, async (t) => {
    const keys = await keysOf(3)
    const { credentials, accessTokenResponse, encrypted } = await (await openAttestedWallet(keys)).collect(mdoc, kind)
    t.is(accessTokenResponse.token_type, 'DPoP')
    t.is(encrypted.length, 1, 'the answer came encrypted')
    t.is(credentials.length, 3)
    for (const [place, key] of keys.entries()) {
      const text = String(credentials[place])
      t.truthy(IssuerSigned.fromEncodedForOid4Vci(text))
      t.like(await readMdoc(text, root, key), { given_name: 'grace' })
    }
  })

  test.serial(
    `a foreign wallet collects a batch of SD-JWT VCs by HAIP 1.0, with a proof of the type ${kind}`,
    async (t) => {
      const keys = await keysOf(3)
      const { credentials, encrypted } = await (await openAttestedWallet(keys)).collect(sdJwt, kind)
      t.is(encrypted.length, 1)
      const payloads = credentials.map((each) => decodeJwt(String(each).split('~')[0] ?? ''))
      t.deepEqual(
        payloads.map(({ cnf }) => (cnf as { jwk: { x: string } }).jwk.x),
        keys.map(({ publicJwk }) => publicJwk.x),
      )
      // the certificate of the signer ends at a second of its own (RFC 9901, section 10.1)
      t.true(payloads.every(({ exp = 1 }) => exp % 3_600 === 0))
    },
  )
}

test.serial(
  'the profile is one setting, which the policy and the metadata show, and which nothing weakens',
  async (t) => {
    const demanded = ['Par', 'Dpop', 'ClientAuthentication', 'WalletAttestation', 'KeyAttestation']
    const shown = (await policy()).json<Record<string, unknown>>()
    t.is(shown.profile, 'haip')
    for (const name of [...demanded.map((each) => `requires${each}`), 'signsMetadata']) {
      t.true(shown[name], name)
      const refused = await policy({ [name]: false })
      t.is(refused.status, 400, name)
      t.is(refused.json<{ errors: { path: string }[] }>().errors[0]?.path, name)
    }
    const { world } = authorization
    const server = (await world.ask('/.well-known/oauth-authorization-server')).json<Record<string, unknown>>()
    t.like(server, {
      require_pushed_authorization_requests: true,
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['attest_jwt_client_auth'],
      code_challenge_methods_supported: ['S256'],
    })
    const signed = await world.ask('/.well-known/openid-credential-issuer', { headers: { accept: 'application/jwt' } })
    const metadata = decodeJwt(signed.text) as Record<string, unknown>
    t.deepEqual(metadata.batch_credential_issuance, { batch_size: 5 })
    t.like(metadata.credential_response_encryption, { encryption_required: true })
    const known = metadata.credential_configurations_supported as Record<
      string,
      { scope?: string; proof_types_supported: object }
    >
    for (const { scope, proof_types_supported: types } of Object.values(known)) {
      t.truthy(scope)
      t.like(types, { attestation: { key_attestations_required: { key_storage: ['iso_18045_high'] } } })
    }
  },
)

test.serial(
  'what the profile forbids: trust without a certificate, one that signs itself, the anchor in x5c, and authorization_details',
  async (t) => {
    const { base, form, offered, world } = authorization
    await provider.register(world, { certificates: [provider.selfSigned.pem], jwks: { keys: [provider.jwk] } })
    const instance = await createWalletKey()
    const push = async (header: object, more: Record<string, string> = {}, maker = provider) => {
      const { issuerState } = await offered([mdoc])
      const own = { client_id: WALLET_CLIENT, redirect_uri: RETURN, ...more }
      const headers = {
        'oauth-client-attestation': await maker.attestWallet(instance, {}, header),
        'oauth-client-attestation-pop': await attestationProof(instance, base, { challenge: await challengeOf(world) }),
      }
      return form('/v1/oauth/par', parametersFor(pkce().challenge, issuerState, own) as Record<string, string>, headers)
    }
    t.is((await push({})).status, 201)
    t.is(errorOf(await push({ x5c: undefined, kid: provider.jwk.kid })), '401 invalid_client')
    t.is(errorOf(await push({ x5c: [provider.selfSigned.x5c] })), '401 invalid_client')
    t.is(errorOf(await push({ x5c: [provider.leaf.x5c, provider.anchor.x5c] })), '401 invalid_client')
    const pinned = await openWalletProvider()
    await pinned.register(world, { certificates: [pinned.leaf.pem], redirectUris: [RETURN] })
    t.is((await push({}, {}, pinned)).status, 201, 'the certificate of the signer itself is trusted')
    t.is(errorOf(await push({ x5c: [pinned.leaf.x5c, pinned.leaf.x5c] }, {}, pinned)), '401 invalid_client')
    const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: mdoc }])
    t.is(errorOf(await push({}, { authorization_details: details })), '400 invalid_request')
  },
)

test.serial(
  'a wallet with keys of its own names the issuer alone as aud (FAPI 2.0 Security Profile, section 5.3.2.1)',
  async (t) => {
    const { base, form, offered, world } = authorization
    const [own, instance] = [await createWalletKey(), await createWalletKey()]
    const clientId = 'https://registered.example'
    const redirect_uri = `${clientId}/return`
    const body = { name: 'With keys', clientId, redirectUris: [redirect_uri], jwks: { keys: [own.publicJwk] } }
    t.is((await world.ask('/v1/openid/wallets', { token: world.token, body })).status, 201)
    const push = async (aud: string) => {
      const { issuerState } = await offered([mdoc])
      const asked = parametersFor(pkce().challenge, issuerState, { client_id: clientId, redirect_uri })
      const members = { ...(asked as Record<string, string>), ...(await assertionOf(own, clientId, aud)) }
      const challenge = await challengeOf(world)
      return form('/v1/oauth/par', members, {
        'oauth-client-attestation': await provider.attestWallet(instance, { sub: clientId }),
        'oauth-client-attestation-pop': await attestationProof(instance, base, { challenge }),
      })
    }
    t.is(errorOf(await push(`${base}/v1/oauth/par`)), '401 invalid_client')
    t.is((await push(base)).status, 201)
  },
)

test.serial('who does not push a request is told to, not that its address is wrong', async (t) => {
  const { authorizeUrl, browser, offered } = authorization
  const { issuerState } = await offered([mdoc])
  const own = { client_id: WALLET_CLIENT, redirect_uri: RETURN }
  const { status, text } = await browser().open(authorizeUrl(parametersFor(pkce().challenge, issuerState, own)))
  t.is(status, 400)
  t.regex(text, /push their requests with an attestation only/)
  t.notRegex(text, /redirect_uri/)
})

test.serial('SD-JWT VCs without the certificate of their signer are not given (HAIP 1.0, section 6.1.1)', async (t) => {
  const { form, base, offered, world, setPolicy } = authorization
  const bare = (await createSdJwtTemplate(world, { revocable: false })).id
  const metadata = (await world.ask('/.well-known/openid-credential-issuer')).json<{
    credential_configurations_supported: Record<string, object>
  }>()
  const known = Object.keys(metadata.credential_configurations_supported)
  t.deepEqual([known.includes(sdJwt), known.includes(bare)], [true, false])
  const body = { credentials: [bare], grantType: 'authorization_code' }
  const refused = await world.ask('/v1/openid/sessions', { token: world.token, body })
  t.is(refusal(refused, 400), 'openid_offer.invalid')
  t.like(refused.json<{ errors: object[] }>().errors[0], { path: 'credentials.0', code: 'profile' })
  t.regex(refused.text, /issued_as x5c/)
  await setPolicy({ profile: null })
  const { issuerState } = await offered([bare])
  await setPolicy({ profile: 'haip' })
  const instance = await createWalletKey()
  const own = { client_id: WALLET_CLIENT, redirect_uri: RETURN }
  const asked = parametersFor(pkce().challenge, issuerState, own) as Record<string, string>
  const pushed = await form('/v1/oauth/par', asked, {
    'oauth-client-attestation': await provider.attestWallet(instance),
    'oauth-client-attestation-pop': await attestationProof(instance, base, { challenge: await challengeOf(world) }),
  })
  t.regex(pushed.text, /issued_as of the template to x5c/)
  t.true(pushed.status >= 400)
})

test.serial('without its profile, a tenant has again what it chose before', async (t) => {
  const reply = await policy({ profile: null })
  t.like(reply.json<object>(), { profile: null, requiresPar: false, requiresKeyAttestation: false, batchSize: 5 })
  const again = await policy({ profile: 'haip' })
  t.like(again.json<object>(), { profile: 'haip', requiresPar: true, requiresKeyAttestation: true, batchSize: 5 })
  t.is((await policy({ profile: 'other' })).status, 400)
})
