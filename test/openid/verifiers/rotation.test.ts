import test from 'ava'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { createVerifierKeys } from '../../../activities/openid/verifiers/keys.ts'
import { createVerifierKeyRotation } from '../../../activities/openid/verifiers/rotation.ts'
import { inTenant } from '../../../entities/orm.ts'
import { openRequests } from '../../support/openid/requesting.ts'
import { createVerifier, VERIFIERS } from '../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const DAY = 86_400_000

/** The scheduled work, as it is so many days from now. */
const rotationIn = (days: number, oidcKeyDays = 90) => {
  const { dependencies } = world
  const parts = { ...dependencies, now: () => new Date(Date.now() + days * DAY) }
  return createVerifierKeyRotation({ ...parts, config: { oidcKeyDays }, verifierKeys: createVerifierKeys(parts) })
}

const kidsOf = async (id: string) =>
  (await world.ask(`${VERIFIERS}/${id}/jwks`))
    .json<{ keys: { kid: string; alg: string }[] }>()
    .keys.map(({ kid }) => kid)

/** Makes the keys of a verifier older. */
const age = (id: string, interval: string, { tenantId } = world.first) =>
  inTenant(world.dependencies.database.tenants, tenantId, (em) =>
    em.execute(`update oidc_keys set created_at = created_at - interval '${interval}' where verifier_id = '${id}'`),
  )

const rowsOf = async (text: string, values: unknown[] = []) =>
  (await world.dependencies.systemSql.query<Record<string, unknown>>({ text, values })).rows

test.serial(
  'keys that are too old get successors by the clock: published first, signing later, the old ones kept for a day',
  async (t) => {
    const other = await world.addTenant()
    const [own, foreign] = [await createVerifier(world), await createVerifier(world, {}, await world.tokenOf(other))]
    const before = await kidsOf(own.id)
    t.deepEqual(await rotationIn(0).rotateVerifierKeys(), { rotated: 0, forgotten: 0 }, 'young keys stay')
    await age(own.id, '91 days')
    await age(foreign.id, '91 days', other)
    t.deepEqual(await rotationIn(0).rotateVerifierKeys(), { rotated: 2, forgotten: 0 }, 'of every tenant')
    t.deepEqual(await rotationIn(0).rotateVerifierKeys(), { rotated: 0, forgotten: 0 }, 'once')
    const published = await kidsOf(own.id)
    t.is(published.length, 4)
    t.is(published[0], before[0], 'the former key signs until clients know the new one')
    await age(own.id, '6 minutes')
    const settled = await kidsOf(own.id)
    t.false(before.includes(settled[0] ?? ''), 'the new one signs')
    t.deepEqual([...settled].sort(), [...published].sort(), 'what the former one has signed still verifies')
    await age(own.id, '25 hours')
    t.deepEqual(
      await rotationIn(0).rotateVerifierKeys(),
      { rotated: 0, forgotten: 2 },
      'after a day the former ones go',
    )
    t.is((await kidsOf(own.id)).length, 2)
    const abandoned = await rowsOf('select 1 from keys where tenant_id = $1 and owner_id is null', [
      world.first.tenantId,
    ])
    t.true(abandoned.length >= 2, 'the reaper destroys them')
    const logged = await rowsOf(`select metadata from logs where type = 'OIDC_VERIFIER_KEYS_ROTATE_SUCCESS' and metadata ->> 'id' = $1`, [own.id]) // biome-ignore format: one statement
    t.is(logged.length, 1)
  },
)

test.serial(
  'people sign in before, during and after the change of keys, and all of their ID tokens verify',
  async (t) => {
    const requests = await openRequests(world)
    const { verifier } = requests.at
    const kidOf = async () => {
      const { back } = await requests.authorize()
      const { id_token: token } = (await requests.exchangeCode(back.get('code'))).tokens
      return { kid: decodeProtectedHeader(token).kid, token }
    }
    /** As a client that reads the key set now. */
    const verifies = (token: string) =>
      jwtVerify(token, createRemoteJWKSet(new URL(`${verifier.issuer}/jwks`)), { issuer: verifier.issuer })
    const before = await kidOf()
    await age(verifier.id, '91 days')
    const passes = await Promise.all([rotationIn(0).rotateVerifierKeys(), rotationIn(0).rotateVerifierKeys()])
    t.is(
      passes.reduce((sum, { rotated }) => sum + rotated, 0),
      1,
      'two workers at once make one change',
    )
    const during = await kidOf()
    t.is(during.kid, before.kid)
    await age(verifier.id, '6 minutes')
    const { kid, token } = await kidOf()
    t.not(kid, before.kid)
    for (const each of [before.token, during.token, token]) await t.notThrowsAsync(verifies(each))
  },
)

test.serial('0 days: only the operation changes the keys', async (t) => {
  const verifier = await createVerifier(world)
  await age(verifier.id, '4000 days')
  t.like(await rotationIn(0, 0).rotateVerifierKeys(), { rotated: 0 })
  t.is((await kidsOf(verifier.id)).length, 2)
})

test.serial('without the key store nothing is half-done, and the next pass makes up for it', async (t) => {
  const verifier = await createVerifier(world)
  await age(verifier.id, '91 days')
  const { dependencies } = world
  const keys = { ...dependencies.keys, create: () => Promise.reject(new Error('the key store is away')) }
  const parts = { ...dependencies, keys }
  const broken = createVerifierKeyRotation({
    ...parts,
    config: { oidcKeyDays: 90 },
    verifierKeys: createVerifierKeys(parts),
  })
  await t.throwsAsync(broken.rotateVerifierKeys(), { message: /away/ })
  t.is((await kidsOf(verifier.id)).length, 2)
  t.true((await rotationIn(0).rotateVerifierKeys()).rotated >= 1)
  t.is((await kidsOf(verifier.id)).length, 4)
})
