import test from 'ava'
import { MOBILE_SIGN_EXAMPLE } from '../../api/mobile-credentials/answers.ts'
import { makeIaca, makeSigner, signMobile } from '../support/credentials/mobile.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
  await makeIaca(world, { country: 'NL' })
  await makeSigner(world, { active: true })
})
test.after.always(() => world?.close())

const { payload } = MOBILE_SIGN_EXAMPLE
const NAMESPACE = 'org.iso.18013.5.1'

interface Verdict {
  verified: boolean
  reason: { type: string; message: string }[]
}

/** The verdict on a credential of these elements, as types of reasons. */
async function reasonsOf(itemsToSign: object): Promise<string[]> {
  const { mobileEncoded } = await signMobile(world, world.token, { payload: { ...payload, itemsToSign } })
  const body = { payload: mobileEncoded }
  const reply = await world.ask('/v1/credentials/mobile/verify', { token: world.token, body })
  const { verified, reason } = reply.json<Verdict>()
  return verified ? ['verified'] : reason.map(({ type }) => type)
}

test('a document signer signs for the country of its certificate alone (D-298)', async (t) => {
  const country = (issuing_country: string) => reasonsOf({ [NAMESPACE]: { issuing_country } })
  t.deepEqual(await country('NL'), ['verified'])
  t.deepEqual(await country('DE'), ['Certificate'])
  t.deepEqual(await reasonsOf({ [NAMESPACE]: { family_name: 'Lovelace' } }), ['verified'])
  t.deepEqual(await reasonsOf({ 'example.1': { issuing_country: 'DE' } }), ['verified'])
})

const elements = (namespaces: number, each: number) =>
  Object.fromEntries(
    Array.from({ length: namespaces }, (_, space) => [
      `example.${space}`,
      Object.fromEntries(Array.from({ length: each }, (_, at) => [`element_${at}`, at])),
    ]),
  )

test('a credential of 1,200 elements verifies, and one of 2,500 has more data items than are read (D-297)', async (t) => {
  t.deepEqual(await reasonsOf(elements(3, 400)), ['verified'])
  t.deepEqual(await reasonsOf(elements(5, 500)), ['Syntax'])
})
