import { gzipSync } from 'node:zlib'
import test from 'ava'
import { createPlatform } from '../../../activities/index.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { openWorldBeside, type WorldBeside } from '../../support/parts/elsewhere.ts'

type Json = Record<string, unknown>

const V2 = 'https://www.w3.org/ns/credentials/v2'
const START = Date.parse('2030-01-01T00:00:00Z')
const issuer = makeHolder()
const lists = new Map<string, Json>()
const looks = new Map<string, number>()

let beside: WorldBeside
test.before(async () => {
  beside = await openWorldBeside('lists.test', ({ url = '' }, response) => {
    looks.set(url, (looks.get(url) ?? 0) + 1)
    response.writeHead(200, { 'content-type': 'application/vc' }).end(JSON.stringify(lists.get(url)))
  })
})
test.after.always(() => beside?.close())

/** A list in which no entry is set, or all are, valid for so long from START. */
async function publish(name: string, set: boolean, validMs: number): Promise<string> {
  const id = beside.urlOf(name)
  const signed = await issuer.issue({
    '@context': [V2],
    id,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    validFrom: '2026-01-01T00:00:00Z',
    validUntil: new Date(START + validMs).toISOString(),
    credentialSubject: {
      id: `${id}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      encodedList: `u${gzipSync(Buffer.alloc(16_384, set ? 0xff : 0)).toString('base64url')}`,
    },
  })
  lists.set(`/${name}`, signed)
  return id
}

/** A process whose clock the test sets, and the credential whose status stands in the list. */
async function verifierOf(statusListCredential: string) {
  let time = START
  const platform = createPlatform({ ...beside.world.dependencies, now: () => new Date(time) })
  const credential = await issuer.issue({
    '@context': [V2],
    type: ['VerifiableCredential'],
    validFrom: '2026-01-01T00:00:00Z',
    credentialSubject: { id: 'did:example:holder' },
    credentialStatus: {
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex: '5',
      statusListCredential,
    },
  })
  return async (ms: number, tenantId = beside.world.first.tenantId) => {
    time = START + ms
    const { verified, reason } = await platform.credentialVerifier.verifyCredential(tenantId, credential)
    return verified ? 'verified' : reason.map(({ type }) => type).join()
  }
}

test.serial('a list from elsewhere is read again 30 s after it was fetched, and by each tenant itself', async (t) => {
  const verdictAt = await verifierOf(await publish('changed', false, 3600_000))
  t.is(await verdictAt(0), 'verified')
  await publish('changed', true, 3600_000)
  t.is(await verdictAt(30_000), 'verified')
  t.is(looks.get('/changed'), 1)
  t.is(await verdictAt(30_000, (await beside.world.addTenant()).tenantId), 'Revoked')
  t.is(await verdictAt(30_001), 'Revoked')
  t.is(looks.get('/changed'), 3)
})

test.serial('a list that is remembered is read again from its validUntil on', async (t) => {
  const verdictAt = await verifierOf(await publish('ending', false, 10_000))
  t.is(await verdictAt(0), 'verified')
  t.is(await verdictAt(9_999), 'verified')
  t.is(looks.get('/ending'), 1)
  t.is(await verdictAt(10_000), 'verified', 'the clock of the list may differ by 60 s (D-167)')
  t.is(looks.get('/ending'), 2, 'and it is read again')
  t.is(await verdictAt(70_000), 'StatusUnavailable', 'the one that is published has ended too')
  await publish('ending', false, 3600_000)
  t.is(await verdictAt(70_001), 'verified', 'renewed')
})
