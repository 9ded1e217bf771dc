import test from 'ava'
import { nextStart, servicesInForce } from '../../protocol/trust-lists/etsi/listed.ts'
import { checkTrustList, heldEntry } from '../../protocol/trust-lists/lists.ts'
import type { ListFacts, TrustSource } from '../../protocol/trust-lists/sources.ts'
import {
  isOfOtherType,
  isOlder,
  keysOf,
  nextUpdatesOf,
  remembered,
  staleAtOf,
  standingOf,
} from '../../protocol/trust-lists/standing.ts'
import {
  type HeldList,
  indexed,
  listsProviders,
  providersOf,
  trustOf,
  urlsOf,
} from '../../protocol/trust-lists/trust.ts'
import { makeForeignIaca } from '../support/credentials/mobile.issuers.ts'

const NOW = new Date('2026-11-27T12:00:00Z')
const at = (ms: number) => new Date(NOW.getTime() + ms)
const [LAW, ARTS] = ['did:web:law.example', 'did:web:arts.example']

const list = (own: Partial<HeldList> & { id: string }) =>
  indexed({
    name: `List ${own.id}`,
    formats: ['sd-jwt-vc'],
    attests: [],
    enforced: true,
    url: null,
    entries: [heldEntry({ identifier: LAW, name: 'Law school' })],
    staleAt: null,
    ...own,
  })

const find = (lists: ReturnType<typeof list>[], issuer: string | undefined) =>
  trustOf(lists, 'sd-jwt-vc', NOW)?.find(issuer)

test('an issuer is found in the enforced lists of the format that are not stale, in the first that has it', (t) => {
  t.deepEqual(find([list({ id: 'a' })], LAW), {
    listed: { listId: 'a', listName: 'List a', entryName: 'Law school', identifier: LAW },
  })
  const unnamed = list({ id: 'b', entries: [heldEntry({ identifier: LAW })] })
  t.deepEqual(find([list({ id: 'a', entries: [] }), unnamed, list({ id: 'c' })], LAW), {
    listed: { listId: 'b', listName: 'List b', identifier: LAW },
  })
  for (const none of [[], [list({ id: 'a', enforced: false })], [list({ id: 'a', formats: ['mobile', 'compact'] })]])
    t.is(trustOf(none, 'sd-jwt-vc', NOW), undefined, 'nobody decides')
  t.like(find([list({ id: 'a', staleAt: at(1) })], LAW), { listed: { listId: 'a' } })
  for (const staleAt of [NOW, at(-1)]) {
    const fault = 'The issuer is in none of the trust lists for this format: List a (stale), List b.'
    t.deepEqual(find([list({ id: 'a', staleAt }), list({ id: 'b', entries: [] })], LAW), { fault })
  }
  t.true('fault' in (find([list({ id: 'a' })], ARTS) ?? {}))
  const nameless = list({ id: 'a', entries: [{ identifier: '', issuer: '' }] })
  for (const nobody of [undefined, '']) t.true('fault' in (find([nameless], nobody) ?? {}), 'nobody is listed')
})

test('certificates that a chain can lead to are those of lists that count, each once', async (t) => {
  const { certificatePem: pem } = await makeForeignIaca()
  const entry = heldEntry({ certificate: pem, name: 'Ministry' })
  const { fingerprint = '', subject = '' } = entry
  const lists = [
    list({ id: 'a', entries: [entry], attests: ['wallets'] }),
    list({ id: 'b', entries: [entry], attests: ['wallets', 'keys'], staleAt: at(1) }),
    list({ id: 'c', entries: [entry], attests: ['keys'], staleAt: NOW }),
    list({ id: 'd', entries: [entry], attests: ['keys'], enforced: false }),
  ]
  const itself = [{ fingerprint, issuerName: 'CN=Nobody' }]
  const issued = [{ fingerprint: '00', issuerName: subject }]
  const stranger = [{ fingerprint: '00', issuerName: 'CN=Nobody' }]
  const providers = (attested: 'wallets' | 'keys', chain: typeof itself) =>
    providersOf(lists, attested, chain, NOW).map(({ listId }) => listId)
  for (const chain of [itself, issued, [...itself, ...issued]]) {
    t.deepEqual([providers('wallets', chain), providers('keys', chain)], [['a'], ['b']])
    t.is(trustOf(lists, 'sd-jwt-vc', NOW)?.anchorsOf(chain).length, 1)
  }
  t.deepEqual(providers('keys', stranger), [])
  t.true(listsProviders(lists, 'keys', NOW))
  t.false(listsProviders(lists.slice(2), 'keys', NOW))
  t.like(trustOf(lists.slice(0, 1), 'sd-jwt-vc', NOW)?.find(entry.issuer), {
    listed: { entryName: 'Ministry', certificateFingerprint: fingerprint },
  })
})

test('URLs are those of lists of the format; of an issuer those that have it and count, enforced or not', (t) => {
  const url = (id: string) => `https://lists.example/${id}`
  const lists = [
    list({ id: 'a' }),
    list({ id: 'b', url: url('b'), enforced: false }),
    list({ id: 'c', url: url('c'), staleAt: NOW }),
    list({ id: 'd', url: url('d'), entries: [], staleAt: at(1) }),
    list({ id: 'e', url: url('e'), formats: ['mobile'] }),
    list({ id: 'f', url: url('f'), staleAt: at(1) }),
  ]
  t.deepEqual(urlsOf(lists, 'sd-jwt-vc', NOW), ['b', 'c', 'd', 'f'].map(url))
  t.deepEqual(urlsOf(lists, 'sd-jwt-vc', NOW, [ARTS, LAW]), ['b', 'f'].map(url))
})

const FACTS: ListFacts = {
  type: null,
  sequenceNumber: 5,
  issuedAt: NOW.toISOString(),
  nextUpdate: null,
  skipped: 0,
  signedBy: 'key',
}

test('a list is older by its number, then by its time, as long as the signer of the known one is named', (t) => {
  const older = (sequence: number, ms: number, keys: readonly string[] | undefined = ['key']) =>
    isOlder({ sequence, issuedAt: at(ms) }, FACTS, keys)
  t.deepEqual([older(4, 9), older(5, -1), older(5, 0), older(5, 1), older(6, -9)], [true, true, false, false, false])
  t.false(isOlder({ sequence: 1, issuedAt: NOW }, undefined, ['key']))
  t.deepEqual([older(4, 0, ['other']), older(4, 0, []), older(4, 0, ['other', 'key'])], [false, false, true])
  const unsigned = { sequenceNumber: 5, issuedAt: FACTS.issuedAt }
  t.true(isOlder({ sequence: 4, issuedAt: NOW }, unsigned, ['other']))
  t.deepEqual(
    [standingOf('key', ['key']), standingOf('key', []), standingOf('key', undefined), standingOf(undefined, ['key'])],
    ['named', 'dropped', 'unknown', 'unknown'],
  )
})

test('a list is of another type than the known one, as long as the signer of that is named', (t) => {
  const known = { type: 'a', signedBy: 'key' }
  const other = (type: string | undefined, of: Partial<typeof known> | { type: null } = {}, keys?: string[]) =>
    isOfOtherType({ type }, { ...known, ...of }, keys)
  t.deepEqual(
    [other('a', {}, ['key']), other('b', {}, ['key']), other(undefined, {}, ['key']), other('b')],
    [false, true, true, true],
  )
  t.deepEqual([other('b', {}, ['other']), other('b', { type: null }, ['key'])], [false, false])
  t.false(isOfOtherType({ type: 'b' }, undefined, ['key']))
})

test('the next start is that of a service of these types that would count', (t) => {
  const service = (ms: number | undefined, more: object = {}) => ({
    ...{ entity: undefined, type: 'a', status: undefined, statusSince: ms === undefined ? undefined : at(ms) },
    ...{ certificates: [], identifiers: [], unread: [], ...more },
  })
  const starts = (...services: ReturnType<typeof service>[]) => {
    const facts = { type: undefined, sequence: 1, issuedAt: NOW, nextUpdate: undefined, isClosed: false }
    return nextStart({ ...facts, services }, ['a'], NOW)
  }
  t.deepEqual(starts(service(9), service(5), service(7)), at(5))
  t.is(starts(service(undefined), service(0), service(-1)), null)
  t.is(starts(service(1, { type: 'b' }), service(2, { status: 'withdrawn' })), null)
  const facts = { type: undefined, sequence: 1, issuedAt: NOW, nextUpdate: undefined, isClosed: false }
  const list = { ...facts, services: [service(5)] }
  t.deepEqual([servicesInForce(list, ['a'], at(4)).length, servicesInForce(list, ['a'], at(5)).length], [0, 1])
})

test('entries are read a few at a time, and come back as they are held', async (t) => {
  const entries = Array.from({ length: 200 }, (_, nth) => ({ identifier: `did:web:a${nth}.example` }))
  const input = { name: 'A', formats: ['sd-jwt-vc' as const], attests: [], enforced: true, entries }
  let [turns, isDone] = [0, false]
  const turn = () => {
    turns += 1
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const held = await checkTrustList(input)
  isDone = true
  t.deepEqual(held, entries.map(heldEntry))
  t.true(turns >= 30, `${turns} turns of others`)
})

test('the name of a key is that of each certificate with it, and what is no certificate has none', async (t) => {
  const [one, other] = await Promise.all([makeForeignIaca(), makeForeignIaca()])
  const [first, second] = keysOf([one.certificatePem, other.certificatePem])
  t.deepEqual([typeof first, first === second], ['string', false])
  t.deepEqual(keysOf(['none', one.certificatePem]), [first])
})

test('an update of a source remembers the list of the same place, and the list of lists of the same address', (t) => {
  const lists = { sequenceNumber: 3, issuedAt: FACTS.issuedAt, nextUpdate: null, signers: 1 }
  const facts: ListFacts = { ...FACTS, listOfLists: lists }
  const lotl = { url: 'https://lists.example/lotl.xml', signers: [] }
  const source = {
    format: 'ts-119-612',
    url: 'https://lists.example/at.xml',
    listOfLists: lotl,
  } as unknown as TrustSource
  const next = (own: object): TrustSource => ({ ...source, ...own })
  t.deepEqual(remembered({ source, facts }, source), { facts, lists })
  const none = { facts: null, lists: undefined }
  for (const before of [{}, { source }, { facts }, { source: null, facts: null }])
    t.deepEqual(remembered(before, source), none)
  const elsewhere: [object, boolean, boolean][] = [
    [{ url: 'https://lists.example/de.xml' }, false, true],
    [{ url: undefined }, false, true],
    [{ format: 'ts-119-602' }, false, true],
    [{ listOfLists: { ...lotl, location: 'http://lists.example/at.xml' } }, false, true],
    [{ listOfLists: { ...lotl, url: 'https://other.example/lotl.xml' } }, true, false],
    [{ listOfLists: undefined }, true, false],
  ]
  for (const [own, isList, isLists] of elsewhere)
    t.deepEqual(
      remembered({ source, facts }, next(own)),
      { facts: isList ? facts : null, lists: isLists ? lists : undefined },
      JSON.stringify(own),
    )
})

test('lists count until the first of their next updates and its grace are over', (t) => {
  const hours = (count: number) => at(count * 3_600_000)
  t.is(staleAtOf([undefined, undefined], 24), null)
  t.deepEqual(staleAtOf([hours(3), undefined, hours(2)], 24), hours(26))
  t.deepEqual(staleAtOf([hours(2)], 0), hours(2))
  t.deepEqual(staleAtOf([new Date('9999-12-31T23:59:59Z')], 720)?.getUTCFullYear(), 9999)
  const lists = { sequenceNumber: 3, issuedAt: FACTS.issuedAt, nextUpdate: hours(1).toISOString(), signers: 1 }
  t.deepEqual(nextUpdatesOf({ ...FACTS, nextUpdate: hours(2).toISOString(), listOfLists: lists }), [hours(2), hours(1)])
  t.deepEqual(nextUpdatesOf({ ...FACTS, listOfLists: { ...lists, nextUpdate: null } }), [])
  t.deepEqual(nextUpdatesOf(FACTS), [])
})
