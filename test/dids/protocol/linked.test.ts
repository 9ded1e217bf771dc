import test from 'ava'
import { decodeProtectedHeader, exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT } from 'jose'
import { createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { createProofCheck } from '../../../protocol/data-integrity/verify.ts'
import { dereference, fromJwk, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { didKeyOf, resolveDidKey } from '../../../protocol/dids/key.ts'
import {
  didConfiguration,
  domainLinkageCredential,
  type LinkageRules,
  linkedDidsList,
  readDidConfiguration,
  verifyDomainLinkage,
} from '../../../protocol/dids/linked.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { vectorJson, withVectors } from '../../support/credentials/conformance-vectors.ts'

const ORIGIN = 'https://identity.foundation'
const IN_TIME = new Date('2024-01-01T00:00:00Z')

const checkProof = createProofCheck({ documentLoader: createDocumentLoader() })

const methodFor = (didUrl: string) => {
  const { method, authorized } = dereference(resolveDidKey(didUrl), didUrl, 'assertionMethod')
  return authorized ? method : undefined
}

async function verifyJwt(jwt: string): Promise<boolean> {
  const method = methodFor(decodeProtectedHeader(jwt).kid ?? '')
  if (!method) return false
  const key = await importJWK(toJwk(publicKeyOf(method)), 'EdDSA')
  return jwtVerify(jwt, key, { algorithms: ['EdDSA'], currentDate: IN_TIME }).then(
    () => true,
    () => false,
  )
}

/** Proofs by did:key, as the fixtures have them: Data Integrity for objects, jose for JWTs. */
const verifyProof: LinkageRules['verifyProof'] = async (credential) => {
  if (typeof credential === 'string') return verifyJwt(credential)
  const { proof, ...document } = credential as Record<string, unknown> & { proof: Record<string, unknown> }
  const method = methodFor(String(proof.verificationMethod))
  return method !== undefined && (await checkProof({ document, proof, method })).verified
}

const rules: LinkageRules = { origin: ORIGIN, now: IN_TIME, verifyProof }

const FIXTURE =
  'well-known-did-configuration/resources/did-configuration/generate-config/__fixtures__/did-configuration.json'
const fixture = () => readDidConfiguration(vectorJson(FIXTURE))
const DID = 'did:key:z6MkoTHsgNNrby8JzCNQ1iRLyW5QQ6R8Xuu6AA8igGrMVPUM'

withVectors('both entries of the DIF fixture verify at their origin, in their time', async (t) => {
  const entries = fixture()
  t.deepEqual(
    entries.map((entry) => typeof entry),
    ['object', 'string'],
  )
  for (const entry of entries)
    t.deepEqual(await verifyDomainLinkage(entry, rules), { verified: true, did: DID, reason: [] })
})

/** A valid key of somebody else. */
const OTHER_DID = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'
const OTHER = `${OTHER_DID}#${OTHER_DID.slice(8)}`

const reasonsOf = async (entry: string | Record<string, unknown>, more: Partial<LinkageRules> = {}) =>
  (await verifyDomainLinkage(entry, { ...rules, ...more })).reason.map(({ type }) => type)

withVectors('elsewhere, earlier and later the same entries do not hold, each for its reason', async (t) => {
  for (const entry of fixture()) {
    t.deepEqual(await reasonsOf(entry, { origin: 'https://evil.example' }), ['Origin'])
    t.deepEqual(await reasonsOf(entry, { origin: 'https://identity.foundation:8443' }), ['Origin'])
    t.deepEqual(await reasonsOf(entry, { origin: 'https://sub.identity.foundation' }), ['Origin'])
    t.deepEqual(await reasonsOf(entry, { now: new Date('2020-01-01T00:00:00Z') }), ['NotYetValid'])
    t.deepEqual(await reasonsOf(entry, { now: new Date('2026-01-01T00:00:00Z') }), ['Expired'])
  }
})

withVectors('a changed entry fails: its proof, and the rule that it breaks', async (t) => {
  const [ld, jwt] = fixture()
  if (typeof ld !== 'object' || typeof jwt !== 'string') return t.fail('the fixture is another one')
  const subject = ld.credentialSubject as Record<string, unknown>
  const changed: [Record<string, unknown>, string[]][] = [
    [{ credentialSubject: { ...subject, origin: 'https://evil.example' } }, ['Origin', 'Proof']],
    [{ credentialSubject: { ...subject, id: `${DID}x` } }, ['Subject', 'Subject', 'Proof']],
    [{ issuer: 'did:web:evil.example' }, ['Subject', 'Proof']],
    [{ proof: { ...(ld.proof as object), verificationMethod: OTHER } }, ['Subject', 'Proof']],
    [{ expirationDate: undefined }, ['Expired', 'Proof']],
    [{ expirationDate: 'never' }, ['Expired', 'Proof']],
    [{ issuanceDate: undefined }, ['NotYetValid', 'Proof']],
    [{ type: ['VerifiableCredential'] }, ['Syntax', 'Proof']],
    [{ id: 'urn:uuid:2f6c6c9e-1f2c-4e62-9b8b-0c1e1d1f1a1b' }, ['Syntax', 'Proof']],
  ]
  for (const [change, reasons] of changed) {
    const entry = JSON.parse(JSON.stringify({ ...ld, ...change }))
    t.deepEqual(await reasonsOf(entry), reasons, JSON.stringify(change))
  }
  t.deepEqual(await reasonsOf(`${jwt.slice(0, -4)}AAAA`), ['Proof'])
  t.deepEqual(await reasonsOf('no.jwt'), ['Syntax'])
  t.deepEqual(await reasonsOf(`${jwt}==`), ['Syntax'], 'padding makes another text of the same bytes')
  t.deepEqual(await reasonsOf('eyJhbGciOiJub25lIn0.e30.'), ['Syntax'])
})

test('a JWT by another DID than the one it links is refused, whatever its signature', async (t) => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
  const jwk = await exportJWK(publicKey)
  const key = fromJwk({ kty: 'OKP', ...jwk })
  const attacker = didKeyOf(key.keyType, key.publicKey)
  const credential = (did: string) =>
    domainLinkageCredential({
      did,
      origin: ORIGIN,
      issuedAt: new Date('2023-01-01'),
      expiresAt: new Date('2025-01-01'),
    })
  const sign = (iss: string, sub: string, vc: object) =>
    new SignJWT({ vc })
      .setProtectedHeader({ alg: 'EdDSA', kid: `${attacker}#${attacker.slice(8)}` })
      .setIssuer(iss)
      .setSubject(sub)
      .setNotBefore(new Date('2023-01-01'))
      .setExpirationTime(new Date('2025-01-01'))
      .sign(privateKey)
  t.deepEqual(await reasonsOf(await sign(attacker, attacker, credential(attacker))), [])
  t.deepEqual(await reasonsOf(await sign(DID, DID, credential(DID))), ['Subject'])
  t.deepEqual(await reasonsOf(await sign(attacker, DID, credential(DID))), ['Subject'])
  t.deepEqual(await reasonsOf(await sign(attacker, attacker, credential(DID))), ['Subject'])
})

test('our DomainLinkageCredential has no id, the DID twice, the origin, an end', (t) => {
  const credential = domainLinkageCredential({
    did: 'did:web:issuer.example',
    origin: 'https://Issuer.Example/path',
    issuedAt: new Date('2026-01-01T10:00:00.123Z'),
    expiresAt: new Date('2027-01-01T10:00:00.999Z'),
  })
  t.deepEqual(credential, {
    '@context': [
      'https://www.w3.org/2018/credentials/v1',
      'https://identity.foundation/.well-known/contexts/did-configuration-v0.2.jsonld',
    ],
    type: ['VerifiableCredential', 'DomainLinkageCredential'],
    issuer: 'did:web:issuer.example',
    issuanceDate: '2026-01-01T10:00:00Z',
    expirationDate: '2027-01-01T10:00:00Z',
    credentialSubject: { id: 'did:web:issuer.example', origin: 'https://issuer.example' },
  })
})

test('one list, two shapes: the DIF resource, and the specification’s context and linkedDids', (t) => {
  const context = 'https://identity.foundation/.well-known/did-configuration/v1'
  t.deepEqual(didConfiguration([{ a: 1 }]), { '@context': context, linked_dids: [{ a: 1 }] })
  t.deepEqual(linkedDidsList([{ a: 1 }]), { context, linkedDids: [{ DomainLinkageCredential: { a: 1 } }] })
  t.deepEqual(readDidConfiguration(didConfiguration(['jwt', {}])), ['jwt', {}])
})

test('what is no DID configuration is refused', (t) => {
  const context = 'https://identity.foundation/.well-known/did-configuration/v1'
  const bad: unknown[] = [
    null,
    [],
    {},
    { linked_dids: [] },
    { '@context': context },
    { '@context': 'https://evil.example', linked_dids: [] },
    { '@context': context, linked_dids: {} },
    { '@context': context, linked_dids: [7] },
    { '@context': context, linked_dids: [null] },
    { '@context': context, linked_dids: Array(101).fill('jwt') },
  ]
  for (const resource of bad) {
    const error = t.throws(() => readDidConfiguration(resource), { instanceOf: Refusal })
    t.is(error?.code, 'did.invalid_configuration', JSON.stringify(resource)?.slice(0, 80))
  }
})
