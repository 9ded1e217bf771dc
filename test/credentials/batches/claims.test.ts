import test from 'ava'
import { completeClaims, type ReadRow, rowKindOf, rowOfJson } from '../../../protocol/credentials/batches.ts'
import type { FormatName } from '../../../protocol/credentials/formats.ts'
import { issuerOf } from '../../../protocol/semantic-credentials/batches.ts'

test('a row of claims names its issuer, or the options do (D-126)', (t) => {
  const own = { issuer: 'did:e:1', revocable: false, suspendable: true, tag: 'x' }
  const options = { format: 'semantic' as const, ...own, types: [], contexts: [] }
  const given = { issuerDid: 'did:e:1', suspendable: true, tag: 'x' }
  t.deepEqual(completeClaims({ claims: { a: 1 } }, options), { claims: { a: 1 }, ...given })
  t.deepEqual(completeClaims({ claims: {}, issuer_did: 'did:e:2', suspendable: false, tag: 'y' }, options), {
    claims: {},
    issuerDid: 'did:e:2',
    suspendable: false,
    tag: 'y',
  })
  t.is(issuerOf({ claims: {}, issuer_did: null }, options), 'did:e:1')
  t.deepEqual(completeClaims({ claims: {}, holder_key: { kty: 'OKP' } }, options), {
    claims: {},
    holderKey: { kty: 'OKP' },
    ...given,
  })
  t.is(issuerOf({ claims: { issuer: 'did:e:3' }, issuer_did: 'did:e:2' }, options), 'did:e:2')
})

test('rows for a template have a key of the holder where the format binds its credentials to one (D-1012)', (t) => {
  const kindOf = (format: FormatName) =>
    rowKindOf({ format, revocable: false, types: [], contexts: [], templateId: 'x' })
  const row = { claims: {}, holder_key: { kty: 'OKP' } }
  t.deepEqual(rowOfJson(row, kindOf('sd-jwt-vc')), { input: row } as ReadRow)
  t.deepEqual(rowOfJson(row, kindOf('semantic')), { input: row } as ReadRow)
  const refused = rowOfJson(row, kindOf('compact'))
  t.deepEqual('errors' in refused && refused.errors.map(({ path, code }) => [path, code]), [
    ['holder_key', 'row.unknown_member'],
  ])
})
