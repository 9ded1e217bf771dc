import { encode } from '@digitalbazaar/cborld'
import test, { type ExecutionContext } from 'ava'
import { encode as cbor } from 'cborg'
import fc from 'fast-check'
import { digestFaults, publishedDigests } from '../../../protocol/contexts/digests.ts'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { readHeader, rowOfCells } from '../../../protocol/credentials/batches.csv.ts'
import { rowOfJson } from '../../../protocol/credentials/batches.ts'
import {
  createProofCheck,
  deriveCredential,
  type Json,
  signCredential,
} from '../../../protocol/data-integrity/index.ts'
import { validateDidDocument } from '../../../protocol/dids/document.ts'
import { dereference, publicKeyOf } from '../../../protocol/dids/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { jwsSigningInput, parseCompactJws } from '../../../protocol/jws.ts'
import { isReservedName, isReservedStep, ownMember, setOwnMember, tableOf } from '../../../protocol/names.ts'
import {
  normaliseForVerify,
  normaliseSignPayload,
  verifyCredential,
} from '../../../protocol/semantic-credentials/index.ts'
import { convertLinkedData } from '../../../protocol/semantic-credentials/linked-data.ts'
import { mismatch } from '../../../protocol/semantic-credentials/presentations/matching.ts'
import { meansTheSame } from '../../../protocol/semantic-credentials/presentations/meaning.ts'
import { readQuery } from '../../../protocol/semantic-credentials/presentations/queries.ts'
import { flattenMappings, mapClaims } from '../../../protocol/semantic-credentials/templates/claims.ts'
import { mappingErrors } from '../../../protocol/semantic-credentials/templates/mappings.ts'
import { readVcApiOptions } from '../../../protocol/semantic-credentials/vc-api.ts'
import { readStatusEntry } from '../../../protocol/status-list/entry.ts'
import { bbsSigner, ed25519Signer, resolveTestDid } from '../../support/credentials/signers.ts'
import { HOSTILE_NAMES, HOSTILE_PATHS, nestedJson, watchIntrinsics } from '../../support/frame/intrinsics.ts'

const documentLoader = createDocumentLoader()
const options = { documentLoader }
const now = new Date('2026-03-01T12:00:00Z')
const signer = ed25519Signer()
const checkProof = createProofCheck(options)
const DID = 'did:web:issuer.example'

const nested = (names: string[], value: unknown = 'x'): Json => JSON.parse(nestedJson(names, JSON.stringify(value)))

const credential = (subject: Json, issuer = signer.did, more: Json = {}): Json => ({
  '@context': [CONTEXT.credentialsV2, { '@vocab': 'https://school.example/vocab#' }],
  type: ['VerifiableCredential'],
  issuer,
  credentialSubject: { id: 'did:example:holder', ...subject },
  ...more,
})

const json = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json

/** Every function that takes names from outside, given a path of hostile ones; it may refuse, and nothing else. */
const BORDERS: Record<string, (names: string[]) => unknown> = {
  'CSV columns': (names) => {
    const columns = readHeader(['id', names.join('.'), `a.${names.join('.')}:json`], 'payload')
    return rowOfCells(columns, ['x', 'y', '{"a":1}'], 'payload', JSON.parse)
  },
  'CSV columns that were read before': (names) => {
    const column = { to: 'claim', as: 'string', name: 'column' } as const
    const columns = [
      { ...column, path: names },
      { ...column, path: [...names, 'call'] },
    ]
    return rowOfCells(columns, ['x', 'y'], 'claims', JSON.parse)
  },
  'JSON lines': (names) => [rowOfJson(nested(names), 'payload'), rowOfJson(nested(['claims', ...names]), 'claims')],
  'claim mappings': (names) => {
    const claims = { ...nested(names), list: ['x'], person: { name: 'x' } }
    for (const mappings of [
      {
        claim: names.join('.'),
        other: `claims.${names.join('.')}`,
        third: `authenticationProvider.${names.join('.')}`,
      },
      nested([names.join('.')], { map_from: names.join('.'), default_value: nested(names), required: true }),
      nested(names, 'claims.list'),
      nested(['person', ...names], 'claims.list'),
    ]) {
      mappingErrors(mappings as never)
      const sources = { claims, authenticationProvider: { url: 'x' }, credentialConfiguration: { name: 'x' } }
      mapClaims(mappings as never, sources)
      flattenMappings(mappings)
    }
  },
  'claims to sign': (names) =>
    normaliseSignPayload(credential(nested(names)), { proofType: 'eddsa-rdfc-2022', revocable: true, now }),
  'branding to sign': (names) => {
    const more = { credentialBranding: nested(names), issuer: { id: signer.did, ...nested(names) } }
    return normaliseSignPayload(credential({}, signer.did, more), {
      proofType: 'eddsa-rdfc-2022',
      revocable: true,
      now,
    })
  },
  queries: (names) => {
    readQuery(nested(names))
    const { queries } = readQuery([{ type: 'QueryByExample', credentialQuery: [{ example: nested(names) }] }])
    return queries.flatMap(({ credentialQuery }) => credentialQuery.map((each) => mismatch(each, credential({}))))
  },
  'patterns of queries': (names) =>
    mismatch({ path: '', required: true, pattern: nested(names), trustedIssuers: [] }, credential(nested(names))),
  'meaning of queries': (names) =>
    meansTheSame(
      { pattern: { '@context': [nested(names, 'urn:x')], ...nested(names) }, credential: credential(nested(names)) },
      options,
    ),
  'status entries': (names) => readStatusEntry({ type: names, statusPurpose: names[0], statusListIndex: '1' }),
  digests: (names) => {
    const resource = { id: names[0], digestSRI: names.join('.'), digestMultibase: names.join('.') }
    return digestFaults(resource, publishedDigests(String(names[0])))
  },
  'options of the VC API': (names) => readVcApiOptions(nested(names)),
  'headers of a JWS': (names) => parseCompactJws(`${jwsSigningInput(nested(names), nested(names))}.AA`),
  'DID documents': (names) => {
    const id = `${DID}#key`
    const key = { id, type: names[0], controller: DID, publicKeyJwk: nested(names), ...nested(names) }
    const document = validateDidDocument(DID, { id: DID, verificationMethod: [key], ...nested(names, []) })
    return publicKeyOf(dereference(document, id, 'assertionMethod').method)
  },
  'documents to convert': async (names) => {
    for (const to of ['n-quads', 'cborld', 'jsonld'] as const) {
      const context = [{ '@vocab': 'https://a.example/' }, nested(names, 'urn:x')]
      for (const document of [
        { '@context': context[0], ...nested(names) },
        { '@context': context, a: 'b' },
        { '@context': { a: { '@id': 'urn:a', '@type': '@json' } }, a: nested(names) },
      ])
        await convertLinkedData({ from: { format: 'jsonld', document }, to }, options).catch(refusals)
    }
  },
  'N-Quads': async (names) => {
    const literal = JSON.stringify(nestedJson(names, '1'))
    const text = [
      `<urn:${names[0]}> <${names.join(':')}> "x" <${names[0]}:x> .`,
      `_:${names[0]} <urn:${names[0]}> _:${names[0]} .`,
      `_:a <urn:a> ${literal}^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON> .`,
    ]
    for (const lines of [...text.map((line) => [line]), text])
      await convertLinkedData(
        { from: { format: 'n-quads', text: `${lines.join('\n')}\n` }, to: 'jsonld' },
        options,
      ).catch(refusals)
  },
  'CBOR-LD of a stranger': async (names) => {
    // tag 51997 over [registry entry, document] (CBOR-LD 1.0, draft 8): written by hand, for no encoder writes such names
    const map = (value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? new Map(Object.entries(value).map(([name, member]) => [name, map(member)]))
        : value
    const document = cbor(map({ '@context': { '@vocab': 'https://a.example/' }, ...nested(names), a: nested(names) }))
    for (const entry of [0, 1]) {
      const bytes = Buffer.concat([Buffer.from([0xd9, 0xcb, 0x1d, 0x82, entry]), document])
      await convertLinkedData({ from: { format: 'cborld', bytes }, to: 'jsonld' }, options).catch(refusals)
    }
  },
  'CBOR-LD': async (names) => {
    const jsonldDocument = { '@context': { '@vocab': 'https://a.example/' }, ...nested(names) }
    const bytes = await encode({ jsonldDocument, documentLoader, registryEntryId: 1 })
    return convertLinkedData({ from: { format: 'cborld', bytes }, to: 'jsonld' }, options)
  },
}

/** What a function may throw over its input; anything else is a fault of ours. */
const refusals = (error: unknown): void => {
  if (!(error instanceof Refusal)) throw error
}

async function cross(border: (names: string[]) => unknown, names: string[]): Promise<void> {
  try {
    await border(names)
  } catch (error) {
    refusals(error)
  }
}

for (const [name, border] of Object.entries(BORDERS))
  test.serial(`${name}: names of every object change no built-in (D-150)`, async (t) => {
    const changes = watchIntrinsics()
    for (const names of HOSTILE_PATHS) {
      await t.notThrowsAsync(cross(border, names), names.join('.'))
      t.deepEqual(changes(), [], names.join('.'))
    }
  })

test.serial('any path of such names changes no built-in at any border (D-150)', async (t) => {
  const changes = watchIntrinsics()
  const names = fc.array(fc.constantFrom(...HOSTILE_NAMES, '0', 'length', 'apply'), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.values(BORDERS)), names, async (border, path) => {
      await cross(border, path)
      t.deepEqual(changes(), [])
    }),
    { numRuns: 500 },
  )
})

/** Names that a JSON reader can read at all (D-007). */
const READABLE = HOSTILE_PATHS.filter((names) => !names.some((name) => name === '__proto__' || name === 'toString'))

const verdictOf = (signed: Json) =>
  verifyCredential({ credential: normaliseForVerify(json(signed)), now, resolveDid: resolveTestDid, checkProof })

const signedElsewhere = async (t: ExecutionContext, proofType: 'eddsa-rdfc-2022' | 'bbs-2023', names: string[]) => {
  const key = proofType === 'bbs-2023' ? await bbsSigner() : signer
  const hmacKey = new Uint8Array(32)
  const unsigned = credential(nested(names), key.did, { validFrom: '2026-01-01T00:00:00Z' })
  const signed = await signCredential({ credential: unsigned, proofType, signer: key, now, hmacKey }, options)
  t.deepEqual(Object.keys(Object(signed.credentialSubject)).sort(), ['id', names[0]].sort())
  return signed
}

test.serial(
  'claims of a stranger are data, whatever they are called: what is signed verifies, what is changed does not (D-151)',
  async (t) => {
    const changes = watchIntrinsics()
    for (const names of READABLE) {
      const signed = await signedElsewhere(t, 'eddsa-rdfc-2022', names)
      t.deepEqual(await verdictOf(signed), { verified: true, reason: [] }, names.join('.'))
      const changed = { ...signed, credentialSubject: { id: 'did:example:holder', ...nested(names, 'y') } }
      t.like(await verdictOf(changed), { verified: false }, names.join('.'))
    }
    t.deepEqual(changes(), [])
  },
)

test.serial(
  'a bbs-2023 proof discloses such claims with everything else, and by no pointer of their own (D-151)',
  async (t) => {
    const changes = watchIntrinsics()
    for (const names of [
      ['hasOwnProperty', 'call'],
      ['constructor', 'prototype', 'x'],
      ['valueOf', 'call'],
    ]) {
      const signed = await signedElsewhere(t, 'bbs-2023', names)
      t.deepEqual(await verdictOf(signed), { verified: true, reason: [] })
      const everything = await deriveCredential({ credential: signed, disclose: 'everything' }, options)
      t.deepEqual(everything.credentialSubject, signed.credentialSubject)
      t.deepEqual(await verdictOf(everything), { verified: true, reason: [] })
      for (const pointer of [`/credentialSubject/${names.join('/')}`, `/credentialSubject/${names[0]}`]) {
        const work = deriveCredential({ credential: signed, disclose: [pointer] }, options)
        await t.throwsAsync(work, { code: 'credential.pointer_invalid' }, pointer)
        const mandatory = { proofType: 'bbs-2023' as const, mandatoryPointers: [pointer], hmacKey: new Uint8Array(32) }
        const { proof: _, ...unsigned } = signed
        const signing = signCredential({ credential: unsigned, ...mandatory, signer: await bbsSigner(), now }, options)
        await t.throwsAsync(signing, { code: 'credential.pointer_invalid' }, pointer)
      }
      t.deepEqual(changes(), [])
    }
  },
)

test('a table answers to its own names alone; members are read and written past every prototype', (t) => {
  const table = tableOf({ known: 1 })
  t.is(table.get('known'), 1)
  const object = {}
  for (const name of [...HOSTILE_NAMES, 'isPrototypeOf', '__defineGetter__']) {
    t.is(table.get(name), undefined, name)
    t.is(ownMember(object, name), undefined, name)
    setOwnMember(object, name, name)
    t.is(ownMember(object, name), name)
  }
  t.is(Object.getPrototypeOf(object), Object.prototype)
  t.deepEqual(Object.keys(object).length, HOSTILE_NAMES.length + 2)
})

test('reserved are the names that lead from an object or a function to what all share, and no others', (t) => {
  for (const name of [...Object.getOwnPropertyNames(Object.prototype), 'prototype']) t.true(isReservedName(name), name)
  for (const name of ['call', 'apply', 'bind']) t.deepEqual([isReservedName(name), isReservedStep(name)], [false, true])
  for (const name of ['name', 'length', 'id', 'constructors', '']) t.false(isReservedStep(name), name)
})
