import test from 'ava'
import { CONTEXT, createDocumentLoader } from '../../protocol/contexts/index.ts'
import { createProofCheck, type Json, signCredential } from '../../protocol/data-integrity/index.ts'
import { assertPlain } from '../../protocol/data-integrity/plain.ts'
import { toMultibase } from '../../protocol/dids/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { ed25519Signer, type TestSigner } from '../support/credentials/signers.ts'

const documentLoader = createDocumentLoader()
const check = createProofCheck({ documentLoader })

const CREDENTIALS = 'https://www.w3.org/2018/credentials#'
const LIST_2020 = 'https://w3id.org/vc-revocation-list-2020#'
const LIST_2021 = 'https://w3id.org/vc/status-list#'
const STATUS = 'https://www.w3.org/ns/credentials/status#'
const URL_OF_LIST = 'https://issuer.example/lists/1'
const SECTOR = 'https://e.example/#sector'

async function verdict({ proof, ...document }: Json, signer: TestSigner): Promise<string> {
  const method = {
    id: signer.verificationMethod,
    type: 'Multikey',
    controller: signer.did,
    publicKeyMultibase: toMultibase(signer),
  }
  try {
    const answer = await check({ document, proof: Object(proof), method })
    return answer.verified ? 'verified' : 'no match'
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.errors.map(({ path }) => path).join()
  }
}

const CASES = [
  {
    type: 'RevocationList2020Status',
    space: LIST_2020,
    base: CONTEXT.credentialsV1,
    more: [CONTEXT.revocationList2020, CONTEXT.dataIntegrityV2],
    index: 'revocationListIndex',
    list: 'revocationListCredential',
    rest: {},
  },
  {
    type: 'StatusList2021Entry',
    space: LIST_2021,
    base: CONTEXT.credentialsV2,
    more: ['https://w3id.org/vc/status-list/2021/v1'],
    index: 'statusListIndex',
    list: 'statusListCredential',
    rest: { statusPurpose: 'revocation' },
  },
]

for (const { type, space, base, more, index, list, rest } of CASES)
  test(`a holder cannot exchange the index of a status for another signed value: ${type} (D-1172)`, async (t) => {
    const signer = ed25519Signer()
    const credential = {
      '@context': [base, ...more, { sector: SECTOR }],
      type: ['VerifiableCredential'],
      issuer: signer.did,
      ...(base === CONTEXT.credentialsV1 && { issuanceDate: '2026-01-01T00:00:00Z' }),
      credentialSubject: { id: 'did:example:a' },
      credentialStatus: { id: `${URL_OF_LIST}#7`, type, [index]: '7', [list]: URL_OF_LIST, sector: '8', ...rest },
    }
    const request = { credential, proofType: 'eddsa-rdfc-2022', signer, now: new Date('2026-01-01T00:00:00Z') } as const
    const signed = await signCredential(request, { documentLoader })
    t.is(await verdict(signed, signer), 'verified')
    const terms = (own: object) => ({
      [type]: {
        '@id': space + type,
        '@context': { [list]: { '@id': space + list, '@type': '@id' }, statusPurpose: `${space}statusPurpose`, ...own },
      },
    })
    const withTerms = (own: object, entry: object) => ({
      ...signed,
      '@context': [base, ...more.slice(1), terms(own)],
      credentialStatus: { ...credential.credentialStatus, ...entry },
    })
    const same = withTerms({ [index]: space + index, sector: SECTOR }, {})
    t.is(await verdict(same, signer), 'verified', 'the terms of a status may be in any context')
    const exchanged = withTerms({ [index]: SECTOR, sector: space + index }, { [index]: '8', sector: '7' })
    t.is(await verdict(exchanged, signer), '/credentialStatus')
  })

const faults = (document: Json, root: Json): string[] => {
  try {
    assertPlain(document, [root])
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.errors.map(({ path }) => path)
  }
}

const MEMBERS: [type: string, spaces: string[], members: Json, member: string][] = [
  [
    'RevocationList2020Status',
    [LIST_2020],
    { revocationListIndex: '7', revocationListCredential: URL_OF_LIST },
    'credentialStatus',
  ],
  [
    'StatusList2021Entry',
    [LIST_2021, 'https://w3id.org/vc-status-list-2021#', 'https://www.w3.org/ns/credentials/examples#'],
    { statusPurpose: 'revocation', statusListIndex: '7', statusListCredential: URL_OF_LIST },
    'credentialStatus',
  ],
  [
    'BitstringStatusListEntry',
    [STATUS],
    { statusPurpose: 'revocation', statusListIndex: '7', statusListCredential: URL_OF_LIST, statusSize: 2 },
    'credentialStatus',
  ],
  ['RevocationList2020', [LIST_2020], { encodedList: 'uH4sI' }, 'credentialSubject'],
  ['StatusList2021', [LIST_2021], { encodedList: 'H4sI', statusPurpose: 'suspension' }, 'credentialSubject'],
  ['BitstringStatusList', [STATUS], { encodedList: 'uH4sI', statusPurpose: 'revocation' }, 'credentialSubject'],
]

for (const [type, spaces, members, place] of MEMBERS)
  for (const space of spaces)
    test(`each member that is read of a ${type} is signed as it, value by value: ${space} (D-1172)`, (t) => {
      const stated = (values: Json) => ({
        '@type': [space + type],
        ...Object.fromEntries(Object.entries(values).map(([name, value]) => [space + name, [{ '@value': value }]])),
      })
      const of = (part: Json, node: Json) => faults({ [place]: [null, part] }, { [CREDENTIALS + place]: [node] })
      const part = { type, ...members }
      t.deepEqual(of(part, stated(members)), [])
      t.deepEqual(of({ ...part, type: ['Other', type] }, stated(members)), [])
      t.deepEqual(
        of({ ...part, type: 'Other', statusSize: undefined }, { '@type': ['urn:Other'] }),
        [],
        'nothing is read of other types',
      )
      t.deepEqual(of(part, { ...stated(members), '@type': ['urn:Other'] }), [`/${place}`], 'the type by another name')
      for (const name of Object.keys(members)) {
        t.true(of({ ...part, [name]: 'x' }, stated(members)).includes(`/${place}`), name)
        t.true(of({ ...part, [name]: [members[name], 'x'] }, stated(members)).includes(`/${place}`), name)
        const { [name]: _, ...rest } = members
        t.true(of({ type, ...rest }, stated(members)).includes(`/${place}`), `${name} is signed and no member`)
        t.true(of(part, stated(rest)).includes(`/${place}`), `${name} is not signed`)
        const elsewhere = { ...stated(rest), [`urn:x:${name}`]: [{ '@value': members[name] }] }
        t.true(of(part, elsewhere).includes(`/${place}`), `${name} in another namespace`)
      }
    })

test('a list of statuses is one by its signed type (D-1172)', (t) => {
  const own = 'https://e.example/terms#'
  const part = { type: 'StatusList2021', encodedList: 'H4sI', statusPurpose: 'revocation' }
  const node = {
    '@type': [`${own}StatusList2021`],
    ...{ [`${own}encodedList`]: [{ '@value': 'H4sI' }], [`${own}statusPurpose`]: [{ '@value': 'revocation' }] },
  }
  const list = faults({ credentialSubject: part }, { [`${CREDENTIALS}credentialSubject`]: [node] })
  t.deepEqual(list, ['/credentialSubject'], 'not of a vocabulary of the issuer')
  for (const [type, space] of [
    ['RevocationList2020Credential', LIST_2020],
    ['StatusList2021Credential', LIST_2021],
    ['BitstringStatusListCredential', STATUS],
  ] as const) {
    t.deepEqual(faults({ type: ['A', type] }, { '@type': ['urn:A', space + type] }), [])
    t.deepEqual(faults({ type: ['A', type] }, { '@type': ['urn:A', 'urn:B'] }), ['/type'])
  }
})
