import test from 'ava'
import { createStatusPublisher } from '../../../activities/credentials/status-lists/publish.ts'
import { createSigners } from '../../../activities/dids/signers.ts'
import { createTenants } from '../../../activities/frame/tenants/index.ts'
import { createSemanticLists } from '../../../activities/semantic-credentials/status-lists.sign.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { withStanding } from '../../support/credentials/dids.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const START = Date.parse('2030-01-01T00:00:00Z')
const HOUR_MS = 3600_000

/** A process that publishes, with a clock of its own, and that stops between the signature and the write when told. */
function publisherAt(ms: number, { held = false } = {}) {
  const { documents } = world.dependencies
  const gate = { open: () => {}, reached: () => {} }
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve
  })
  const reached = new Promise<void>((resolve) => {
    gate.reached = resolve
  })
  const dependencies = { ...world.dependencies, now: () => new Date(START + ms) }
  const publisher = createStatusPublisher({
    ...dependencies,
    tenants: createTenants(dependencies),
    statusKinds: createSemanticLists({
      signers: createSigners(withStanding(dependencies)),
      documents: {
        ...documents,
        async sign(...request: Parameters<typeof documents.sign>) {
          const signed = await documents.sign(...request)
          gate.reached()
          if (held) await opened
          return signed
        },
      },
    }),
  })
  return {
    look: (id: string) => publisher.publishedList(world.first.tenantId, id),
    publish: (id: string) => publisher.signList(world.first.tenantId, id, new Date(START).toISOString()),
    /** Signed, and not written yet. */
    reached,
    release: gate.open,
  }
}

async function issued() {
  const { id, credential } = await sign(world, await createDid(world), { revocable: true })
  const { statusListCredential } = credential.credentialStatus as Record<string, string>
  const revoke = async (value: boolean) => {
    const path = `/v1/credentials/web-semantic/${id}/revocation-status`
    const reply = await world.ask(path, { token: world.token, body: { is_revoked: value } })
    if (reply.status !== 200) throw new Error(reply.text)
  }
  return { listId: String(statusListCredential).split('/').at(-1) ?? '', revoke }
}

interface Stored {
  etag: string
  validUntil: string
  published: number
  bits: string
  waits: boolean
}

async function stored(listId: string): Promise<Stored | undefined> {
  const { rows } = await world.dependencies.systemSql.query<Stored>({
    text: `select etag, signed #>> '{validUntil}' as "validUntil", published_changes as published,
      signed #>> '{credentialSubject,encodedList}' as bits, changed_since is not null as waits
      from status_lists where id = $1`,
    values: [listId],
  })
  return rows[0]
}

const until = (ms: number) => new Date(START + ms + 24 * HOUR_MS).toISOString().replace('.000Z', 'Z')

test('a publisher that was overtaken by a change does not bring the older list back, whatever its clock says', async (t) => {
  const { listId, revoke } = await issued()
  const slow = publisherAt(6 * HOUR_MS, { held: true })
  const published = slow.publish(listId)
  await slow.reached
  await revoke(true)
  const newer = await publisherAt(0).publish(listId)
  slow.release()
  const older = await published
  t.not(older.etag, newer.etag)
  t.like(await stored(listId), { etag: newer.etag, published: 1, validUntil: until(0), waits: false })
})

test('a publisher that was overtaken by a renewal of the same list does not bring its nearer end back', async (t) => {
  const { listId } = await issued()
  const slow = publisherAt(0, { held: true })
  const published = slow.publish(listId)
  await slow.reached
  const newer = await publisherAt(1_000).publish(listId)
  slow.release()
  await published
  t.like(await stored(listId), { etag: newer.etag, published: 0, validUntil: until(1_000) })
})

test('of two that publish in the same second the one with more changes stays, whichever ends first', async (t) => {
  for (const newerFirst of [true, false]) {
    const { listId, revoke } = await issued()
    const slow = publisherAt(0, { held: true })
    const before = slow.publish(listId)
    await slow.reached
    await revoke(true)
    const fast = publisherAt(0, { held: true })
    const after = fast.publish(listId)
    await fast.reached
    for (const each of newerFirst ? [fast, slow] : [slow, fast]) {
      each.release()
      await (each === fast ? after : before)
    }
    t.like(await stored(listId), { etag: (await after).etag, published: 1, waits: false }, `newer first: ${newerFirst}`)
  }
})

test('a list that changes while it is signed is kept as it was, and waits for the next signature', async (t) => {
  const { listId, revoke } = await issued()
  await publisherAt(-1_000).publish(listId)
  const before = await stored(listId)
  const slow = publisherAt(0, { held: true })
  const published = slow.publish(listId)
  await slow.reached
  await revoke(true)
  slow.release()
  t.like(await stored(listId).then(() => published), { validUntil: new Date(START + 24 * HOUR_MS) })
  t.like(await stored(listId), { bits: before?.bits, published: 0, validUntil: until(0), waits: true })
  await publisherAt(0).publish(listId)
  const after = await stored(listId)
  t.like(after, { published: 1, waits: false })
  t.not(after?.bits, before?.bits)
})

test('a list that has ended is given to nobody: the next look has it signed anew', async (t) => {
  const { listId } = await issued()
  const { etag } = await publisherAt(0).publish(listId)
  t.is((await publisherAt(24 * HOUR_MS - 1).look(listId)).etag, etag)
  const again = await publisherAt(24 * HOUR_MS).look(listId)
  t.not(again.etag, etag)
  t.is(again.validUntil.getTime(), START + 48 * HOUR_MS)
  t.like(await stored(listId), { etag: again.etag, validUntil: until(24 * HOUR_MS) })
})

test('a renewal with nothing changed replaces the list and moves its end', async (t) => {
  const { listId } = await issued()
  await publisherAt(0).publish(listId)
  await publisherAt(12 * HOUR_MS).publish(listId)
  t.like(await stored(listId), { published: 0, validUntil: until(12 * HOUR_MS) })
})
