import { createHash } from 'node:crypto'
import test from 'ava'
import { newEcosystem, operatorToken } from '../../support/ecosystems.ts'
import { openSdJwt, VCT } from '../../support/openid/presenting.sd-jwt.ts'
import { DOC_TYPE, NAMESPACE, openMdoc, wallet } from '../../support/openid/presenting.ts'
import { openAsking, requestsOf } from '../../support/openid/requests.ts'
import { createSdJwtTemplate } from '../../support/sd-jwt/credentials.ts'
import type { World } from '../../support/world.ts'

let world: World
let issuer: string
let requests: ReturnType<typeof requestsOf>
test.before(async () => {
  ;({ world, issuer, requests } = await openAsking())
})
test.after.always(() => world?.close())

const FRAME = { given_name: true }

const digestOf = async (vct: string): Promise<string> => {
  const { text } = await world.ask(new URL(vct).pathname)
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** A type that extends another one. */
async function types() {
  const claims = [{ path: ['given_name'], map_from: 'claims.given_name', required: true }]
  const { vct: base } = await createSdJwtTemplate(world, { claims })
  const { vct } = await createSdJwtTemplate(world, { claims, extends: base })
  return { base, vct, integrity: await digestOf(vct) }
}

const asking = (vct: string, more: object = {}) => ({
  dcqlQuery: {
    credentials: [
      {
        ...{ id: 'identity', format: 'dc+sd-jwt', meta: { vct_values: [vct] } },
        claims: [{ path: ['given_name'] }],
        ...more,
      },
    ],
  },
})

/** Presents to a new request, and reads what came of it. */
async function presented(held: Awaited<ReturnType<typeof openSdJwt>>, body: object, frame: object = FRAME) {
  const { id, uri } = await requests.create(body)
  const request = await wallet.readRequest(uri)
  const { status } = await wallet.answer(request, await held.present(request, frame))
  return { status, credential: (await requests.read(id)).credentials[0] }
}

test.serial(
  'vct_values are met by a type that extends one of them, where digests say so (OpenID4VP 1.0, appendix B.3.5)',
  async (t) => {
    const { base, vct, integrity } = await types()
    const held = await openSdJwt(world, { issuer_did: issuer }, { vct, 'vct#integrity': integrity })
    const { status, credential } = await presented(held, asking(base))
    t.is(status, 200, JSON.stringify(credential))
    t.like(credential, { verified: true, types: [vct] })
    const unsure = await openSdJwt(world, { issuer_did: issuer }, { vct })
    const refused = await presented(unsure, asking(base))
    t.deepEqual([refused.status, refused.credential?.reason[0]?.type], [400, 'query'], 'nobody has signed the metadata')
    const other = await openSdJwt(world, { issuer_did: issuer }, { vct: base, 'vct#integrity': await digestOf(base) })
    t.is((await presented(other, asking(vct))).status, 400, 'a type is none that extends it')
  },
)

test.serial('more than was asked for is a warning, and no reason to refuse', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const warningsOf = async (claims: object[] | undefined, frame: object) => {
    const { status, credential } = await presented(held, asking(VCT, { claims }), frame)
    t.is(status, 200)
    return credential?.warnings
  }
  const name = [{ path: ['given_name'] }]
  t.deepEqual(await warningsOf(name, FRAME), [])
  t.deepEqual(await warningsOf(name, { given_name: true, family_name: true }), ['MoreDisclosed'])
  t.deepEqual(await warningsOf(undefined, FRAME), ['MoreDisclosed'], 'without claims nothing selective is asked for')
  t.deepEqual(await warningsOf([{ path: ['nationalities', null] }], { nationalities: true }), [])
  const [first, second] = [await requests.create(asking(VCT)), await requests.create(asking(VCT))]
  const replayed = await held.present(await wallet.readRequest(first.uri), { given_name: true, family_name: true })
  t.is((await wallet.answer(await wallet.readRequest(second.uri), replayed)).status, 400)
  const [unverified] = (await requests.read(second.id)).credentials
  t.deepEqual(unverified?.warnings, [], 'what is not verified is not compared with the request')
  const mdoc = await openMdoc(world)
  for (const [names, warnings] of [
    [['family_name'], []],
    [['family_name', 'age_over_18'], ['MoreDisclosed']],
  ] as const) {
    const claims = [{ path: [NAMESPACE, 'family_name'] }]
    const credentials = [{ id: 'licence', format: 'mso_mdoc', meta: { doctype_value: DOC_TYPE }, claims }]
    const { id, uri } = await requests.create({ dcqlQuery: { credentials } })
    const request = await wallet.readRequest(uri)
    t.is((await wallet.answer(request, await mdoc.present(request, names))).status, 200)
    t.deepEqual((await requests.read(id)).credentials[0]?.warnings, [...warnings])
  }
})

test.serial('an issuer that the policy allows a type alone does not stand for the one that it extends', async (t) => {
  const { base, vct, integrity } = await types()
  const held = await openSdJwt(world, { issuer_did: issuer }, { vct, 'vct#integrity': integrity })
  const ecosystem = await newEcosystem(world, await operatorToken(world))
  const more = { identifiers: { sdJwtVc: issuer }, isIssuerConstrained: true }
  const { id: participantId } = await ecosystem.participant(more)
  const kindOf = (type: string) => ecosystem.credential({ profile: 'sd-jwt-vc', type })
  await ecosystem.allow('issuer', participantId, (await kindOf(vct)).id)
  await ecosystem.bind(world.first.tenantId, participantId)
  const alone = await presented(held, asking(vct))
  t.is(alone.status, 200, JSON.stringify(alone.credential?.reason))
  const extended = await presented(held, asking(base))
  t.deepEqual([extended.status, extended.credential?.reason[0]?.type], [400, 'query'])
  await ecosystem.allow('issuer', participantId, (await kindOf(base)).id)
  await new Promise((resolve) => setTimeout(resolve, 1_500)) // until policies are read anew
  t.is((await presented(held, asking(base))).status, 200)
  await ecosystem.unbind(world.first.tenantId)
})
