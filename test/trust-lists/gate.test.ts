import test from 'ava'
import type { Dependencies } from '../../activities/dependencies.ts'
import { createTrustGate } from '../../activities/trust-lists/gate.ts'
import { MAX_IMPORTED } from '../../protocol/trust-lists/etsi/listed.ts'
import { heldEntry, MAX_LISTS } from '../../protocol/trust-lists/lists.ts'

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
