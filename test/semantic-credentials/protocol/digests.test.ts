import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { base58btc } from 'multiformats/bases/base58'
import { digestFaults, digestOfBytes, publishedDigests } from '../../../protocol/contexts/digests.ts'
import { bundledContexts } from '../../../protocol/contexts/index.ts'
import { vectorText, withVectors } from '../../support/credentials/conformance-vectors.ts'

const ALGORITHMS = ['sha256', 'sha384', 'sha512'] as const
const CREDENTIALS_V2 = 'https://www.w3.org/ns/credentials/v2'

/** SHA-256 in hex as the recommendations print it, and of the content that was compared with the published file. */
const RECOMMENDED: [url: string, source: string, published: string, content: string][] = [
  [
    CREDENTIALS_V2,
    'VC Data Model 2.0, B.1',
    '59955ced6697d61e03f2b2556febe5308ab16842846f5b586d7f1f7adec92734',
    'bf6fd611e6773d58',
  ],
  [
    'https://www.w3.org/2018/credentials/v1',
    'VC Data Model 1.1, B.1',
    'ab4ddd9a531758807a79a5b450510d61ae8d147eab966cc9a200c07095b0cdcc',
    '778eb3a2ffad5df9',
  ],
  [
    'https://w3id.org/security/data-integrity/v2',
    'VC Data Integrity 1.0, 2.4',
    '67f21e6e33a6c14e5ccfd2fc7865f7474fb71a04af7e94136cb399dfac8ae8f4',
    'be223c58c54657e9',
  ],
  [
    'https://w3id.org/security/multikey/v1',
    'VC Data Integrity 1.0, 2.4',
    'ba2c182de2d92f7e47184bcca8fcf0beaee6d3986c527bf664c195bbc7c58597',
    '91f130b30b6705ee',
  ],
  [
    'https://www.w3.org/ns/credentials/status/v1',
    'Bitstring Status List 1.0, 5.2',
    'fda5add353231e6a6884a46b12e6c75464281900cb348284d9c360f62381d9f7',
    '1d5d557d174395f4',
  ],
]

for (const [url, source, published, content] of RECOMMENDED)
  test(`the digest of ${url} is the published one (${source})`, (t) => {
    t.is(publishedDigests(url)?.('sha256'), Buffer.from(published, 'hex').toString('base64'))
    const bundled = JSON.stringify(bundledContexts.get(url))
    t.is(createHash('sha256').update(bundled).digest('hex').slice(0, 16), content, 'another content: compare it again')
  })

test('the examples of the data model have the digests of its examples (VC Data Model 2.0, section 5.3)', (t) => {
  const id = 'https://www.w3.org/ns/credentials/examples/v2'
  const digestSRI = 'sha384-zNNbQTWCSUSi0bbz7dbua+RcENv7C6FvlmYJ1Y+I727HsPOHdzwELMYO9Mz68M26'
  const digestMultibase = 'uEiBXOT-8adbvubm13Jy2uYgLCUQ2Cr_i6vRZyeWM8iedfA'
  t.deepEqual(digestFaults({ id, digestSRI, digestMultibase }, publishedDigests(id)), [])
  const base = { id: CREDENTIALS_V2, digestMultibase: 'uEiBZlVztZpfWHgPyslVv6-UwirFoQoRvW1htfx963sknNA' }
  t.deepEqual(digestFaults(base, publishedDigests(CREDENTIALS_V2)), [])
})

withVectors('the listed digests are those of the published files, whose content is bundled (D-236)', (t) => {
  for (const [url, file] of [
    ['https://www.w3.org/2018/credentials/v1', 'w3c-2018-credentials-v1.jsonld'],
    ['https://www.w3.org/ns/did/v1', 'w3c-did-v1.jsonld'],
    ['https://w3id.org/security/data-integrity/v1', 'w3id-data-integrity-v1.jsonld'],
  ] as const) {
    const text = `${vectorText(`contexts/${file}`)}\n`
    t.true(isDeepStrictEqual(JSON.parse(text), bundledContexts.get(url)), url)
    for (const algorithm of ALGORITHMS) t.is(publishedDigests(url)?.(algorithm), digestOfBytes(text)(algorithm), url)
  }
})

test('a digest is read in each of its forms, and must be whole (SRI 3.5; VC Data Integrity 1.0, section 2.6)', (t) => {
  const digestOf = digestOfBytes('content')
  const bytes = Buffer.from(digestOf('sha256'), 'base64')
  const multihash = Buffer.concat([Buffer.from('1220', 'hex'), bytes])
  const u = `u${multihash.toString('base64url')}`
  for (const digests of [
    ...ALGORITHMS.map((algorithm) => ({ digestSRI: `${algorithm}-${digestOf(algorithm)}` })),
    { digestSRI: `sha256-${bytes.toString('base64url')}` },
    { digestSRI: [`sha256-${digestOf('sha256')}`, `sha384-${digestOf('sha384')}`] },
    { digestMultibase: u },
    { digestMultibase: `u${bytes.toString('base64url')}` },
    { digestMultibase: base58btc.encode(multihash) },
    { digestMultibase: [u, base58btc.encode(multihash)] },
  ]) {
    t.deepEqual(digestFaults(digests, digestOf), [], JSON.stringify(digests))
    t.not(digestFaults(digests, digestOfBytes('other')).length, 0, JSON.stringify(digests))
    t.deepEqual(digestFaults(digests), [])
  }
  const whole = digestOf('sha384')
  for (const digests of [
    {},
    { digestSRI: [] },
    { digestSRI: 'md5-AAAA' },
    { digestSRI: `sha384-M${whole}` },
    { digestSRI: `sha384-${digestOf('sha256')}` },
    { digestSRI: `sha256-${digestOf('sha256').slice(0, -2)}B=` },
    { digestSRI: Array(11).fill(`sha384-${whole}`) },
    { digestSRI: 7 },
    { digestMultibase: `u${'A'.repeat(45)}` },
    { digestMultibase: `u${'_'.repeat(44)}` },
    { digestMultibase: `f${multihash.toString('hex')}` },
    { digestMultibase: u, digestSRI: 'sha384-' },
  ])
    t.is(digestFaults(digests, digestOf).length, 1, JSON.stringify(digests))
})
