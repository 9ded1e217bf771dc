import test from 'ava'
import { createSigners, type RefuseSigner } from '../../activities/dids/signers.ts'
import { Refusal } from '../../protocol/errors.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { chooseIssuer, type DidAnswer, didsOf, loggedAbout, withStanding } from '../support/credentials/dids.ts'
import { refusal } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld() // no worker: a did:web stays PROCESSING
})
test.after.always(() => world?.close())

const refuse: RefuseSigner = ({ kind, expected }) =>
  new Refusal(`letter.${kind}`, 'No.', [{ path: 'sender', code: 'did', message: expected }])

/** A tenant of its own, and what signs there when nobody is named. */
async function tenant() {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  const { chosen } = createSigners(withStanding(world.dependencies))
  return {
    token,
    tenantId: client.tenantId,
    dids: didsOf(world, token),
    create: (keyType = 'ed25519') => createDid(world, keyType, token),
    choose: (did: string | null) => chooseIssuer(world, did, token),
    settings: async () => (await world.ask('/v1/settings', { token })).json(),
    make: (more: Record<string, unknown>) =>
      world.ask('/v1/dids', { token, body: { method: 'KEY', options: {}, ...more } }),
    /** The DID that signs, or the refusal's code and what it expects. */
    signs: (...keyTypes: string[]) =>
      chosen(client.tenantId, keyTypes, refuse).catch((error: Refusal) => [error.code, error.errors[0]?.message]),
  }
}

test('without a default issuer the only DID that fits signs, and of several none (D-246)', async (t) => {
  const { create, signs } = await tenant()
  t.is(await signs('ed25519'), undefined)
  const first = await create()
  t.is(await signs('ed25519'), first, 'the first DID needs no setting')
  t.is(await signs('p256'), undefined)
  const p256 = await create('p256')
  t.is(await signs('ed25519'), first)
  t.is(await signs('p256'), p256)
  t.deepEqual(await signs('ed25519', 'p256'), ['letter.not_chosen', `expected one of ${p256}, ${first}`])
})

test('the default issuer signs whatever is made after it, and no DID signs in its place (D-246)', async (t) => {
  const { create, choose, signs, settings } = await tenant()
  const chosen = await create()
  t.like((await choose(chosen)).json(), { defaultIssuer: chosen })
  t.like(await settings(), { defaultIssuer: chosen })
  await create()
  const p256 = await create('p256')
  t.is(await signs('ed25519'), chosen)
  t.deepEqual(await signs('p256'), ['letter.not_chosen', `expected one of ${p256}`])
  t.is(await signs('bls12381g2'), undefined)
  t.like((await choose(p256)).json(), { defaultIssuer: p256 })
  t.is(await signs('p256'), p256)
  t.like((await choose(null)).json(), { defaultIssuer: null })
  t.is(await signs('p256'), p256, 'now as the only one')
  t.deepEqual((await signs('ed25519'))?.[0], 'letter.not_chosen')
})

test('a refusal lists 20 DIDs, and says where the others are', async (t) => {
  const { create, signs } = await tenant()
  const made: string[] = []
  for (let nth = 0; nth < 20; nth++) made.push(await create())
  const listed = async () => String((await signs('ed25519'))?.[1])
  const all = (await listed()).replace('expected one of ', '').split(', ')
  t.deepEqual(all.sort(), made.sort())
  const last = await create()
  const text = await listed()
  t.true(text.startsWith(`expected one of ${last}, `))
  t.is(text.match(/did:key:/g)?.length, 20)
  t.true(text.endsWith(', or another one of GET /v1/dids'))
})

test('a change of the settings that leaves the default issuer out keeps it; another tenant’s DID is none', async (t) => {
  const { create, choose, settings, token } = await tenant()
  const did = await create()
  await choose(did)
  const body = { fetchUnknownContexts: true, vcApi: false }
  t.like((await world.ask('/v1/settings', { method: 'PUT', token, body })).json(), { defaultIssuer: did })
  const theirs = await (await tenant()).create()
  for (const unknown of [theirs, '', 'did:example:nobody']) {
    const reply = await choose(unknown)
    t.is(refusal(reply, 400), 'settings.default_issuer_unknown')
    t.is(reply.json<{ errors: { path: string }[] }>().errors[0]?.path, 'defaultIssuer')
  }
  t.like(await settings(), { defaultIssuer: did }, 'a refused change changes nothing')
})

test('a DID whose only key is of key agreement is refused; a did:web without keys yet is not (D-247)', async (t) => {
  const { choose, create, dids, settings } = await tenant()
  const did = await create()
  await choose(did)
  const { did: silent } = (await dids.create('KEY', { keyType: 'x25519' })).json<DidAnswer>()
  const reply = await choose(silent)
  t.is(refusal(reply, 400), 'settings.default_issuer_unfit')
  t.is(reply.json<{ errors: { path: string }[] }>().errors[0]?.path, 'defaultIssuer')
  t.like(await settings(), { defaultIssuer: did }, 'a refused change changes nothing')
  const { did: web } = await dids.createWeb('unmade.example.org')
  t.is((await choose(web)).status, 200)
})

test('a DID created with issuer true is the default issuer, where there was none (D-247)', async (t) => {
  const { make, dids, settings, signs, token } = await tenant()
  const reply = await make({ issuer: true })
  const { did, id, issuer } = reply.json<DidAnswer & { issuer?: boolean }>()
  t.deepEqual([reply.status, issuer], [201, true])
  t.like(await settings(), { defaultIssuer: did })
  t.like((await loggedAbout(world, token, 'DID_CREATE_SUCCESS', id))[0], { isDefaultIssuer: true })
  const second = await make({ issuer: true })
  t.is(refusal(second, 409), 'did.default_issuer_taken')
  t.is(second.json<{ errors: { path: string }[] }>().errors[0]?.path, 'issuer')
  const plain = await make({ issuer: false })
  t.false('issuer' in plain.json())
  t.is(await signs('ed25519'), did)
  const listed = (await dids.list()).dids as (DidAnswer & { issuer?: boolean })[]
  t.deepEqual(
    listed.map((each) => [each.did, each.issuer]),
    [
      [plain.json<DidAnswer>().did, undefined],
      [did, true],
    ],
  )
})

test('a did:web that is PROCESSING may be the default issuer, and signs nothing until it is COMPLETED', async (t) => {
  const { make, create, signs } = await tenant()
  const web = await make({ method: 'WEB', options: { url: 'issuer.example.org' }, issuer: true })
  t.is(web.status, 201)
  t.is(await signs('ed25519'), undefined)
  const key = await create()
  t.deepEqual(await signs('ed25519'), ['letter.not_chosen', `expected one of ${key}`])
})

test('the default issuer is deleted only after another one, or none, was chosen (D-248)', async (t) => {
  const { create, choose, dids, signs } = await tenant()
  const [first, second] = [await create(), await create()]
  await choose(first)
  t.is(refusal(await dids.remove(first), 409), 'did.default_issuer')
  t.is(await signs('ed25519'), first)
  await choose(second)
  t.is((await dids.remove(first)).status, 204)
  await choose(null)
  t.is((await dids.remove(second)).status, 204)
  t.is(refusal(await choose(second), 400), 'settings.default_issuer_unknown')
})

test('of creations with issuer true at once one is made, of changes at once one holds (D-247)', async (t) => {
  const { make, choose, create, settings, tenantId } = await tenant()
  const replies = await Promise.all(Array.from({ length: 5 }, () => make({ issuer: true })))
  t.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
  const made = [await create(), await create(), await create()]
  const changes = await Promise.all([...made, ...made].map(choose))
  t.deepEqual(new Set(changes.map(({ status }) => status)), new Set([200]))
  const { rows } = await world.dependencies.systemSql.query<{ did: string }>({
    text: 'select did from dids where tenant_id = $1 and is_default_issuer',
    values: [tenantId],
  })
  t.is(rows.length, 1)
  t.true(made.includes(rows[0]?.did ?? ''))
  t.like(await settings(), { defaultIssuer: rows[0]?.did })
})

test('of a deletion and a choice at once one is refused', async (t) => {
  const { choose, create, dids, settings } = await tenant()
  for (let round = 0; round < 5; round++) {
    const did = await create()
    const [removed, chosen] = await Promise.all([dids.remove(did), choose(did)])
    t.true(
      [204, 400].join() === [removed.status, chosen.status].join() ||
        [409, 200].join() === [removed.status, chosen.status].join(),
      `${removed.status} ${chosen.status}`,
    )
    t.is((await settings()).defaultIssuer, chosen.status === 200 ? did : null)
    await choose(null)
  }
})
