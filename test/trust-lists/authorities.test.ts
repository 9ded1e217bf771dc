import test from 'ava'
import { createDid } from '../support/credentials/credentials.ts'
import { makeForeignIaca } from '../support/credentials/mobile.issuers.ts'
import { makeIaca, makeSigner } from '../support/credentials/mobile.ts'
import { refusal } from '../support/credentials/templates.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { openSdJwt } from '../support/openid/presenting.sd-jwt.ts'
import { wallet } from '../support/openid/presenting.ts'
import { identityQuery, requestsOf } from '../support/openid/requests.ts'
import { trustListsOf } from '../support/trust-lists/lists.ts'
import { loteOf, newPath, openListOperator, PID_ISSUANCE } from '../support/trust-lists/lote.ts'
import { openWorld, type World } from '../support/world.ts'

let names: Names
let world: World
test.before(async () => {
  names = await openNames()
  // at its own address, which the wallet calls
  const { PUBLIC_URL: _, HOST: __, ...env } = names.env
  world = await openWorld({ env })
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

test('etsi_tl: a query takes credentials whose issuer is in one of these lists of the tenant (OpenID4VP 1.0, section 6.1.1.2)', async (t) => {
  const { certificatePem } = await makeIaca(world)
  const { certificatePem: signerPem } = await makeSigner(world, { active: true })
  const lists = trustListsOf(world, world.token)
  const operator = await openListOperator()
  const listed = async (certificate: string) => {
    const path = newPath()
    names.elsewhere.set(path, await operator.sign(loteOf([{ certificates: [certificate] }])))
    const url = `https://elsewhere.test:${names.port}${path}`
    const source = { format: 'ts-119-602', url, signers: [operator.signer], serviceTypes: [PID_ISSUANCE] }
    const reply = await lists.create({ name: 'PID', formats: ['sd-jwt-vc'], enforced: false, source })
    t.is(reply.status, 201, reply.text)
    return url
  }
  const own = await listed(certificatePem)
  const other = await listed((await makeForeignIaca()).certificatePem)
  const ofSigner = await listed(signerPem)
  const requests = requestsOf(world, await createDid(world, 'p256', world.token, true))
  const [certified, byDid] = [await openSdJwt(world, { issued_as: 'x5c' }), await openSdJwt(world, {})]
  const cases: [typeof certified, string[], number][] = [
    [certified, [own], 200],
    [certified, [other, own], 200],
    [certified, [ofSigner], 200],
    [certified, [other], 400],
    [byDid, [own, ofSigner], 400],
  ]
  for (const [held, values, status] of cases) {
    const dcqlQuery = identityQuery({ trusted_authorities: [{ type: 'etsi_tl', values }] })
    const request = await wallet.readRequest((await requests.create({ dcqlQuery })).uri)
    const { body, ...reply } = await wallet.answer(request, await held.present(request, { given_name: true }))
    t.is(reply.status, status, JSON.stringify(body))
  }
  const strange = identityQuery({ trusted_authorities: [{ type: 'etsi_tl', values: [own, `${own}x`] }] })
  const refused = await requests.creating({ dcqlQuery: strange })
  t.is(refusal(refused, 400), 'openid_presentation.invalid')
  t.like(refused.json<{ errors: object[] }>().errors, [
    { path: 'dcqlQuery.credentials.0.trusted_authorities.0.values.1', code: 'trust_list' },
  ])
})
