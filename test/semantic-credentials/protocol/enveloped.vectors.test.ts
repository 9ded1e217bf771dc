import { createHash } from 'node:crypto'
import test from 'ava'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { verificationKey } from '../../../protocol/data-integrity/keys.ts'
import { openEnvelope, openPresentation } from '../../../protocol/semantic-credentials/enveloped/index.ts'
import { withoutEnvelopes } from '../../../protocol/semantic-credentials/presentations/envelopes.ts'
import { vectorJson, vectorText, withVectors } from '../../support/credentials/conformance-vectors.ts'
import {
  asCose,
  asJwt,
  asSdJwt,
  credentialOf,
  ed25519,
  enveloped,
  jwt,
  stranger,
  verdict,
} from '../../support/enveloped/credentials.ts'

const VECTORS = 'vc-jose-cose-inputs/tests/input'
const method = (name: string) => ({
  ...vectorJson<{ id: string; type: string; controller: string }>(`${VECTORS}/${name}`),
  secretKeyJwk: undefined,
  type: 'JsonWebKey',
})

withVectors('the inputs of the W3C suite for JOSE and COSE, by their names', (t) => {
  const [p256Key, p521Key, edKey] = ['vm-p256', 'vm-p521', 'vm-ed25519'].map((name) =>
    verificationKey(method(`${name}.json`)),
  )
  if (!p256Key || !p521Key || !edKey) return t.fail()
  const of = (name: string) => vectorText(`${VECTORS}/${name}.txt`)
  const ofBase64 = (name: string) => Buffer.from(of(name), 'base64')
  const jwtOf = (name: string) => openEnvelope(asJwt(of(name)))
  t.is(jwtOf('credential-jose-minimal').signatureFault(p256Key), undefined)
  // the suite wants a failure with the key of Ed25519
  t.is(jwtOf('credential-jose-unknown-extensions').signatureFault(p521Key), undefined)
  t.is(jwtOf('credential-jose-unknown-extensions').signatureFault(edKey)?.code, 'envelope.key_unfit')
  t.is(jwtOf('credential-issuer-match-signed').signatureFault(edKey), undefined)
  t.is(jwtOf('credential-jose-bad-signature').signatureFault(edKey)?.code, 'envelope.signature')
  t.is(openEnvelope(asCose(ofBase64('credential-cose-minimal'))).signatureFault(p256Key), undefined)
  t.throws(() => openEnvelope(asJwt(of('credential-jose-bad-media-type'))), { code: 'envelope.type' })
  t.throws(() => openEnvelope(asJwt(of('credential-jose-vc-vp-claims'))), { code: 'envelope.claim_of_1_1' })
  t.throws(() => openEnvelope(asCose(ofBase64('credential-cose-bad-media-type'))), { code: 'envelope.type' })
})

withVectors('the presentations of the W3C suite for JOSE and COSE, by their names', (t) => {
  const [p384Key, edKey] = ['vm-p384', 'vm-ed25519'].map((name) => verificationKey(method(`${name}.json`)))
  if (!p384Key || !edKey) return t.fail()
  const of = (name: string) => vectorText(`${VECTORS}/${name}.txt`).trim()
  const presented = (id: string) => openPresentation({ ...enveloped(id), type: 'EnvelopedVerifiablePresentation' })
  const ofJwt = (name: string) => presented(`data:application/vp+jwt,${of(name)}`)
  const ofCose = (name: string) => presented(`data:application/vp+cose;base64,${of(name)}`)
  t.is(ofJwt('presentation-jose-multiple').signatureFault(p384Key), undefined)
  t.is(ofCose('presentation-cose-single').signatureFault(p384Key), undefined)
  t.is(ofCose('presentation-cose-single').signatureFault(edKey)?.code, 'envelope.key_unfit')
  t.is(ofJwt('presentation-jose-bad-credential').signatureFault(edKey), undefined)
  t.like(withoutEnvelopes(ofJwt('presentation-jose-bad-credential').presentation), {
    verifiableCredential: [{ id: 'not-a-credential' }],
  })
  const ofSdJwt = (name: string) => presented(`data:application/vp+sd-jwt,${of(name)}`)
  const selective = ofSdJwt('presentation-sdjwt-selective')
  t.is(selective.signatureFault(p384Key), undefined)
  t.like(selective.presentation, { type: 'VerifiablePresentation', holder: 'https://example.issuer/vc-jose-cose' })
  t.throws(() => ofSdJwt('presentation-sdjwt-bad-media-type'), { code: 'envelope.type' })
  t.throws(() => ofSdJwt('presentation-sdjwt-bad-credential'), { code: 'envelope.type' })
  t.throws(() => ofJwt('presentation-jose-bad-media-type'), { code: 'envelope.type' })
  t.throws(() => ofCose('presentation-cose-bad-media-type'), { code: 'envelope.type' })
})

withVectors('the SD-JWTs of the W3C suite, by their names (VC-JOSE-COSE 1.0, section 3.2)', (t) => {
  const [p384Key, p521Key] = ['vm-p384', 'vm-p521'].map((name) => verificationKey(method(`${name}.json`)))
  if (!p384Key || !p521Key) return t.fail()
  const of = (name: string) => asSdJwt(vectorText(`${VECTORS}/${name}.txt`))
  const selective = openEnvelope(of('credential-sdjwt-selective'))
  t.is(selective.signatureFault(p384Key), undefined)
  t.like(selective.credential.credentialSubject, { firstName: 'Jane', lastName: 'Doe', birthDate: '1990-01-01' })
  t.false('_sd' in Object(selective.credential.credentialSubject))
  t.is(openEnvelope(of('credential-sdjwt-bad-signature')).signatureFault(p384Key)?.code, 'envelope.signature')
  t.throws(() => openEnvelope(of('credential-sdjwt-bad-media-type')), { code: 'envelope.type' })
  const nested = openEnvelope(of('credential-sdjwt-nested'))
  t.is(nested.signatureFault(p521Key), undefined)
  t.is(nested.signatureFault(p384Key)?.code, 'envelope.key_unfit')
  t.like(nested.credential.credentialSubject, { address: { street: '123 Main St', city: 'Anytown', country: 'USA' } })
})

interface MadeSdJwt {
  payload?: Json
  header?: Json
  disclosures?: string[]
  end?: string
}

const disclosure = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
const digest = (text: string) => createHash('sha256').update(text).digest('base64url')

const HIDDEN = disclosure('c2FsdHNhbHRzYWx0c2FsdA', 'course', 'CS-101')

async function sdJwt({ payload = {}, header = {}, disclosures = [HIDDEN], end = '' }: MadeSdJwt = {}): Promise<Json> {
  const subject = { id: 'did:example:holder', _sd: [digest(HIDDEN)] }
  const content = credentialOf(ed25519, { credentialSubject: subject, ...payload })
  const signed = await jwt({ header: { typ: 'vc+sd-jwt', ...header }, payload: content })
  return asSdJwt([signed, ...disclosures, end].join('~'))
}

test('a credential as SD-JWT verifies with what is disclosed and without it', async (t) => {
  t.is(await verdict(await sdJwt()), 'verified')
  t.is(await verdict(await sdJwt({ disclosures: [] })), 'verified')
  t.like(openEnvelope(await sdJwt()).credential.credentialSubject, { course: 'CS-101' })
  t.deepEqual(openEnvelope(await sdJwt({ disclosures: [] })).credential.credentialSubject, { id: 'did:example:holder' })
})

const SD_JWT_CASES: [what: string, made: MadeSdJwt, code: string][] = [
  [
    'a disclosure that nothing names',
    { disclosures: [disclosure('c2FsdA', 'course', 'CS-102')] },
    'envelope.malformed',
  ],
  ['a disclosure twice', { disclosures: [HIDDEN, HIDDEN] }, 'envelope.malformed'],
  ['a key binding', { end: 'eyJhbGciOiJFZERTQSJ9.e30.AAAA' }, 'envelope.key_binding'],
  ['typ of an SD-JWT VC', { header: { typ: 'dc+sd-jwt' } }, 'envelope.type'],
  ['typ vc+jwt', { header: { typ: 'vc+jwt' } }, 'envelope.type'],
  ['alg none', { header: { alg: 'none' } }, 'envelope.unsigned'],
  ['alg of another key', { header: { alg: 'ES256' } }, 'envelope.key_unfit'],
  ['crit', { header: { crit: ['x'] } }, 'envelope.critical'],
  ['iss of another', { payload: { iss: 'did:example:x' } }, 'envelope.contradiction'],
  ['the claim vc', { payload: { vc: {} } }, 'envelope.claim_of_1_1'],
  ['exp in the past', { payload: { exp: 1 } }, 'envelope.expired'],
  ['kid of another', { header: { kid: stranger.verificationMethod } }, 'envelope.key_of_another'],
]

/** The member itself behind a digest, or a part of it. */
const hiding = (name: string, value: unknown): MadeSdJwt => {
  const hidden = disclosure('c2FsdHNhbHRzYWx0c2FsdA', name, value)
  return { payload: { _sd: [digest(hidden)] }, disclosures: [HIDDEN, hidden] }
}
const STATUS = { type: 'BitstringStatusListEntry', statusListIndex: '5' }
const HIDDEN_ENTRY = disclosure('c2FsdHNhbHRzYWx0c2FsdA', STATUS)
const HIDING: typeof SD_JWT_CASES = [
  ['a status that is selectively disclosed', hiding('credentialStatus', STATUS), 'envelope.never_selective'],
  ['an end that is', hiding('validUntil', '2027-01-01T00:00:00Z'), 'envelope.never_selective'],
  [
    'a part of the status that is',
    (() => {
      const { payload, disclosures = [] } = hiding('statusPurpose', 'revocation')
      return { payload: { credentialStatus: { ...STATUS, ...payload } }, disclosures }
    })(),
    'envelope.never_selective',
  ],
  ...[
    { credentialStatus: [{ '...': digest(HIDDEN_ENTRY) }] },
    { credentialStatus: [STATUS, { '...': digest(HIDDEN_ENTRY) }] },
    { credentialSchema: [{ id: 'https://e.example/schema', type: ['JsonSchema', { '...': digest(HIDDEN_ENTRY) }] }] },
  ].map((payload): (typeof SD_JWT_CASES)[number] => [
    `a part of ${JSON.stringify(payload)} that its holder left out`,
    { payload, disclosures: [] },
    'envelope.never_selective',
  ]),
  [
    'an entry of the status that its holder shows',
    { payload: { credentialStatus: [{ '...': digest(HIDDEN_ENTRY) }] }, disclosures: [HIDDEN, HIDDEN_ENTRY] },
    'envelope.never_selective',
  ],
]

test('an SD-JWT says whether members of the credential itself are hidden', async (t) => {
  t.false(openEnvelope(await sdJwt()).hidesMembers)
  t.false(openEnvelope(await sdJwt({ disclosures: [] })).hidesMembers, 'claims of the subject')
  const { payload = {} } = hiding('credentialStatus', STATUS)
  const silent = await sdJwt({ payload })
  t.true(openEnvelope(silent).hidesMembers)
  const inStatus = { credentialStatus: { ...STATUS, _sd: [digest(HIDDEN_ENTRY)] } }
  t.true(openEnvelope(await sdJwt({ payload: inStatus, disclosures: [] })).hidesMembers, 'or a decoy in the status')
  t.is(await verdict(silent), 'verified')
  t.false(openEnvelope(await sdJwt(hiding('name', 'Course'))).hidesMembers)
})

for (const [what, made, code] of [...SD_JWT_CASES, ...HIDING])
  test(`an SD-JWT with ${what}: ${code}`, async (t) => {
    t.is(await verdict(await sdJwt(made)), code)
  })
