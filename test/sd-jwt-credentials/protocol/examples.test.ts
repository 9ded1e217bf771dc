import test from 'ava'
import { parseJson } from '../../../protocol/json.strict.ts'
import { digestOf, encodeDisclosure, readDisclosure } from '../../../protocol/sd-jwt-credentials/disclosures.ts'
import { verifyKeyBinding } from '../../../protocol/sd-jwt-credentials/key-binding.ts'
import { keyOfJwk, signatureFault } from '../../../protocol/sd-jwt-credentials/keys.ts'
import { presentSdJwt } from '../../../protocol/sd-jwt-credentials/present.ts'
import { processSdJwt } from '../../../protocol/sd-jwt-credentials/processed.ts'
import { readSdJwt } from '../../../protocol/sd-jwt-credentials/read.ts'
import { verifySdJwt } from '../../../protocol/sd-jwt-credentials/verify.ts'
import examples from './examples.json' with { type: 'json' }

const key = keyOfJwk(examples.issuerKey)

for (const { source, presentations, disclosures } of examples.documents) {
  test(`every disclosure that ${source} publishes has its published digest`, (t) => {
    t.true(disclosures.length >= 37)
    for (const { encoded, digest } of disclosures) {
      t.is(digestOf(encoded, 'sha-256'), digest)
      t.is(readDisclosure(encoded, 'sha-256').digest, digest)
    }
  })

  for (const [at, { section, sdJwt, claims }] of presentations.entries())
    test(`the example ${at + 1} of ${source}, section ${section}, verifies with its published claims`, async (t) => {
      const read = readSdJwt(sdJwt)
      t.is(signatureFault(read, key), undefined)
      const processed = processSdJwt(read)
      if (claims) t.deepEqual(processed.claims, claims)
      else t.is(processed.selective.length, read.disclosures.length)
      const binding = read.keyBinding?.payload
      const now = new Date(Number(binding?.iat ?? 1_700_000_000) * 1_000)
      const session = {
        nonce: '1234567890',
        audience: ['https://verifier.example.org', 'https://example.com/verifier'],
      }
      if (binding) t.notThrows(() => verifyKeyBinding(read, processed.claims, session, { now }))
      if (read.header.typ !== 'dc+sd-jwt') return
      const verdict = await verifySdJwt(sdJwt, {
        now,
        keyBinding: binding ? session : 'refused',
        issuerKey: async () => ({ key, issuer: 'of the example' }),
      })
      t.deepEqual(verdict.faults, [])
    })
}

test('a disclosure without white space is the one that RFC 9901, section 4.2.1, gives for it', (t) => {
  const parts = { salt: '_26bc4LT-ac6q2KI6cBW5es', name: 'family_name', value: 'Möbius' }
  t.is(
    encodeDisclosure(parts, 'sha-256').encoded,
    'WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsImZhbWlseV9uYW1lIiwiTcO2Yml1cyJd',
  )
})

test('the presentation of RFC 9901, section 5.2, is made from its issuance', (t) => {
  const [issued, presented] = examples.documents[0]?.presentations ?? []
  t.truthy(issued && presented)
  const made = presentSdJwt(issued?.sdJwt ?? '', [['given_name'], ['family_name'], ['address'], ['nationalities', 0]])
  const { presented: published } = readSdJwt(presented?.sdJwt ?? '')
  t.deepEqual(made.split('~').toSorted(), published.split('~').toSorted())
})

test('the fixture is JSON that every reader reads alike', (t) => {
  t.notThrows(() => parseJson(JSON.stringify(examples)))
})
