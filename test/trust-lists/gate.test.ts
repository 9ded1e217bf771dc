import test from 'ava'
import type { Dependencies } from '../../activities/dependencies.ts'
import { createTrustGate } from '../../activities/trust-lists/gate.ts'
import { dueAfter } from '../../activities/trust-lists/rows.ts'
import type { TrustList } from '../../entities/trust-lists/lists.ts'
import { readPem } from '../../protocol/mobile-credentials/certificates.read.ts'
import { MAX_IMPORTED } from '../../protocol/trust-lists/etsi/listed.ts'
import { heldEntry, MAX_LISTS } from '../../protocol/trust-lists/lists.ts'
import { signersNow } from '../../protocol/trust-lists/sources.ts'
import { indexed, providersOf, trustOf, urlsOf } from '../../protocol/trust-lists/trust.ts'
import { makeForeignIaca } from '../support/credentials/mobile.issuers.ts'

const TENANT = '3f1c7a5e-0000-4000-8000-000000000001'

test('as many lists as a tenant can have, as long as they can be, are read once', async (t) => {
  const ids = Array.from({ length: MAX_LISTS }, (_, nth) => `list-${nth}`)
  const lists = ids.map((id, nth) => ({
    ...{ id, name: id, formats: ['sd-jwt-vc'], enforced: true, url: null, revision: 1, staleMs: null },
    entries: Array.from({ length: MAX_IMPORTED }, (_, at) => heldEntry({ identifier: `did:web:${nth}.${at}.example` })),
  }))
  const read: number[] = []
  const query = async ({ name }: { name?: string }) => {
    if (name === 'trust-list-versions') return { rows: ids.map((id) => ({ id, revision: 1 })) }
    read.push(lists.length)
    return { rows: lists }
  }
  let elapsed = 0
  const systemSql = { query } as unknown as Dependencies['systemSql']
  const gate = createTrustGate({ systemSql, now: () => new Date(), elapsedMs: () => elapsed })
  for (let look = 0; look < 3; look++) {
    const trust = await gate.trustFor(TENANT, 'sd-jwt-vc')
    t.true('listed' in (trust?.find('did:web:19.1999.example') ?? {}))
    elapsed += 1_000
  }
  t.deepEqual(read, [MAX_LISTS])
})

/** A certificate that no chain is verified by: only its names count here. */
const listed = (fingerprint: string, subject: string, pem: string) => ({
  certificate: pem,
  fingerprint,
  subject,
  issuer: fingerprint,
})

test('a chain is tried with a bounded number of certificates, each once and read once, its own first', async (t) => {
  const { certificatePem } = await makeForeignIaca()
  const { fingerprint: own } = readPem(certificatePem, 'certificate')
  const many = Array.from({ length: 2_000 }, (_, at) => listed(`other ${at}`, 'one subject', certificatePem))
  const lists = ['first', 'second'].map((id) =>
    indexed({
      ...{ id, name: id, formats: ['mobile' as const], attests: ['keys' as const], enforced: true, url: null },
      ...{ staleAt: null, entries: [...many, listed(own, 'one subject', certificatePem)] },
    }),
  )
  const chain = [{ fingerprint: own, issuerName: 'one subject' }]
  const providers = providersOf(lists, 'keys', chain, new Date())
  t.is(providers.length, 100)
  t.like(providers[0], { listId: 'first', fingerprint: own })
  t.is(new Set(providers.map(({ fingerprint }) => fingerprint)).size, 100)
  const anchors = () => trustOf(lists, 'mobile', new Date())?.anchorsOf([{ fingerprint: own, issuerName: 'none' }])
  t.is(anchors()?.length, 1, 'one certificate of two lists')
  t.is(anchors()?.[0], anchors()?.[0], 'it is read once')
})

const NOW = new Date('2026-11-25T12:00:00Z')
const inSeconds = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)

test('a list that is stale, or for another format, names no authority of an issuer', (t) => {
  const url = 'https://lists.example/a'
  const listOf = (staleAt: Date | null) =>
    indexed({
      ...{ id: 'a', name: 'A', formats: ['sd-jwt-vc' as const], attests: [], enforced: false, url, staleAt },
      entries: [{ identifier: 'did:web:a.example', issuer: 'did:web:a.example' }],
    })
  const found = (staleAt: Date | null, format: 'sd-jwt-vc' | 'semantic', issuer?: string) =>
    urlsOf([listOf(staleAt)], format, NOW, issuer === undefined ? undefined : [issuer])
  for (const staleAt of [null, inSeconds(1)]) {
    t.deepEqual(found(staleAt, 'sd-jwt-vc', 'did:web:a.example'), [url])
    t.deepEqual(found(staleAt, 'semantic', 'did:web:a.example'), [])
    t.deepEqual(found(staleAt, 'sd-jwt-vc', 'did:web:b.example'), [])
  }
  t.deepEqual(found(NOW, 'sd-jwt-vc', 'did:web:a.example'), [])
  t.deepEqual([found(NOW, 'sd-jwt-vc'), found(NOW, 'semantic')], [[url], []], 'a query may still name it')
})

test('a signer of lists counts from the beginning of its certificate to the end', async (t) => {
  const { certificatePem } = await makeForeignIaca()
  const { notBefore, notAfter } = readPem(certificatePem, 'certificate')
  const at = (time: Date, ms: number) =>
    signersNow({ signers: [certificatePem] }, new Date(time.getTime() + ms))?.length
  t.deepEqual([at(notBefore, -1), at(notBefore, 0), at(notAfter, 0), at(notAfter, 1)], [0, 1, 1, 0])
})

test('the clock looks at a list that was sent once it is stale, to say so once', (t) => {
  const source = { format: 'ts-119-602' as const, signers: [], serviceTypes: [], refreshHours: 6, graceHours: 0 }
  const due = (more: object) =>
    dueAfter({ source, staleAt: inSeconds(60), staleNoted: false, ...more } as object as TrustList, NOW)
  t.deepEqual(due({}), inSeconds(60))
  t.deepEqual([due({ staleNoted: true }), due({ staleAt: null }), due({ source: null })], [null, null, null])
})
