import 'reflect-metadata'
import { randomBytes, randomUUID, webcrypto } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, X509CertificateGenerator } from '@peculiar/x509'
import test from 'ava'
import { createNamedLists } from '../../activities/credentials/status-lists/named.ts'
import { createMobileVerifier } from '../../activities/mobile-credentials/verify.ts'
import { createIssuerKeys } from '../../activities/sd-jwt-credentials/issuer-keys.ts'
import { createSdJwtStatus } from '../../activities/sd-jwt-credentials/status.ts'
import { createTypeMetadata } from '../../activities/sd-jwt-credentials/type-metadata.ts'
import { createSdJwtVerifier } from '../../activities/sd-jwt-credentials/verify.ts'
import { issuerFault, policyOf } from '../../protocol/administration/ecosystems/policy.ts'
import { signCoseSign1 } from '../../protocol/cose/sign1.ts'
import type { JudgedCredential } from '../../protocol/credentials/policy.ts'
import { Refusal } from '../../protocol/errors.ts'
import { authorityOf } from '../../protocol/mobile-credentials/authority.ts'
import { parseCertificate } from '../../protocol/mobile-credentials/certificates.read.ts'
import { hasIssued } from '../../protocol/mobile-credentials/issued.ts'
import { mobileListCwt, readMobileList, statusMember } from '../../protocol/mobile-credentials/status.ts'
import { Faulty } from '../../protocol/sd-jwt-credentials/faults.ts'
import { integrityOf } from '../../protocol/sd-jwt-credentials/integrity.ts'
import { signSdJwt, unsignedSdJwt } from '../../protocol/sd-jwt-credentials/issue.ts'
import type { IssuerReference } from '../../protocol/sd-jwt-credentials/issuers.ts'
import type { ProcessedSdJwt } from '../../protocol/sd-jwt-credentials/processed.ts'
import { issueElsewhere, makeForeignIaca } from '../support/credentials/mobile.issuers.ts'

const TENANT = 'tenant'
const config = { clockToleranceMs: 60_000, publicUrl: new URL('https://platform.example') }
const now = () => new Date()

const authority = await makeForeignIaca()
const stranger = await makeForeignIaca({ commonName: 'Stranger' })
const [signer, other, foreign] = [await authority.signer(), await authority.signer(), await stranger.signer()]
const read = (der: Uint8Array) => parseCertificate(new Uint8Array(der))
const AUTHORITY = authorityOf(read(authority.certificate))

/** The parts of a tenant whose trust list has the certificate of the signer alone; `iacas`: those that it has besides. */
function tenantWith(iacas: readonly Uint8Array[] = []) {
  const listed = read(signer.certificate)
  const anchorsOf = (chain: readonly { fingerprint: string }[]) =>
    chain.some(({ fingerprint }) => fingerprint === listed.fingerprint) ? [listed] : []
  const trust = { anchorsOf, find: () => ({ listed: { listId: 'list', listName: 'The list' } }) }
  const query = async ({ name }: { name: string }) => ({
    rows: name.endsWith('-iacas') ? iacas.map((certificate, at) => ({ id: String(at), certificate })) : [],
  })
  return { now, config, trustGate: { trustFor: async () => trust }, systemSql: { query } }
}

const base64 = (certificate: Uint8Array) => Buffer.from(certificate).toString('base64')
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The state of entry 7 of a list that somebody else publishes, with these certificates in its header. */
async function stateBy(
  list: { key: typeof signer.key; chain: readonly Uint8Array[] },
  credential: readonly Uint8Array[],
  iacas: readonly Uint8Array[] = [],
) {
  const url = 'https://lists.example/one'
  const bits = Buffer.alloc(1_024)
  bits[0] = 1 << 7
  const header = { alg: 'ES256', typ: 'statuslist+jwt', x5c: list.chain.map(base64) }
  const body = { sub: url, status_list: { bits: 1, lst: deflateSync(bits).toString('base64url') } }
  const input = `${encoded(header)}.${encoded(body)}`
  const jwt = `${input}.${Buffer.from(await list.key.sign(Buffer.from(input))).toString('base64url')}`
  const parts = tenantWith(iacas)
  const outbound = { fetch: async () => ({ status: 200, body: Buffer.from(jwt) }) }
  const issuerKeys = createIssuerKeys(parts as never)
  const status = createSdJwtStatus({
    ...parts,
    issuerKeys,
    namedLists: createNamedLists({ ...parts, outbound } as never),
  } as never)
  const reference: IssuerReference = { by: 'x5c', chain: [...credential] }
  return status.stateIn(TENANT, { index: 7, url }, reference, await issuerKeys.find(TENANT, reference))
}

test('the status list of a signer that a trust list has by itself is signed by another one of its authority (D-1087)', async (t) => {
  const [alone, whole] = [[signer.certificate], [signer.certificate, authority.certificate]]
  const by = (chain: Uint8Array[]) => ({ key: other.key, chain })
  t.is(await stateBy(by([other.certificate]), whole), 'revoked')
  t.is(await stateBy(by([other.certificate, authority.certificate]), alone), 'revoked')
  t.is(await stateBy(by([other.certificate]), alone, [authority.certificate]), 'revoked')
  t.is(await stateBy({ key: signer.key, chain: alone }, alone), 'revoked')
  for (const iacas of [[], [stranger.certificate]])
    await t.throwsAsync(
      stateBy({ key: foreign.key, chain: [foreign.certificate, stranger.certificate] }, whole, iacas),
      { message: /authority|issuer/ },
    )
})

test('an own list is of the authority that has issued the certificate of the signer (D-279, D-1087)', async (t) => {
  const parts = tenantWith()
  const stateFor = async (iaca: Uint8Array) => {
    const row = { tenantId: TENANT, kind: 'TokenStatusList', size: 8, did: null, state: 'valid', iaca }
    const tenants = { byHost: async () => ({ id: TENANT }) }
    const credentialStatus = { storedEntry: async () => row }
    const namedLists = createNamedLists({ ...parts, tenants, credentialStatus } as never)
    const issuerKeys = createIssuerKeys(parts as never)
    const reference: IssuerReference = { by: 'x5c', chain: [signer.certificate] }
    const url = `https://platform.example/v1/credentials/mobile/status-lists/${randomUUID()}`
    const status = createSdJwtStatus({ ...parts, issuerKeys, namedLists } as never)
    return status.stateIn(TENANT, { index: 0, url }, reference, await issuerKeys.find(TENANT, reference))
  }
  t.is(await stateFor(authority.certificate), 'valid')
  t.is(await stateFor(await authority.renewed()), 'valid')
  await t.throwsAsync(stateFor(stranger.certificate), { code: 'status_list.mismatch' })
})

/** A policy that allows all, and keeps what it was asked for. */
const policyAsked = (asked: JudgedCredential[]) => ({
  async reasonsAgainst(_: string, judged: JudgedCredential) {
    asked.push(judged)
    return []
  },
})

/** The verdict over a credential of the signer, and by which names the policy was asked. */
async function verdictOf(terms: object, more: object = {}) {
  const asked: JudgedCredential[] = []
  const parts = tenantWith()
  const unsigned = unsignedSdJwt(
    { name: 'Ada' },
    { selective: [['name']], decoys: 0 },
    { vct: 'https://types.example/a', issuedAt: new Date(), ...terms },
    { alg: 'ES256', x5c: [signer.certificate, authority.certificate].map(base64) },
    { randomBytes },
  )
  const verifier = createSdJwtVerifier({
    ...parts,
    issuerKeys: createIssuerKeys(parts as never),
    typeMetadata: createTypeMetadata(parts as never),
    policyGate: policyAsked(asked),
    namedLists: undefined,
  } as never)
  const payload = await signSdJwt(unsigned, signer.key.sign)
  const request = { payload, checkRevocation: false, checkTypeMetadata: 'where named' as const, ...more }
  return { asked, verdict: await verifier.verify(TENANT, request) }
}

test('a policy and trusted_issuers know a listed signer by the authority that issued its certificate (D-856, D-1087)', async (t) => {
  const { asked, verdict } = await verdictOf({}, { trustedIssuers: [AUTHORITY] })
  t.true(verdict.verified, JSON.stringify(verdict.faults))
  t.deepEqual(asked, [
    {
      format: 'sd-jwt-vc',
      issuer: authorityOf(read(signer.certificate)),
      authorities: [AUTHORITY],
      types: ['https://types.example/a'],
    },
  ])
  const refused = await verdictOf({}, { trustedIssuers: [authorityOf(read(stranger.certificate))] })
  t.like(refused.verdict.faults, [{ code: 'sd_jwt.issuer_not_trusted' }])
  const grant = { isHeld: true, isConstrained: false, allowed: new Set<string>() }
  const participant = { id: 'one', name: 'One', issuer: grant, verifier: grant }
  const policy = policyOf('ecosystem', [{ ...participant, identifiers: new Map([['sd-jwt-vc', [AUTHORITY]]]) }], [])
  const [judged] = asked
  t.is(judged && issuerFault(policy, judged), undefined)
  t.is(judged && issuerFault(policy, { ...judged, authorities: [] })?.rule, 'issuer_unknown')
})

test('an mdoc of a listed signer has the status list and the policy of its authority (D-1087)', async (t) => {
  const asked: JudgedCredential[] = []
  const verify = createMobileVerifier({
    ...tenantWith([authority.certificate]),
    policyGate: policyAsked(asked),
    namedLists: {
      async ownState(_: object, { isBy }: { isBy(stored: object): boolean }) {
        t.false(isBy({ did: null, iaca: stranger.certificate }))
        return isBy({ did: null, iaca: authority.certificate }) ? 'revoked' : 'valid'
      },
    },
  } as never)
  const url = 'https://platform.example/list'
  const payload = await issueElsewhere(signer, { status: statusMember({ index: 7, url }) })
  const { reason } = await verify.verifyMobileCredential(TENANT, { payload })
  t.deepEqual(
    reason.map(({ type }) => type),
    ['Revoked'],
  )
  t.like(asked, [{ issuer: authorityOf(read(signer.certificate)), authorities: [AUTHORITY] }])
  const list = { url, bits: new Uint8Array(16_384), issuedAt: new Date(), expiresAt: new Date(Date.now() + 60_000) }
  const bytesBy = ({ key, certificate }: typeof signer) =>
    signCoseSign1(mobileListCwt({ ...list, ttlSeconds: 3 }, certificate), { keyType: 'p256', sign: key.sign })
  const trust = { iaca: read(signer.certificate), issuers: [read(authority.certificate)], isRevoked: () => false }
  const clock = { now: new Date(), toleranceMs: 60_000 }
  t.is((await readMobileList(await bytesBy(other), url, trust, clock)).valueAt(7), 0)
  await t.throwsAsync(readMobileList(await bytesBy(foreign), url, trust, clock), { code: 'status_list.not_verified' })
  const bare = { ...trust, issuers: [] }
  await t.throwsAsync(readMobileList(await bytesBy(other), url, bare, clock), { code: 'status_list.not_verified' })
})

test('an authority of RSA is not taken for the issuer of a certificate: anybody finds a key that fits', async (t) => {
  const RSA = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    publicExponent: Uint8Array.of(1, 0, 1),
    modulusLength: 2048,
  }
  const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  for (const [algorithm, expected] of [
    [RSA, false],
    [ECDSA, true],
  ] as const) {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
    const usage = [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ]
    const made = await X509CertificateGenerator.createSelfSigned(
      { name: 'CN=Root', keys, signingAlgorithm: algorithm, extensions: usage },
      webcrypto,
    )
    const root = read(new Uint8Array(made.rawData))
    t.is(hasIssued(root, root), expected)
  }
})

test('a type that is a name and no address is checked only where the verifier asks for it', async (t) => {
  const vct = 'urn:example:course'
  const terms = { vct, vctIntegrity: integrityOf(Buffer.from('{}')) }
  const { verdict } = await verdictOf(terms)
  t.true(verdict.verified, JSON.stringify(verdict.faults))
  t.true(verdict.warnings.includes('TypeMetadataNotChecked'))
  t.is(verdict.checks.find(({ name }) => name === 'TypeMetadata')?.result, 'skipped')
  const asked = (await verdictOf(terms, { checkTypeMetadata: true })).verdict
  t.like(asked.faults, [{ check: 'TypeMetadata', code: 'sd_jwt.type_metadata_unavailable' }])
})

test('so is one that extends a name; what can be found of it is still compared with its digest', async (t) => {
  const vct = 'https://types.example/course'
  const document = Buffer.from(JSON.stringify({ vct, extends: 'urn:example:base' }))
  const outbound = { fetch: async () => ({ status: 200, body: document }) }
  const { check } = createTypeMetadata({ outbound, now, config } as never)
  const processed: ProcessedSdJwt = {
    root: { content: { kind: 'object', members: new Map(), undisclosed: 0 } },
    ...{ claims: {}, selective: [] },
  }
  const lenient = { mayLackAddress: true }
  t.is(await check(TENANT, processed, vct, integrityOf(document), lenient), undefined)
  const { fault } = await t.throwsAsync(check(TENANT, processed, vct, integrityOf(document)), { instanceOf: Faulty })
  t.is(fault.code, 'sd_jwt.type_extended_missing')
  const wrong = integrityOf(Buffer.from('{}'))
  await t.throwsAsync(check(TENANT, processed, vct, wrong, lenient), { instanceOf: Faulty })
  await t.throwsAsync(check(TENANT, processed, 'urn:example:base', undefined), { instanceOf: Refusal })
})
