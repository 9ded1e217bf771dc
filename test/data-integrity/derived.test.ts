import { randomBytes } from 'node:crypto'
import test from 'ava'
import { decode } from 'cborg'
import { CONTEXT, createDocumentLoader } from '../../protocol/contexts/index.ts'
import { createProofCheck, deriveCredential, type Json, signCredential } from '../../protocol/data-integrity/index.ts'
import { isBbsDerived, PREFIX, proofValueOf } from '../../protocol/data-integrity/selective-value.ts'
import { toMultibase } from '../../protocol/dids/index.ts'
import { bbsSigner } from '../support/credentials/signers.ts'

const documentLoader = createDocumentLoader()
const check = createProofCheck({ documentLoader })

/** In the order of a derived proof value (VC Data Integrity BBS 1.0, section 3.3.10). */
type Parts = [bbsProof: unknown, labels: unknown, mandatory: unknown, selective: unknown, header: unknown]

const partsIn = ({ proofValue }: Json): Parts =>
  decode(Buffer.from(String(proofValue).slice(1), 'base64url').subarray(3), { useMaps: true })

const valueWith = (parts: unknown[]): string => proofValueOf(PREFIX.bbsDerived, parts)

/** A credential that a holder derived, and the verdict on it with other members or another proof value. */
async function derived() {
  const signer = await bbsSigner()
  const credential = {
    '@context': [CONTEXT.credentialsV2, { '@vocab': 'https://e.example/#' }],
    type: ['VerifiableCredential'],
    issuer: signer.did,
    credentialSubject: { degree: 'BSc', place: { town: 'Bern' }, past: [{ year: '2019' }, { year: '2021' }] },
  }
  const signed = await signCredential(
    {
      credential,
      proofType: 'bbs-2023',
      signer,
      now: new Date('2026-01-01T00:00:00Z'),
      hmacKey: randomBytes(32),
      mandatoryPointers: ['/issuer'],
    },
    { documentLoader },
  )
  const disclose = ['/credentialSubject/place', '/credentialSubject/past']
  const { proof, ...document } = await deriveCredential({ credential: signed, disclose }, { documentLoader })
  const method = {
    id: signer.verificationMethod,
    type: 'Multikey',
    controller: signer.did,
    publicKeyMultibase: toMultibase(signer),
  }
  const verifies = async (parts: unknown[], subject: Json = {}) => {
    const changed = { ...document, credentialSubject: { ...Object(document.credentialSubject), ...subject } }
    const given = { ...Object(proof), proofValue: valueWith(parts) }
    return (await check({ document: changed, proof: given, method })).verified
  }
  return { parts: partsIn(Object(proof)), verifies }
}

test('nobody adds a statement to a derived bbs-2023 proof by an index that no array has or that another one has (D-1170)', async (t) => {
  t.timeout(120_000)
  const { parts, verifies } = await derived()
  const [bbsProof, labels, mandatory, selective, header] = parts
  const indexes = selective as number[]
  t.true(await verifies(parts), 'as the holder derived it')
  const added = [-1, -7, 2 ** 32 - 1, 2 ** 32, 10_001, 0.5, indexes[0] ?? 0, indexes.at(-1) ?? 0, -0]
  for (const index of added)
    for (let at = 0; at <= indexes.length; at++)
      t.false(
        await verifies([bbsProof, labels, mandatory, indexes.toSpliced(at, 0, index), header], { degree: 'PhD' }),
        `${index} at ${at}`,
      )
  t.false(await verifies([bbsProof, labels, [...(mandatory as number[]), 5], selective, header], { degree: 'PhD' }))
  t.false(await verifies(parts, { degree: 'PhD' }), 'without an index')
})

test('the indexes of a derived bbs-2023 proof are in order, its labels are distinct, and all has its type (D-1170)', async (t) => {
  const { parts, verifies } = await derived()
  const [bbsProof, labels, mandatory, selective, header] = parts
  const isDerived = (...other: unknown[]) => isBbsDerived(valueWith(other))
  t.true(isDerived(...parts))
  t.true(isDerived(bbsProof, new Map(), [], [], new Uint8Array()))
  t.true(isDerived(bbsProof, labels, [0, 10_000], [0, 10_000], header))
  for (const wrong of [
    [1, 0],
    [0, 0],
    [-1],
    [0.5],
    [2 ** 32 - 1],
    [10_001],
    ['0'],
    [null],
    'x',
    new Map(),
    undefined,
  ]) {
    t.false(isDerived(bbsProof, labels, wrong, selective, header), `mandatory ${String(wrong)}`)
    t.false(isDerived(bbsProof, labels, mandatory, wrong, header), `selective ${String(wrong)}`)
  }
  for (const pairs of [[[0, 1], [1, 1]], [[0, '1']], [['0', 1]], [[0, -1]], [[0, 0.5]], [[-1, 0]], [[0, new Uint8Array()]]]) // biome-ignore format: one list
    t.false(isDerived(bbsProof, new Map(pairs as [unknown, unknown][]), mandatory, selective, header), String(pairs))
  t.false(isDerived(bbsProof, [], mandatory, selective, header))
  t.false(isDerived('x', labels, mandatory, selective, header))
  t.false(isDerived(bbsProof, labels, mandatory, selective, 'x'))
  t.false(isDerived(bbsProof, labels, mandatory, selective))
  t.false(isDerived(...parts, 'x'))
  const [first = 0, ...rest] = [...(labels as Map<number, number>).values()]
  t.true(rest.length > 1)
  const one = new Map([...(labels as Map<number, number>)].map(([key, label]) => [key, key < 2 ? first : label]))
  t.false(await verifies([bbsProof, one, mandatory, selective, header]), 'two nodes with one label')
})
