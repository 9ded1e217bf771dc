import { randomUUID } from 'node:crypto'
import test from 'ava'
import { rowLine } from '../../../protocol/administration/transfers/file.ts'
import type { Json } from '../../../protocol/json.ts'
import { newSubdomain, TENANTS } from '../../support/administration.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { inboxesOf } from '../../support/messaging.ts'
import { type FileWorld, openFileWorld, refusalOf } from '../../support/transfers/files.ts'
import { fileOf } from '../../support/transfers/transfers.ts'

let here: FileWorld
test.before(async () => {
  here = await openFileWorld()
})
test.after.always(() => here?.close())

const at = '2026-01-01T00:00:00Z'

/** A file with the settings of the sample, and rows of its own. */
const fileWith = (...rows: [kind: string, row: Json][]) =>
  fileOf([...here.lines.slice(0, 2), ...rows.map(([kind, row]) => rowLine(kind, row))])

/** A tenant with a DID, as one that knows nothing of a file. */
async function owner() {
  const client = await here.world.addTenant()
  const token = await here.world.tokenOf(client)
  const did = await createDid(here.world, 'ed25519', token, true)
  const [row] = await here.rows<{ document: Json }>('select document from dids where did = $1', did)
  return { ...client, token, did, document: row?.document ?? {} }
}

const didRow = ({ did, document }: { did: string; document: Json }, more: Json = {}): Json => ({
  ...{ id: randomUUID(), createdAt: at, did, method: 'KEY', document, hosting: 'none', host: null, path: null },
  ...{ isDefaultIssuer: false, ...more },
})

const send = (to: string, message: string) =>
  here.world.ask('/v1/messaging/send', { token: here.world.token, body: { to, message } })

test.serial('a DID that came with a file gets no messages: its keys are somebody else’s', async (t) => {
  const them = await owner()
  const theirs = inboxesOf(here.world, them.token)
  const inbox = await theirs.created()
  t.is((await theirs.register(inbox, them.did)).status, 201)
  const [did, taken] = [didRow(them), randomUUID()]
  const { state, failure, tenantId, client } = await here.transfers.imported(
    fileWith(
      ['dids', did],
      ['inboxes', { id: taken, createdAt: at, name: 'taken' }],
      ['inboxDids', { id: randomUUID(), createdAt: at, inboxId: taken, did: them.did, didId: did.id }],
    ),
  )
  t.is(state, 'DONE', JSON.stringify(failure))
  const token = await here.world.tokenOf({ ...client, tenantId, clientSecret: client.clientSecret ?? '' })
  const copies = inboxesOf(here.world, token)
  t.is((await send(them.did, 'for them alone')).status, 200)
  t.is((await theirs.messages(inbox)).messages.length, 1)
  t.deepEqual((await copies.messages(taken)).messages, [])
  t.deepEqual((await copies.dids(taken)).dids, [])
  const { status, text } = await copies.register(taken, them.did)
  t.is(status, 400)
  t.true(text.includes('inbox.jwt_required'), text)
  // without the owner's registration the copy is no place for it either
  t.is((await here.world.ask(`/v1/messaging/inboxes/${inbox}`, { method: 'DELETE', token: them.token })).status, 204)
  t.deepEqual(refusalOf(await send(them.did, 'for nobody')), [400, 'message.cannot_send', 'to', 'no_service'])
})

test.serial('a registration of another DID than the one whose row it names is refused', async (t) => {
  const [them, us] = [await owner(), await owner()]
  const [did, inboxId] = [didRow(us), randomUUID()]
  const { state, failure } = await here.transfers.imported(
    fileWith(
      ['dids', did],
      ['inboxes', { id: inboxId, createdAt: at, name: 'taken' }],
      ['inboxDids', { id: randomUUID(), createdAt: at, inboxId, did: them.did, didId: did.id }],
    ),
  )
  t.is(state, 'FAILED')
  t.like(failure, { code: 'tenant_import.row_refused', errors: [{ path: 'line 5: row', code: 'reference' }] })
})

test.serial('a holder of a credential of another tenant is refused, and that tenant can be deleted', async (t) => {
  const them = await owner()
  const { id: credentialId } = await sign(here.world, them.did, { token: them.token, revocable: true })
  const provider = {
    ...{ id: randomUUID(), createdAt: at, updatedAt: at, url: 'https://idp.example.com', clientId: 'client' },
    ...{ scope: ['openid'], claimsToPersist: [], forwardedParameters: [], staticParameters: {}, authMethod: 'none' },
  }
  const user = { id: randomUUID(), createdAt: at, updatedAt: at, providerId: provider.id, subjectId: 's', claims: {} }
  const { state, failure } = await here.transfers.imported(
    fileWith(
      ['authenticationProviders', provider],
      ['users', user],
      ['credentialHolders', { holderId: user.id, credentialId }],
    ),
  )
  t.is(state, 'FAILED')
  t.like(failure, { code: 'tenant_import.row_refused', errors: [{ path: 'line 5: row', code: 'reference' }] })
  const path = `${TENANTS}/${them.tenantId}`
  t.is((await here.world.ask(path, { method: 'DELETE', token: here.operator })).status, 202)
  await until(
    'the end of the deletion',
    async () =>
      (await here.world.ask(`${path}/deletion`, { token: here.operator })).json<{ step: string }>().step === 'erased',
    60_000,
  )
})

test.serial('of imports of one file under several names at once each is done: one keeps the ids', async (t) => {
  const wallets = Array.from({ length: 400 }, (_, nth): [string, Json] => [
    'wallets',
    {
      ...{ id: randomUUID(), createdAt: at, updatedAt: at, clientId: `wallet-${nth}`, name: 'Wallet', jwks: null },
      redirectUris: ['https://wallet.example/callback'],
    },
  ])
  const file = fileWith(...wallets)
  const done = await Promise.all([1, 2, 3, 4].map(() => here.transfers.imported(file, { subdomain: newSubdomain() })))
  t.deepEqual(
    done.map(({ state, failure }) => [state, failure]),
    done.map(() => ['DONE', null]),
  )
  t.is(done.filter(({ keepsIds }) => keepsIds).length, 1)
})
