import { setImmediate } from 'node:timers'
import test from 'ava'
import type { Dependencies } from '../../activities/dependencies.ts'
import { createTrustImports } from '../../activities/trust-lists/imports.ts'
import { createReading } from '../../activities/trust-lists/reading.ts'
import { DocumentFault, Refusal } from '../../protocol/errors.ts'
import { type EtsiList, MAX_LISTED } from '../../protocol/trust-lists/etsi/listed.ts'
import { readEtsiList } from '../../protocol/trust-lists/etsi/read.ts'
import { loteOf, PID_ISSUANCE } from '../support/trust-lists/lote.ts'

const read = (text: string) => readEtsiList({ format: 'ts-119-602', text, signers: undefined })

/** A list without a signature, with this JSON in place of the certificates of its service. */
const withIdentities = (json: string, name?: string) =>
  JSON.stringify(loteOf([{ ...(name !== undefined && { name }) }])).replace('"X509Certificates":[]', json)

const repeated = (json: string, count: number) => `[${`${json},`.repeat(count - 1)}${json}]`

test('identities that a service repeats leave the thread once', async (t) => {
  const ids = await read(withIdentities(`"OtherIds":${repeated('""', 300_000)}`))
  t.deepEqual([ids.services[0]?.identifiers, ids.services[0]?.unread], [[], ['']])
  const certificates = await read(withIdentities(`"X509Certificates":${repeated('{}', 200_000)}`))
  t.is(certificates.services[0]?.certificates.length, 1)
  const dids = await read(withIdentities('"OtherIds":["did:web:a.example","did:web:a.example","did:web:","a"]'))
  t.deepEqual([dids.services[0]?.identifiers, dids.services[0]?.unread], [['did:web:a.example'], ['did:web:', 'a']])
})

test('more identities or values than are bounded are refused where the list is read', async (t) => {
  const many = (count: number) => `"OtherIds":${JSON.stringify(Array.from({ length: count }, (_, at) => `${at}`))}`
  t.is((await read(withIdentities(many(MAX_LISTED - 1)))).services[0]?.unread.length, MAX_LISTED - 1)
  const tooMany = await t.throwsAsync(read(withIdentities(many(MAX_LISTED))), { instanceOf: Refusal })
  t.is(tooMany?.code, 'trust_list.source_too_large')
  const values = await t.throwsAsync(read(withIdentities(`"OtherIds":${repeated('1', 500_000)}`)), {
    instanceOf: Refusal,
  })
  t.is(values?.code, 'trust_list.source_invalid')
  t.regex(values?.message ?? '', /more than 500000 values/)
})

test('a name of an entity that its services share leaves the thread short', async (t) => {
  const { services } = await read(withIdentities('"X509Certificates":[]', `  ${'n'.repeat(1_000_000)}`))
  t.is(services[0]?.entity, 'n'.repeat(200))
})

test('requests go on while identities are looked at that repeat each other', async (t) => {
  const service = { entity: 'A', type: PID_ISSUANCE, status: undefined, statusSince: undefined }
  const list: EtsiList = {
    ...{ type: undefined, sequence: 1, issuedAt: new Date(0), nextUpdate: undefined, isClosed: false },
    services: Array.from({ length: 10_000 }, () => ({
      ...service,
      certificates: [],
      identifiers: ['did:web:a.example'],
      unread: [],
    })),
  }
  const parts = { documents: { readTrustList: async () => list }, now: () => new Date(), config: {} }
  const imports = createTrustImports(parts as unknown as Dependencies)
  let turns = 0
  let isOver = false
  const turn = () => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const source = { ...{ format: 'ts-119-602' as const, signers: [], serviceTypes: [PID_ISSUANCE] } }
  const rules = { refreshHours: 6, graceHours: 24 }
  const { entries } = await imports.read(
    'a',
    { ...source, ...rules },
    { formats: [], attests: [], facts: null, isNew: true },
    { document: '{}' },
  )
  isOver = true
  t.is(entries.length, 1)
  t.true(turns > 1_000, `the event loop had ${turns} turns`)
})

test('of two lists with one sequence number the one that was issued later is the newer', async (t) => {
  const services = [
    { entity: 'A', type: PID_ISSUANCE, status: undefined, statusSince: undefined, certificates: [], unread: [] },
  ].map((service) => ({ ...service, identifiers: ['did:web:a.example'] }))
  const issued = new Date('2026-11-20T00:00:00Z')
  const list: EtsiList = {
    type: undefined,
    sequence: 7,
    issuedAt: issued,
    nextUpdate: undefined,
    isClosed: false,
    services,
  }
  const parts = {
    documents: { readTrustList: async () => list },
    now: () => new Date('2026-11-25T00:00:00Z'),
    config: {},
  }
  const imports = createTrustImports(parts as unknown as Dependencies)
  const source = {
    format: 'ts-119-602' as const,
    signers: [],
    serviceTypes: [PID_ISSUANCE],
    refreshHours: 6,
    graceHours: 24,
  }
  const after = async (sequenceNumber: number, issuedAt: string) => {
    const facts = { type: null, sequenceNumber, issuedAt, nextUpdate: null, skipped: 0 }
    const read = imports.read(
      'a',
      source,
      { formats: ['sd-jwt-vc'], attests: [], facts, isNew: false },
      { document: '{}' },
    )
    return read.then(
      ({ entries }) => entries.length,
      (error: unknown) => (error instanceof Refusal ? error.code : error),
    )
  }
  t.is(await after(7, '2026-11-20T00:00:00.001Z'), 'trust_list.source_older')
  t.is(await after(7, '2026-11-20T00:00:00.000Z'), 1, 'the same again')
  t.is(await after(6, '2026-11-21T00:00:00.000Z'), 1)
  t.is(await after(8, '2026-11-19T00:00:00.000Z'), 'trust_list.source_older')
})

test('the log of a list that cannot be processed has its host, and not the rest of its URL, which may be a secret', async (t) => {
  const logged: unknown[] = []
  const log = { error: (facts: unknown) => logged.push(facts) }
  const reading = createReading({ outbound: {}, config: {}, now: () => new Date(), log } as never)
  const processed = reading.processed('a', 'https://lists.example/at.xml?token=secret', () => {
    throw new DocumentFault('our own code')
  })
  t.is((await t.throwsAsync<Refusal>(processed)).code, 'trust_list.source_invalid')
  t.like(logged[0], { tenantId: 'a', host: 'lists.example' })
  t.false(JSON.stringify(logged).includes('secret'))
})
