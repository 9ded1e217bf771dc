import test from 'ava'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import { openWorld, type World } from '../../support/world.ts'

type Json = Record<string, unknown>

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  did = await createDid(world)
  await world.ask('/v1/settings', {
    method: 'PUT',
    token: world.token,
    body: { fetchUnknownContexts: true, vcApi: true },
  })
})
test.after.always(() => world?.close())

const call = (path: string, body: unknown) => world.ask(`/vc-api/${path}`, { body, token: world.token })

async function issue(credential: Json, options: Json = {}): Promise<Json> {
  const reply = await call('credentials/issue', { credential, options })
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json<{ verifiableCredential: Json }>().verifiableCredential
}

test.serial('an entry that names none is a 400, and changes nothing (VC API, Update Status)', async (t) => {
  const signed = await issue(payload(did), { credentialStatus: { type: 'BitstringStatusListEntry' } })
  const { statusListCredential, ...entry } = signed.credentialStatus as Json
  const status = (more: Json) =>
    call('credentials/status', { credentialId: signed.id, credentialStatus: { ...entry, ...more }, status: true })
  const indexes = ['', 'x', '1e3', '-1', -1, 1.5, [], {}, true, 2 ** 31, `${2 ** 31}`, `${2 ** 53}`, '9'.repeat(400)]
  for (const statusListIndex of indexes) {
    const reply = await status({ statusListCredential, statusListIndex })
    t.is(reply.status, 400, `${JSON.stringify(statusListIndex)}: ${reply.text}`)
  }
  for (const more of [{ statusListCredential: 7 }, {}, { statusListCredential, statusListIndex: null }])
    t.is((await status(more)).status, 400, JSON.stringify(more))
  for (const list of ['-'.repeat(36), 'f'.repeat(36), '00000000-0000-4000-8000-000000000000', 'x'])
    t.is((await status({ statusListCredential: `https://x.example/v1/revocation-lists/${list}` })).status, 404, list)
  t.is((await call('credentials/verify', { verifiableCredential: signed })).status, 200)
})
