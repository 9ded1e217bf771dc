import { randomBytes } from 'node:crypto'
import test from 'ava'
import { createMobileSigners } from '../../activities/mobile-credentials/signers.ts'
import { MOBILE_SIGN_EXAMPLE } from '../../api/mobile-credentials/answers.ts'
import type { Cbor } from '../../protocol/cose/cbor.ts'
import { issue } from '../../protocol/mobile-credentials/issuer-signed.ts'
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

/** The verdict on a credential, as types of reasons. */
async function verdictOn(mobileEncoded: string): Promise<string[]> {
  const body = { payload: mobileEncoded }
  const reply = await world.ask('/v1/credentials/mobile/verify', { token: world.token, body })
  const { verified, reason } = reply.json<Verdict>()
  return verified ? ['verified'] : reason.map(({ type }) => type)
}

async function reasonsOf(itemsToSign: object): Promise<string[]> {
  const { mobileEncoded } = await signMobile(world, world.token, { payload: { ...payload, itemsToSign } })
  return verdictOn(mobileEncoded)
}

/** The same of an issuer that signs what ours refuses. */
async function reasonsElsewhere(namespaces: Record<string, Record<string, Cbor>>): Promise<string[]> {
  const signer = await createMobileSigners(world.dependencies).signerOf(world.first.tenantId, undefined)
  const nameSpaces = new Map(Object.entries(namespaces).map(([name, each]) => [name, new Map(Object.entries(each))]))
  const signed = new Date()
  const validity = { signed, validFrom: signed, validUntil: new Date(signed.getTime() + 86_400_000) }
  const random = (bytes: number) => randomBytes(bytes)
  const { certificate } = signer
  const { issuerSigned } = await issue(
    { docType: 'org.iso.18013.5.1.mDL', nameSpaces, validity, certificate, random },
    signer,
  )
  return verdictOn(Buffer.from(issuerSigned).toString('base64url'))
}

async function refusalOf(itemsToSign: object): Promise<unknown> {
  const body = { payload: { ...payload, itemsToSign } }
  const reply = await world.ask('/v1/credentials/mobile/sign', { token: world.token, body })
  const { type, errors } = reply.json<{ type: string; errors: { path: string; code: string }[] }>()
  return [reply.status, type, ...errors.map(({ path, code }) => `${path} ${code}`)]
}

test('a document signer signs for the country of its certificate alone (D-298)', async (t) => {
  const country = (issuing_country: string) => reasonsOf({ [NAMESPACE]: { issuing_country } })
  t.deepEqual(await country('NL'), ['verified'])
  t.deepEqual(await reasonsElsewhere({ [NAMESPACE]: { issuing_country: 'DE' } }), ['Certificate'])
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
  t.deepEqual(await reasonsElsewhere(elements(5, 500)), ['Syntax'])
})

test('no licence is signed that verification refuses for its country (D-322)', async (t) => {
  t.deepEqual(await refusalOf({ [NAMESPACE]: { issuing_country: 'DE' } }), [
    400,
    '/problems#credential.invalid',
    `payload.itemsToSign["${NAMESPACE}"].issuing_country issuing_country`,
  ])
})

test('no credential is signed of more data items than verification reads (D-323)', async (t) => {
  const tooMany = [400, '/problems#credential.invalid', 'payload.itemsToSign too_many']
  t.deepEqual(await refusalOf(elements(5, 500)), tooMany)
  const nested = (members: number) => ({ 'example.1': { list: Array.from({ length: members }, () => true) } })
  t.deepEqual(await refusalOf(nested(19_587)), tooMany)
  // the most that is signed verifies: (20,000 - 400) / 14 elements, or 20,000 - 400 - 14 members
  t.deepEqual(await reasonsOf(elements(50, 28)), ['verified'])
  t.deepEqual(await refusalOf(elements(50, 29)), tooMany)
  t.deepEqual(await reasonsOf(nested(19_586)), ['verified'])
})
