import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { verify } from '../../support/credentials/credentials.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { openWorldBeside, type WorldBeside } from '../../support/parts/elsewhere.ts'
import type { World } from '../../support/world.ts'

type Json = Record<string, unknown>

const BYTES = 16_384
const issuer = makeHolder()
const lists = new Map<string, { status?: number; body: string }>()
const looks = new Map<string, number>()

let world: World
let beside: WorldBeside
test.before(async () => {
  beside = await openWorldBeside('lists.test', ({ url = '' }, response) => {
    looks.set(url, (looks.get(url) ?? 0) + 1)
    const { status = 200, body } = lists.get(url) ?? { status: 404, body: '{}' }
    response.writeHead(status, { 'content-type': 'application/vc' }).end(body)
  })
  world = beside.world
})
test.after.always(() => beside?.close())

interface Listed {
  purpose?: string
  /** The value of each entry that is not 0. */
  values?: Record<number, number>
  statusSize?: number
  by?: typeof issuer
  more?: Json
  change?: (signed: Json) => Json
  written?: (text: string) => string
}

/** A list at an address of its own, packed and signed by others' code. */
async function publish(listed: Listed = {}): Promise<string> {
  const {
    purpose = 'revocation',
    values = {},
    statusSize = 1,
    by = issuer,
    more,
    change = (signed) => signed,
    written = (text) => text,
  } = listed
  const bits = Buffer.alloc(BYTES)
  for (const [index, value] of Object.entries(values))
    for (let bit = 0; bit < statusSize; bit++) {
      const at = Number(index) * statusSize + bit
      const set = (value >> (statusSize - 1 - bit)) & 1
      bits.writeUInt8(bits.readUInt8(at >> 3) | (set << (7 - (at & 7))), at >> 3)
    }
  const path = randomUUID()
  const id = beside.urlOf(path)
  const signed = await by.issue({
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    validFrom: '2026-01-01T00:00:00Z',
    credentialSubject: {
      id: `${id}#list`,
      type: 'BitstringStatusList',
      statusPurpose: purpose,
      encodedList: `u${gzipSync(bits).toString('base64url')}`,
    },
    ...more,
  })
  lists.set(`/${path}`, { body: written(JSON.stringify(change(signed))) })
  return id
}

const entry = (statusListCredential: string, index = 5, more: Json = {}): Json => ({
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListIndex: `${index}`,
  statusListCredential,
  ...more,
})

async function verdictOf(credentialStatus: Json | Json[], token = world.token): Promise<string[]> {
  const credential = await issuer.issue({
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    type: ['VerifiableCredential'],
    validFrom: '2026-01-01T00:00:00Z',
    credentialSubject: { id: 'did:example:holder' },
    credentialStatus,
  })
  const { verified, reason } = await verify(world, credential, token)
  return verified ? ['verified'] : reason.map(({ type }) => type)
}

test.serial(
  'a list elsewhere is fetched, verified and read, once for many (Bitstring Status List 1.0, 3.2)',
  async (t) => {
    const url = await publish({ values: { 5: 1 } })
    t.deepEqual(await verdictOf(entry(url, 5)), ['Revoked'])
    t.deepEqual(await verdictOf(entry(url, 4)), ['verified'])
    t.deepEqual(await verdictOf(entry(url, 6)), ['verified'])
    t.is(looks.get(new URL(url).pathname), 1)
    // verified with a tenant's own contexts, it is kept for this tenant alone
    const other = await world.tokenOf(await world.addTenant())
    t.deepEqual(await verdictOf(entry(url, 5), other), ['Revoked'])
    t.is(looks.get(new URL(url).pathname), 2)
    const suspended = await publish({ purpose: 'suspension', values: { 5: 1 } })
    const suspension = entry(suspended, 5, { statusPurpose: 'suspension' })
    t.deepEqual(await verdictOf(suspension), ['Suspended'])
    t.deepEqual(await verdictOf([entry(url, 4), suspension]), ['Suspended'])
    t.deepEqual(await verdictOf([entry(url, 5), suspension]), ['Revoked', 'Suspended'])
  },
)

test.serial(
  'a message or a refresh is no verdict; a purpose that nobody defined is none either, unless it is unset (2.1, statusPurpose)',
  async (t) => {
    const statusMessage = ['issued', 'printed', 'posted', 'lost'].map((message, value) => ({
      status: `0x${value.toString(16)}`,
      message,
    }))
    const messages = await publish({ purpose: 'message', statusSize: 2, values: { 5: 3, 6: 0, 4: 1 } })
    const message = { statusPurpose: 'message', statusSize: 2, statusMessage }
    for (const index of [4, 5, 6]) t.deepEqual(await verdictOf(entry(messages, index, message)), ['verified'])
    const refreshed = await publish({ purpose: 'refresh', values: { 5: 1 } })
    t.deepEqual(await verdictOf(entry(refreshed, 5, { statusPurpose: 'refresh' })), ['verified'])
    const strange = await publish({ purpose: 'haunted', values: { 5: 1 } })
    t.deepEqual(await verdictOf(entry(strange, 4, { statusPurpose: 'haunted' })), ['verified'])
    t.deepEqual(await verdictOf(entry(strange, 5, { statusPurpose: 'haunted' })), ['StatusUnavailable'])
    const several = await publish({ purpose: 'revocation', statusSize: 2, values: { 5: 2 } })
    t.deepEqual(await verdictOf(entry(several, 5, { statusSize: 2, statusMessage })), ['Revoked'])
  },
)

test.serial('a credential with more than ten statuses is none, and nothing is fetched for it', async (t) => {
  const lists = await Promise.all(Array.from({ length: 11 }, () => publish()))
  t.deepEqual(await verdictOf(lists.map((url) => entry(url))), ['Syntax'])
  t.deepEqual(new Set(lists.map((url) => looks.get(new URL(url).pathname))), new Set([undefined]))
  t.deepEqual(await verdictOf(lists.slice(1).map((url) => entry(url))), ['verified'])
})

test.serial('a list has ended a minute after its end, for clocks differ (D-167)', async (t) => {
  const ended = (seconds: number) => ({
    more: { validUntil: new Date(Date.now() - seconds * 1_000).toISOString() },
  })
  t.deepEqual(await verdictOf(entry(await publish(ended(30)))), ['verified'])
  t.deepEqual(await verdictOf(entry(await publish(ended(90)))), ['StatusUnavailable'])
})

test.serial('a list that cannot be trusted leaves the status open, which is no yes (3.2, validate)', async (t) => {
  const unusable = {
    'of another issuer': await publish({ by: makeHolder() }),
    'for another purpose': await publish({ purpose: 'suspension' }),
    expired: await publish({ more: { validUntil: '2026-02-01T00:00:00Z' } }),
    'with another id': await publish({ more: { id: 'https://lists.example/1' } }),
    'of another type': await publish({ more: { type: ['VerifiableCredential'] } }),
    unsigned: await publish({ change: ({ proof: _proof, ...rest }) => rest }),
    changed: await publish({ change: (signed) => ({ ...signed, validFrom: '2026-01-02T00:00:00Z' }) }),
    'with a member twice': await publish({ written: (text) => text.replace('{', '{"issuer":"did:example:other",') }),
    missing: beside.urlOf('none'),
    'at a private address': 'https://10.0.0.1/list',
    'not of https': 'http://lists.test/list',
  }
  for (const [what, url] of Object.entries(unusable))
    t.deepEqual(await verdictOf(entry(url)), ['StatusUnavailable'], what)
  const good = await publish()
  for (const [what, more] of Object.entries({
    'an index outside': { statusListIndex: `${BYTES * 8}` },
    'no index': { statusListIndex: '-1' },
    'a size beyond all bounds': { statusSize: 64 },
    'a size that puts it outside': { statusListIndex: `${BYTES * 4}`, statusSize: 2 },
  }))
    t.deepEqual(await verdictOf(entry(good, 5, more)), ['StatusUnavailable'], what)
})
