import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { errorOf } from '../../support/openid/authorization.ts'
import { openWalletProvider, type WalletProvider } from '../../support/openid/haip/attesting.ts'
import {
  CLAIMS,
  createMobileTemplate,
  createWalletKey,
  openWallet,
  sessionsOf,
  type WalletKey,
} from '../../support/openid/wallet.ts'
import { createSdJwtTemplate } from '../../support/sd-jwt/credentials.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

const HIGH = { key_storage: ['iso_18045_high'], user_authentication: [] }
const MOBILE = '/v1/credentials/mobile/configurations'
const SD_JWT = '/v1/credentials/sd-jwt-vc/configurations'

let world: World
let provider: WalletProvider
/** Of each format: one that asks for attested keys, and one that does not. */
let templates: { format: string; guarded: string; free: string; claims: object }[]
test.before(async () => {
  world = await openWorld({ workflows: true })
  await makeIaca(world)
  await makeSigner(world, { active: true })
  await createDid(world, 'P-256', world.token, true)
  provider = await openWalletProvider()
  await provider.register(world)
  const key_attestations = { key_storage: ['iso_18045_high'] }
  templates = [
    {
      ...{ format: 'mso_mdoc', claims: CLAIMS },
      ...{ guarded: await createMobileTemplate(world, { key_attestations }), free: await createMobileTemplate(world) },
    },
    {
      ...{ format: 'dc+sd-jwt', claims: { given_name: 'Ada', city: 'London' } },
      guarded: (await createSdJwtTemplate(world, { key_attestations, revocable: false })).id,
      free: (await createSdJwtTemplate(world, { revocable: false })).id,
    },
  ]
})
test.after.always(() => world?.close())

const nonceOf = async () =>
  (await world.ask('/v1/openid/nonce', { method: 'POST' })).json<{ c_nonce: string }>().c_nonce

async function proof(key: WalletKey, header: object = {}): Promise<string> {
  const payload = { aud: world.config.publicUrl.origin, iat: Math.floor(Date.now() / 1000), nonce: await nonceOf() }
  return key.sign({ typ: 'openid4vci-proof+jwt', jwk: key.publicJwk, ...header }, payload)
}

/** Asks with a new offer until there is an answer. */
async function ask(template: string, claims: object, proofs: object): Promise<Reply> {
  const { uri } = await sessionsOf(world).offer({ credentials: [template], claims })
  const { accessToken: token } = await openWallet([]).authorize(uri)
  const body = { credential_configuration_id: template, proofs }
  let reply = await world.ask('/v1/openid/credential', { token, body })
  for (let tries = 0; reply.status === 202 && tries < 30; tries += 1)
    reply = await world.ask('/v1/openid/credential', { token, body })
  return reply
}

async function proofTypes(template: string) {
  const metadata = (await world.ask('/.well-known/openid-credential-issuer')).json<Record<string, unknown>>()
  const known = metadata.credential_configurations_supported as Record<string, { proof_types_supported: object }>
  return known[template]?.proof_types_supported
}

async function setPolicy(body: object): Promise<void> {
  const reply = await world.ask('/v1/openid/wallet-policy', { method: 'PUT', token: world.token, body })
  if (reply.status !== 200) throw new Error(`no policy: ${reply.text}`)
}

const firstError = (reply: Reply) =>
  reply.json<{ errors: { path: string; code: string; message: string }[] }>().errors[0]

for (const at of [0, 1])
  test.serial(
    `a template of format ${at} alone asks for attested keys, and metadata says so (section 12.2.4)`,
    async (t) => {
      const { guarded, free, claims } = templates[at] ?? t.fail()
      const required = { key_attestations_required: { key_storage: ['iso_18045_high'] } }
      t.like(await proofTypes(guarded), { jwt: required, attestation: required })
      t.false(JSON.stringify(await proofTypes(free)).includes('key_attestations_required'))
      const key = await createWalletKey()
      const bare = await ask(guarded, claims, { jwt: [await proof(key)] })
      t.is(errorOf(bare), '400 invalid_proof', bare.text)
      t.deepEqual(firstError(bare), {
        ...{ path: 'proofs.jwt.0', code: 'key_attestation' },
        message: 'expected a key_attestation in its header with key_storage of iso_18045_high',
      })
      t.is((await ask(free, claims, { jwt: [await proof(key)] })).status, 200)
      const weak = await provider.attestKeys([key], { nonce: await nonceOf(), key_storage: ['iso_18045_basic'] })
      for (const [proofs, place] of [
        [{ attestation: [weak] }, 'proofs.attestation.0'],
        [{ jwt: [await proof(key, { key_attestation: weak })] }, 'proofs.jwt.0'],
      ] as const) {
        const reply = await ask(guarded, claims, proofs)
        t.is(errorOf(reply), '400 invalid_proof')
        const message = 'expected as key_storage one of iso_18045_high'
        t.deepEqual(firstError(reply), { path: place, code: 'key_storage', message })
      }
      const good = await provider.attestKeys([key], { nonce: await nonceOf() })
      t.is((await ask(guarded, claims, { attestation: [good] })).status, 200)
      const stranger = await (await openWalletProvider()).attestKeys([key], { nonce: await nonceOf() })
      t.is(errorOf(await ask(guarded, claims, { attestation: [stranger] })), '400 invalid_proof')
    },
  )

test.serial('an attestation that comes with a new proof has a nonce of its own, which counts once too', async (t) => {
  const { free, claims } = templates[0] ?? t.fail()
  const key = await createWalletKey()
  const withProof = async (key_attestation: string) =>
    ask(free, claims, { jwt: [await proof(key, { key_attestation })] })
  const used = await provider.attestKeys([key], { nonce: await nonceOf() })
  t.is((await withProof(used)).status, 200)
  const foreign = await provider.attestKeys([key], { nonce: 'a nonce of somebody' })
  for (const old of [used, foreign]) t.is(errorOf(await withProof(old)), '400 invalid_nonce')
})

test.serial(
  'levels of a template stand in the place of the tenant’s; without any, those of the tenant count',
  async (t) => {
    const any = await createMobileTemplate(world, { key_attestations: {} })
    const basic = await createMobileTemplate(world, { key_attestations: { key_storage: ['iso_18045_basic'] } })
    await setPolicy({ keyStorage: ['iso_18045_high'], userAuthentication: ['iso_18045_high'] })
    try {
      const tenants = { key_storage: ['iso_18045_high'], user_authentication: ['iso_18045_high'] }
      t.like(await proofTypes(any), { jwt: { key_attestations_required: tenants } })
      t.like(await proofTypes(basic), {
        jwt: { key_attestations_required: { ...tenants, key_storage: ['iso_18045_basic'] } },
      })
      const key = await createWalletKey()
      const attest = async (storage: string) => ({
        attestation: [
          await provider.attestKeys([key], {
            ...{ nonce: await nonceOf(), key_storage: [storage], user_authentication: ['iso_18045_high'] },
          }),
        ],
      })
      t.is((await ask(any, CLAIMS, await attest('iso_18045_high'))).status, 200)
      t.is(errorOf(await ask(any, CLAIMS, await attest('iso_18045_basic'))), '400 invalid_proof')
      t.is((await ask(basic, CLAIMS, await attest('iso_18045_basic'))).status, 200)
      t.is(errorOf(await ask(basic, CLAIMS, await attest('iso_18045_high'))), '400 invalid_proof')
    } finally {
      await setPolicy({ keyStorage: [], userAuthentication: [] })
    }
  },
)

test.serial('an update changes what a template asks for, also of offers that are open', async (t) => {
  const body = async (id: string) => {
    const {
      id: _id,
      version: _version,
      ...rest
    } = (await world.ask(`${MOBILE}/${id}`, { token: world.token })).json<Record<string, unknown>>()
    return rest
  }
  const id = await createMobileTemplate(world)
  const { uri } = await sessionsOf(world).offer({ credentials: [id], claims: CLAIMS })
  const { accessToken: token } = await openWallet([]).authorize(uri)
  const put = async (key_attestations: object | null) =>
    world.ask(`${MOBILE}/${id}`, { method: 'PUT', token: world.token, body: { ...(await body(id)), key_attestations } })
  const guarded = await put(HIGH)
  t.deepEqual(guarded.json<{ key_attestations: object }>().key_attestations, HIGH, guarded.text)
  const request = { credential_configuration_id: id, proofs: { jwt: [await proof(await createWalletKey())] } }
  t.is(errorOf(await world.ask('/v1/openid/credential', { token, body: request })), '400 invalid_proof')
  t.false('key_attestations' in (await put(null)).json<object>())
})

const TEMPLATES: [what: string, path: string, change: object, place: string][] = [
  ['levels with spaces', MOBILE, { key_attestations: { key_storage: ['a b'] } }, 'key_attestations.key_storage.0'],
  [
    'a level twice',
    SD_JWT,
    { key_attestations: { user_authentication: ['x', 'x'] } },
    'key_attestations.user_authentication.1',
  ],
  [
    'too many levels',
    MOBILE,
    { key_attestations: { key_storage: Array.from({ length: 21 }, (_, nth) => `level-${nth}`) } },
    'key_attestations.key_storage',
  ],
  ['no key to attest', SD_JWT, { key_binding: false, key_attestations: {} }, 'key_attestations'],
]

for (const [what, path, change, place] of TEMPLATES)
  test.serial(`a template with ${what} is refused at its place`, async (t) => {
    const id = path === MOBILE ? templates[0]?.free : templates[1]?.free
    const {
      id: _id,
      version: _version,
      hosted: _hosted,
      ...known
    } = (await world.ask(`${path}/${id}`, { token: world.token })).json<Record<string, unknown>>()
    const reply = await world.ask(path, { token: world.token, body: { ...known, ...change } })
    t.is(refusal(reply, 400), 'credential_template.invalid', reply.text)
    t.deepEqual(
      reply.json<{ errors: { path: string }[] }>().errors.map((each) => each.path),
      [place],
    )
  })

test.serial('what is no list of levels is no request', async (t) => {
  for (const key_attestations of [7, [], { key_storage: 'high' }, { key_storage: [7] }, { storage: ['x'] }]) {
    const body = { type: 'x', claim_mappings: { x: { y: { default_value: 1 } } }, key_attestations }
    const reply = await world.ask(MOBILE, { token: world.token, body })
    t.is(reply.status, 400, JSON.stringify(key_attestations))
  }
})
