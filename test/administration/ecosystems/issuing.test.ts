import { randomUUID } from 'node:crypto'
import test from 'ava'
import { inTenant } from '../../../entities/orm.ts'
import { COURSE, create, errors, lines, until as untilBatch } from '../../support/credentials/batches.ts'
import { payload, sign } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { failedIn, verifyPresentation } from '../../support/credentials/presentations.ts'
import { createTemplate, TEMPLATES } from '../../support/credentials/templates.ts'
import { type Issuer, makeIssuer } from '../../support/ecosystems.formats.ts'
import { newEcosystem, operatorToken, type TestEcosystem } from '../../support/ecosystems.ts'
import { CLAIMS, createTemplates, createWalletKey, offerIn, sessionsOf } from '../../support/openid/wallet.ts'
import { platformOf } from '../../support/parts/platform.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
let ecosystem: TestEcosystem
let issuer: Issuer
let participantId: string
/** The types that the tests sign, by profile. */
const allowed: { profile: string; type: string; id: string }[] = []

test.before(async () => {
  world = await openWorld({ workflows: true })
  const operator = await operatorToken(world)
  await world.ask('/v1/settings', { method: 'PUT', token: world.token, body: { vcApi: true } })
  issuer = await makeIssuer(world, world.token)
  ecosystem = await newEcosystem(world, operator)
  const { did, certificatePem } = issuer
  const identifiers = { webSemantic: did, compact: did, compactSemantic: did, mobile: [certificatePem], sdJwtVc: did }
  participantId = (await ecosystem.participant({ identifiers, isIssuerConstrained: true })).id
})
test.after.always(() => world?.close())

/** While `work` runs, the first tenant is under the policy. */
async function under<Result>(work: () => Promise<Result>): Promise<Result> {
  await ecosystem.bind(world.first.tenantId, participantId)
  try {
    return await work()
  } finally {
    await ecosystem.unbind(world.first.tenantId)
  }
}

async function allow(profile: string, type: string): Promise<void> {
  const known = allowed.find((each) => each.profile === profile && each.type === type)
  const id = known?.id ?? (await ecosystem.credential({ profile, type })).id
  if (!known) allowed.push({ profile, type, id })
  await ecosystem.allow('issuer', participantId, id)
}

async function take(profile: string, type: string): Promise<void> {
  const known = allowed.find((each) => each.profile === profile && each.type === type)
  if (known) await ecosystem.take('issuer', participantId, known.id)
}

const codeOf = (reply: Reply) => (reply.status < 300 ? 'signed' : reply.json<{ type: string }>().type)
const REFUSED = '/problems#ecosystem.issuer_not_allowed'

test.serial('a template signs what its types allow', async (t) => {
  const template = await createTemplate(world, { type: 'TemplateCredential', additional_types: ['OtherCredential'] })
  const signFrom = () =>
    world.ask(`${TEMPLATES}/${template.id}/sign`, {
      token: world.token,
      body: { claims: { id: 'did:example:holder', course: 'CS-101' }, issuer_did: issuer.did },
    })
  await under(async () => {
    t.is(codeOf(await signFrom()), REFUSED)
    t.like((await signFrom()).json<{ errors: object[] }>().errors[0], {
      path: 'credential.type',
      code: 'issuer_constrained',
    })
    await allow('web-semantic', 'TemplateCredential')
    t.is(codeOf(await signFrom()), REFUSED, 'its additional type is not allowed')
    await allow('web-semantic', 'OtherCredential')
    t.is(codeOf(await signFrom()), 'signed')
  })
})

test.serial('the VC API signs within the policy, and its verification names the check', async (t) => {
  const credential = payload(issuer.did, { type: ['VerifiableCredential'] })
  const issue = () => world.ask('/vc-api/credentials/issue', { token: world.token, body: { credential, options: {} } })
  const signed = (await issue()).json()
  const verify = () =>
    world.ask('/vc-api/credentials/verify', {
      token: world.token,
      body: { verifiableCredential: signed.verifiableCredential ?? signed, options: {} },
    })
  t.is((await verify()).status, 200)
  await under(async () => {
    t.is(codeOf(await issue()), REFUSED)
    t.like((await issue()).json<{ errors: object[] }>().errors[0], { path: 'credential.type' })
    const refused = await verify()
    t.is(refused.status, 400)
    t.like(refused.json<{ errors: object[] }>().errors[0], { code: 'IssuerNotAllowed' })
    await allow('web-semantic', 'VerifiableCredential')
    t.is(codeOf(await issue()), 'signed')
    t.is((await verify()).status, 200)
    await take('web-semantic', 'VerifiableCredential')
  })
})

test.serial('a presentation fails by the check of the issuer of its credential', async (t) => {
  const holder = makeHolder()
  const { credential } = await sign(world, issuer.did, {
    more: { credentialSubject: { id: holder.did, course: 'CS-101' } },
  })
  const presentation = await holder.present(credential, { challenge: 'c' })
  const verdict = () => verifyPresentation(world, presentation, { challenge: 'c' })
  t.true((await verdict()).verified)
  await under(async () => {
    const refused = await verdict()
    t.deepEqual(
      failedIn(refused).map(([check]) => check),
      ['credentialIssuer'],
    )
    t.true(refused.checks.some(({ evidence }) => evidence.startsWith('IssuerNotAllowed: ')))
    await allow('web-semantic', 'VerifiableCredential')
    t.true((await verdict()).verified)
    await take('web-semantic', 'VerifiableCredential')
  })
})

test.serial('a row of a batch is refused by the policy, and the others are signed', async (t) => {
  await under(async () => {
    await allow('web-semantic', 'BatchCredential')
    const types = (row: number) => ['VerifiableCredential', row === 2 ? 'ForeignCredential' : 'BatchCredential']
    const body = lines(3, (row) => ({
      payload: {
        '@context': ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://example.edu/terms#' }],
        type: types(row),
        issuer: { id: issuer.did },
        credentialSubject: { id: 'did:example:a', course: 'C' },
      },
    }))
    const { id } = await create(world, body, { proofType: 'eddsa-rdfc-2022', context: COURSE })
    const batch = await untilBatch(world, id, ({ status }) => status === 'COMPLETED')
    t.like(batch, { signed: 2, failed: 1 })
    const [refused, ...more] = await errors(world, id)
    t.deepEqual(more, [])
    t.true(JSON.stringify(refused).includes('ecosystem.issuer_not_allowed'), JSON.stringify(refused))
    t.true(JSON.stringify(refused).includes('issuer_constrained'))
  })
})

const KINDS = {
  ldp_vc: 'web-semantic',
  mso_mdoc: 'mobile',
} as const

const COMPACT_KINDS = { cwt: 'compact', cwt_vc: 'compact-semantic' } as const

test.serial('compact credentials for wallets are signed within the policy', async (t) => {
  const templates = await createTemplates(world)
  const { tenantId } = world.first
  const { formats } = platformOf(world)
  await under(async () => {
    for (const [name, profile] of Object.entries(COMPACT_KINDS)) {
      const format = formats.of(profile)
      const id = templates[name as keyof typeof COMPACT_KINDS]
      const template = await inTenant(world.dependencies.database.tenants, tenantId, async (em) =>
        format.readTemplate?.(em, id),
      )
      if (!template || !format.wallets) return t.fail(`${profile} has no templates for wallets`)
      const signed = format.wallets.sign(tenantId, randomUUID(), template, { claims: { given_name: 'Ada' } }, 1)
      const refused = await t.throwsAsync(signed, { code: 'ecosystem.issuer_not_allowed' }, profile)
      t.regex(String(refused?.message), /are not among them/)
    }
  })
})

test.serial('an offer for a wallet fails by the policy, and is issued once it is allowed (OpenID4VCI)', async (t) => {
  const templates = await createTemplates(world)
  const key = await createWalletKey()
  await under(async () => {
    for (const [name, profile] of Object.entries(KINDS)) {
      const templateId = templates[name as keyof typeof KINDS]
      const session = sessionsOf(world)
      const { id, uri } = await session.offer({
        credentials: [templateId],
        claims: name === 'mso_mdoc' ? CLAIMS : { given_name: 'Ada' },
      })
      const { credential_issuer: aud, grants } = offerIn(uri)
      const [grantType = '', grant] = Object.entries(grants)[0] ?? []
      const exchanged = await world.ask('/v1/oauth/token', { body: { grant_type: grantType, ...grant } })
      const { access_token: token } = exchanged.json<{ access_token: string }>()
      const { c_nonce: nonce } = (await world.ask('/v1/openid/nonce', { method: 'POST' })).json()
      const claims = { aud, nonce, iat: Math.floor(Date.now() / 1000) }
      const jwt = await key.sign({ typ: 'openid4vci-proof+jwt', jwk: key.publicJwk }, claims)
      const body = { credential_configuration_id: templateId, proofs: { jwt: [jwt] } }
      const reply = await world.ask('/v1/openid/credential', { token, body })
      t.true(reply.status >= 400 || reply.status === 202, `${name}: ${reply.status} ${reply.text}`)
      await until(`${name} to fail`, async () => (await session.read(id)).issuances[0]?.state === 'FAILED')
      const [issuance] = (await session.read(id)).issuances
      t.is(issuance?.failure?.code, 'ecosystem.issuer_not_allowed', `${name} ${JSON.stringify(issuance)}`)
      const type = /type (\S+) are not among them/.exec(issuance?.failure?.message ?? '')?.[1] ?? ''
      await allow(profile, type)
      // the worker knows of the change within a second
      await until(`${name} to be issued`, async () => {
        const state = (await session.read(id)).issuances[0]?.state
        if (state === 'FAILED') t.is((await session.post(id, 'retry')).status, 200)
        return state === 'ISSUED'
      })
    }
  })
})
