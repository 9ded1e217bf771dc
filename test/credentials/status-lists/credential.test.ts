import test from 'ava'
import { statusEntry, statusListCredential } from '../../../protocol/status-list/credential.ts'
import { encodedListOf, readStatusEntry, statusIn } from '../../../protocol/status-list/entry.ts'
import { encodeList, MINIMUM_ENTRIES, setBits } from '../../../protocol/status-list/index.ts'
import { vectorJson, withVectors } from '../../support/credentials/conformance-vectors.ts'
import { codeOf } from '../../support/parts/keys.ts'

const refused = (work: () => unknown) => codeOf((async () => work())())

const listUrl = 'https://tenant.example/v1/revocation-lists/1'
const input = {
  id: listUrl,
  issuerDid: 'did:web:issuer.example',
  bits: setBits(MINIMUM_ENTRIES, [7]),
  validFrom: '2026-01-01T00:00:00Z',
  validUntil: '2026-01-02T00:00:00Z',
}

test('data model 1.1 gets a RevocationList2020 entry and list (RevocationList2020, 3)', (t) => {
  t.deepEqual(statusEntry({ kind: 'RevocationList2020', listUrl, index: 7, purpose: 'revocation' }), {
    id: `${listUrl}#7`,
    type: 'RevocationList2020Status',
    revocationListIndex: '7',
    revocationListCredential: listUrl,
  })
  t.deepEqual(statusListCredential({ ...input, kind: 'RevocationList2020', purpose: 'revocation' }), {
    '@context': ['https://www.w3.org/2018/credentials/v1', 'https://w3id.org/vc-revocation-list-2020/v1'],
    id: listUrl,
    type: ['VerifiableCredential', 'RevocationList2020Credential'],
    issuer: 'did:web:issuer.example',
    issuanceDate: '2026-01-01T00:00:00Z',
    expirationDate: '2026-01-02T00:00:00Z',
    credentialSubject: {
      id: `${listUrl}#list`,
      type: 'RevocationList2020',
      encodedList: encodeList('RevocationList2020', input.bits),
    },
  })
})

test('data model 2.0 gets a Bitstring Status List entry and list (Bitstring Status List, 2)', (t) => {
  t.deepEqual(statusEntry({ kind: 'BitstringStatusList', listUrl, index: 7, purpose: 'suspension' }), {
    id: `${listUrl}#7`,
    type: 'BitstringStatusListEntry',
    statusPurpose: 'suspension',
    statusListIndex: '7',
    statusListCredential: listUrl,
  })
  t.deepEqual(statusListCredential({ ...input, kind: 'BitstringStatusList', purpose: 'suspension' }), {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: listUrl,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: 'did:web:issuer.example',
    validFrom: '2026-01-01T00:00:00Z',
    validUntil: '2026-01-02T00:00:00Z',
    credentialSubject: {
      id: `${listUrl}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'suspension',
      encodedList: encodeList('BitstringStatusList', input.bits),
    },
  })
})

test('a RevocationList2020 cannot suspend', async (t) => {
  const wrong = { ...input, kind: 'RevocationList2020', purpose: 'suspension' } as const
  t.is(await refused(() => statusListCredential(wrong)), 'status_list.purpose_unsupported')
  t.is(await refused(() => statusEntry({ ...wrong, listUrl, index: 1 })), 'status_list.purpose_unsupported')
})

test('an entry read back finds its bit in its list, and the one beside it not', (t) => {
  for (const [kind, purpose] of [
    ['RevocationList2020', 'revocation'],
    ['BitstringStatusList', 'revocation'],
    ['BitstringStatusList', 'suspension'],
  ] as const) {
    const list: unknown = JSON.parse(JSON.stringify(statusListCredential({ ...input, kind, purpose })))
    t.is(statusIn(list, readStatusEntry(statusEntry({ kind, listUrl, index: 7, purpose }))), 1)
    t.is(statusIn(list, readStatusEntry(statusEntry({ kind, listUrl, index: 8, purpose }))), 0)
  }
})

withVectors('entries of other issuers are read: index as string and as number, a StatusList2021', async (t) => {
  const folder = 'vc-http-api/packages/vc-http-api-test-server/__fixtures__/verifiableCredentials/'
  t.like(readStatusEntry(vectorJson(`${folder}case-15.json`).credentialStatus), {
    listType: 'RevocationList2020',
    listUrl: 'https://w3c-ccg.github.io/vc-api/fixtures/revocationList.json',
    index: 1,
    purpose: 'revocation',
  })
  const numbered = 'ed25519signature2018/packages/ed25519-signature-2018/src/__fixtures__/credentials/case-6.json'
  t.like(readStatusEntry(vectorJson(numbered).credentialStatus), { listType: 'RevocationList2020', index: 0 })
  const full = vectorJson('vc-jose-cose-inputs/tests/input/credential-full.json').credentialStatus as object
  t.is(await refused(() => readStatusEntry(full)), 'status_list.malformed', 'it names no list')
  t.like(readStatusEntry({ ...full, statusListCredential: listUrl }), { listType: 'StatusList2021', index: 94_567 })
})

withVectors('another issuer’s list, of more entries than the least, is read', (t) => {
  const path = 'ed25519signature2018/packages/ed25519-signature-2018/src/__fixtures__/credentials/revocation-list.json'
  const list = vectorJson(path)
  const entry = {
    listType: 'RevocationList2020',
    listUrl: String(list.id),
    purpose: 'revocation',
    statusSize: 1,
  } as const
  t.is(statusIn(list, { ...entry, index: 0 }), 0)
  t.is(statusIn(list, { ...entry, index: 999_999 }), 0)
})

const ENTRY = {
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListIndex: '1',
  statusListCredential: listUrl,
}

test('a broken or unknown status is refused, by name', async (t) => {
  for (const status of [
    null,
    'x',
    [],
    { ...ENTRY, statusListCredential: 'not a URL' },
    { ...ENTRY, statusListCredential: undefined },
    { ...ENTRY, statusListCredential: [listUrl] },
    { ...ENTRY, statusPurpose: 1 },
    { ...ENTRY, statusPurpose: '' },
    ...[0, -1, 33, 1.5, '2'].map((statusSize) => ({ ...ENTRY, statusSize })),
    ...['-1', '1.5', '', ' 1', '1e3', '0x10', '9'.repeat(30), -1, 1.5, 2 ** 60, null, [1]].map((index) => ({
      ...ENTRY,
      statusListIndex: index,
    })),
  ]) {
    t.is(await refused(() => readStatusEntry(status)), 'status_list.malformed', JSON.stringify(status))
  }
  for (const type of ['toString', 'CredentialStatusList2017', undefined, 4]) {
    t.is(await refused(() => readStatusEntry({ ...ENTRY, type })), 'status_list.unsupported')
  }
})

test('the bounds of an entry are in it: index 0, 1 and 32 bits, one bit unless told (Bitstring Status List, 2.1)', (t) => {
  t.like(readStatusEntry({ ...ENTRY, statusListIndex: '0' }), { index: 0, statusSize: 1 })
  t.like(readStatusEntry({ ...ENTRY, statusListIndex: 0 }), { index: 0 })
  for (const statusSize of [1, 32]) t.is(readStatusEntry({ ...ENTRY, statusSize }).statusSize, statusSize)
  t.is(readStatusEntry({ ...ENTRY, type: 'StatusList2021Entry', statusSize: 2 }).statusSize, 1, 'it has no such member')
})

test('an entry of a RevocationList2020 explains nothing (RevocationList2020, 3)', async (t) => {
  const entry = { kind: 'RevocationList2020', listUrl, index: 1, purpose: 'revocation' } as const
  t.is(statusEntry(entry).type, 'RevocationList2020Status')
  const explained = { ...entry, statusReference: 'https://issuer.example/status' }
  t.is(await refused(() => statusEntry(explained)), 'status_list.unsupported')
})

test('the packed bits of a list are its subject’s text, where there is one', (t) => {
  t.is(encodedListOf({ credentialSubject: { encodedList: 'uH4sI' } }), 'uH4sI')
  for (const credentialSubject of [undefined, null, 'uH4sI', {}, { encodedList: 7 }])
    t.is(encodedListOf({ credentialSubject }), undefined)
})

test('a list that is not the named one says nothing (Bitstring Status List, 3.2)', async (t) => {
  const entry = readStatusEntry(ENTRY)
  const list = statusListCredential({ ...input, kind: 'BitstringStatusList', purpose: 'revocation' })
  const subject = list.credentialSubject as Record<string, unknown>
  const cases: [unknown, string][] = [
    [{ ...list, id: `${listUrl}0` }, 'status_list.mismatch'],
    [{ ...list, credentialSubject: { ...subject, statusPurpose: 'suspension' } }, 'status_list.mismatch'],
    [{ ...list, type: ['VerifiableCredential'] }, 'status_list.malformed'],
    [{ ...list, credentialSubject: { ...subject, type: 'RevocationList2020' } }, 'status_list.malformed'],
    [{ ...list, credentialSubject: { ...subject, encodedList: 1 } }, 'status_list.malformed'],
    [{ ...list, credentialSubject: [subject] }, 'status_list.malformed'],
    [undefined, 'status_list.malformed'],
  ]
  for (const [wrong, code] of cases) t.is(await refused(() => statusIn(wrong, entry)), code)
  t.is(await refused(() => statusIn(list, { ...entry, index: MINIMUM_ENTRIES })), 'status_list.index_out_of_range')
  t.is(statusIn({ ...list, id: undefined }, { ...entry, index: 7 }), 1)
})
