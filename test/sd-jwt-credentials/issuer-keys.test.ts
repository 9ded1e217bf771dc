import { deflateSync } from 'node:zlib'
import test from 'ava'
import { createIssuerKeys } from '../../activities/sd-jwt-credentials/issuer-keys.ts'
import { createSdJwtStatus } from '../../activities/sd-jwt-credentials/status.ts'
import { createTypeMetadata } from '../../activities/sd-jwt-credentials/type-metadata.ts'
import { Refusal } from '../../protocol/errors.ts'
import { Faulty } from '../../protocol/sd-jwt-credentials/faults.ts'
import { integrityOf } from '../../protocol/sd-jwt-credentials/integrity.ts'
import type { IssuerReference } from '../../protocol/sd-jwt-credentials/issuers.ts'
import { METADATA_PATH } from '../../protocol/sd-jwt-credentials/issuers.ts'
import { keyOfJwk } from '../../protocol/sd-jwt-credentials/keys.ts'
import type { ProcessedSdJwt } from '../../protocol/sd-jwt-credentials/processed.ts'
import { makeForeignIaca } from '../support/credentials/mobile.issuers.ts'
import { issuerKey, jwtOf, NOW, testKey } from '../support/sd-jwt/tokens.ts'

const TENANT = 'tenant'
const KID = 'did:web:issuer.example#one'
const config = { clockToleranceMs: 0, publicUrl: new URL('https://platform.example') }

/** The keys of issuers whose metadata `keysOf` makes; `asked` counts what is fetched. */
function issuerKeysOf(keysOf: (issuer: string) => object[]) {
  const asked = new Map<string, number>()
  const fetch = async ({ url }: { url: string }) => {
    const issuer = url.replace(METADATA_PATH, '')
    asked.set(issuer, (asked.get(issuer) ?? 0) + 1)
    return { status: 200, body: Buffer.from(JSON.stringify({ issuer, jwks: { keys: keysOf(issuer) } })) }
  }
  return { asked, issuerKeys: createIssuerKeys({ outbound: { fetch }, now: () => NOW, config } as never) }
}

test('the keys of issuers are remembered, but no more of them than a few megabytes', async (t) => {
  const large = Array.from({ length: 90 }, (_, at) => ({ kty: 'RSA', kid: `${at}`, n: 'A'.repeat(2_600), e: 'AQAB' }))
  const { asked, issuerKeys } = issuerKeysOf(() => [...large, { ...issuerKey.jwk, kid: KID }])
  const find = (at: number) =>
    issuerKeys.find(TENANT, { by: 'metadata', issuer: `https://issuer${at}.example`, kid: KID })
  await find(0)
  await find(0)
  t.is(asked.get('https://issuer0.example'), 1)
  for (let at = 1; at <= 50; at += 1) await find(at)
  t.is(asked.size, 51)
  await find(0)
  t.is(asked.get('https://issuer0.example'), 2)
})

const LIST = 'https://issuer.example/list'

/** Whether entry 7 is revoked, by a list with this iss. */
async function isRevoked(iss: string, reference: IssuerReference, key = issuerKey): Promise<boolean> {
  const { issuerKeys } = issuerKeysOf(() => [{ ...issuerKey.jwk, kid: KID }])
  const bytes = Buffer.alloc(1_024)
  bytes[0] = 1 << 7
  const claims = { iss, sub: LIST, status_list: { bits: 1, lst: deflateSync(bytes).toString('base64url') } }
  const text = await jwtOf({ alg: 'ES256', typ: 'statuslist+jwt', kid: KID }, claims, key)
  const namedLists = {
    ownState: async () => undefined,
    foreignList: (_: string, { read }: { read(bytes: Uint8Array): unknown }) => read(Buffer.from(text)),
  }
  const status = createSdJwtStatus({ now: () => NOW, config, namedLists, issuerKeys } as never)
  const found = {
    key: { keyType: 'p256', publicKey: new Uint8Array() },
    issuer: reference.by === 'x5c' ? '' : reference.issuer,
  }
  return (await status.stateIn(TENANT, { index: 7, url: LIST }, reference, found as never)) === 'revoked'
}

test('the status list of an https issuer may name the DID of its key: the key is in the metadata of the issuer', async (t) => {
  const reference: IssuerReference = { by: 'metadata', issuer: 'https://issuer.example', kid: KID }
  t.true(await isRevoked('did:web:issuer.example', reference))
  t.true(await isRevoked('https://issuer.example', reference))
  t.is(
    (await t.throwsAsync(isRevoked('did:web:issuer.example', reference, testKey()), { instanceOf: Refusal })).code,
    'status_list.not_verified',
  )
})

test('the status list of a DID names no other issuer', async (t) => {
  const reference: IssuerReference = { by: 'did', issuer: 'did:web:issuer.example', keyUrl: KID }
  t.is(
    (await t.throwsAsync(isRevoked('did:web:other.example', reference), { instanceOf: Refusal })).code,
    'status_list.mismatch',
  )
})

test('a status list by certificates is signed under the authority of the credential, and none is remembered for another', async (t) => {
  const claims = { sub: LIST, status_list: { bits: 1, lst: deflateSync(Buffer.alloc(1_024)).toString('base64url') } }
  const text = await jwtOf({ alg: 'ES256', typ: 'statuslist+jwt', x5c: ['YQ=='] }, claims)
  const names: string[] = []
  const namedLists = {
    ownState: async () => undefined,
    foreignList(_: string, { name, read }: { name: string; read(bytes: Uint8Array): unknown }) {
      names.push(name)
      return read(Buffer.from(text))
    },
  }
  const key = keyOfJwk(issuerKey.jwk)
  const issuerKeys = { find: async () => ({ key, issuer: 'one authority' }) }
  const status = createSdJwtStatus({ now: () => NOW, config, namedLists, issuerKeys } as never)
  const isSet = async (issuer: string, tenantId = TENANT) =>
    (await status.stateIn(tenantId, { index: 7, url: LIST }, { by: 'x5c', chain: [] }, { key, issuer })) === 'revoked'
  t.false(await isSet('one authority'))
  const { fault } = await t.throwsAsync(isSet('another authority'), { instanceOf: Faulty })
  t.is(fault.code, 'sd_jwt.status_list_of_other')
  t.false(await isSet('one authority', 'another tenant'))
  t.is(new Set(names).size, 3)
})

test('a DID has to allow its key to assert, and a certificate has to name the issuer of the credential', async (t) => {
  const did = 'did:web:issuer.example'
  const { certificate } = await makeForeignIaca()
  const { certificate: leaf } = await (await makeForeignIaca()).signer()
  const issuer = await makeForeignIaca()
  const own = await issuer.signer()
  const keysFor = (relationship: string, more: object) => {
    const method = { id: KID, type: 'JsonWebKey', controller: did, publicKeyJwk: issuerKey.jwk, ...more }
    const document = { id: did, verificationMethod: [method], [relationship]: [KID] }
    const rows = [{ certificate }, { certificate: issuer.certificate }]
    return createIssuerKeys({
      ...{ now: () => new Date(), config, trustGate: { trustFor: async () => undefined } },
      systemSql: { query: async ({ name }: { name: string }) => ({ rows: name === 'sd-jwt-iacas' ? rows : [] }) },
      didResolver: { documentFor: async () => document },
    } as never)
  }
  const code = async (reference: IssuerReference, relationship = 'assertionMethod', more = {}) => {
    const find = keysFor(relationship, more).find(TENANT, reference)
    return find.then(
      () => undefined,
      (error: unknown) => (error instanceof Faulty ? error.fault.code.replace('sd_jwt.', '') : error),
    )
  }
  t.is(await code({ by: 'did', issuer: did, keyUrl: KID }), undefined)
  t.is(await code({ by: 'did', issuer: did, keyUrl: KID }, 'authentication'), 'key_not_authorized')
  for (const member of ['revoked', 'expires'])
    for (const [end, expected] of [
      ['2026-01-01T00:00:00Z', 'key_ended'],
      ['2999-01-01T00:00:00Z', undefined],
    ] as const)
      t.is(await code({ by: 'did', issuer: did, keyUrl: KID }, 'assertionMethod', { [member]: end }), expected)
  t.is(await code({ by: 'x5c', chain: [own.certificate] }), undefined)
  t.is(await code({ by: 'x5c', chain: [leaf] }), 'certificate_untrusted')
  t.is(await code({ by: 'x5c', chain: [own.certificate], issuer: 'https://bank.example' }), 'certificate_of_other')
})

test('credentials that name keys which their issuer does not have make one read in 10 seconds (D-1066)', async (t) => {
  let at = NOW.getTime()
  let reads = 0
  const outbound = {
    async fetch() {
      reads += 1
      const body = { issuer: 'https://issuer.example', jwks: { keys: [{ ...issuerKey.jwk, kid: 'known' }] } }
      return { status: 200, body: Buffer.from(JSON.stringify(body)) }
    },
  }
  const keys = createIssuerKeys({
    ...{ now: () => new Date(at), outbound, trustGate: { trustFor: async () => undefined } },
    config: { ...config, publicUrl: new URL('https://platform.example') },
  } as never)
  const find = (kid: string) => keys.find(TENANT, { by: 'metadata', issuer: 'https://issuer.example', kid })
  const missing = (kid: string) => t.throwsAsync(find(kid), { instanceOf: Refusal })
  await Promise.all(Array.from({ length: 10 }, () => find('known')))
  t.is(reads, 1, 'those at once share a read')
  await Promise.all(Array.from({ length: 10 }, (_, nth) => missing(`none ${nth}`)))
  t.is(reads, 1)
  at += 10_000
  await Promise.all(Array.from({ length: 10 }, (_, nth) => missing(`none ${nth}`)))
  t.is(reads, 2, 'a key may be new by then')
})

test('type metadata in the cache does not stand for what a digest says: it is fetched anew', async (t) => {
  const vct = 'https://types.example/course'
  let name = 'First'
  let fetched = 0
  const bytes = () => Buffer.from(JSON.stringify({ vct, name }))
  const fetch = async () => {
    fetched += 1
    return { status: 200, body: bytes() }
  }
  const { check } = createTypeMetadata({ outbound: { fetch }, now: () => NOW, config } as never)
  const processed: ProcessedSdJwt = {
    root: { content: { kind: 'object', members: new Map(), undisclosed: 0 } },
    ...{ claims: {}, selective: [] },
  }
  const first = integrityOf(bytes())
  await check(TENANT, processed, vct, undefined)
  t.deepEqual((await check(TENANT, processed, vct, first))?.faults, [])
  t.is(fetched, 1)
  name = 'Second'
  t.deepEqual((await check(TENANT, processed, vct, integrityOf(bytes())))?.faults, [])
  t.is(fetched, 2)
  const { fault } = await t.throwsAsync(check(TENANT, processed, vct, first), { instanceOf: Faulty })
  t.is(fault.code, 'sd_jwt.type_integrity')
})
