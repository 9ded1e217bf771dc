import test from 'ava'
import jsonld from 'jsonld'
import { extensions } from '../../protocol/contexts/extensions.ts'
import { bundledContexts, CONTEXT, createDocumentLoader } from '../../protocol/contexts/index.ts'
import { canonize } from '../../protocol/data-integrity/canonize.ts'
import { Refusal } from '../../protocol/errors.ts'
import { vectorJson, withVectors } from '../support/credentials/conformance-vectors.ts'

test('every bundled context is a JSON-LD context that processes on its own', async (t) => {
  const documentLoader = createDocumentLoader()
  for (const url of bundledContexts.keys()) {
    const expanded = await jsonld.expand(
      { '@context': url, '@id': 'urn:x:1', '@type': ['https://x.example/T'] },
      { documentLoader },
    )
    t.deepEqual(expanded, [{ '@id': 'urn:x:1', '@type': ['https://x.example/T'] }], url)
  }
  t.true(bundledContexts.size >= 18)
})

test('an unknown URL is refused by name, and never fetched', async (t) => {
  const load = createDocumentLoader()
  for (const url of [
    'http://127.0.0.1:1/context',
    'https://unknown.example/v1',
    'file:///etc/passwd',
    'data:application/json,{}',
  ]) {
    const error = await t.throwsAsync(load(url), { instanceOf: Refusal, code: 'context.unknown' })
    t.true(error?.message.includes(url))
  }
})

test('bundled documents cannot be changed by whoever loads them', async (t) => {
  const load = createDocumentLoader()
  const { document } = await load(CONTEXT.credentialsV2)
  Reflect.deleteProperty(document, '@context')
  t.true('@context' in (await load(CONTEXT.credentialsV2)).document)
  const kept = bundledContexts.get(CONTEXT.credentialsV2)
  t.throws(() => Object.assign(Object(kept)['@context'], { issuer: 'https://evil.example/' }), {
    instanceOf: TypeError,
  })
})

test('one tenant’s context never serves another under the same URL: only bundled ones are kept for the process', async (t) => {
  const url = 'https://shared.example/v1'
  const loaderOf = (iri: string) => createDocumentLoader({ contexts: new Map([[url, { '@context': { claim: iri } }]]) })
  const document = { '@context': [CONTEXT.credentialsV2, url], id: 'urn:x:1', claim: 'x' }
  const forms = await Promise.all(
    ['https://a.example/claim', 'https://b.example/claim'].map((iri) =>
      canonize(document, { documentLoader: loaderOf(iri) }),
    ),
  )
  t.deepEqual(forms, ['<urn:x:1> <https://a.example/claim> "x" .\n', '<urn:x:1> <https://b.example/claim> "x" .\n'])
  const tags = await Promise.all(
    [url, CONTEXT.credentialsV2].map(async (one) => (await loaderOf('https://a.example/claim')(one)).tag),
  )
  t.deepEqual(tags, [undefined, 'static'])
})

test('a bundled URL is always the bundled document, whatever a tenant registers under it', async (t) => {
  const load = createDocumentLoader({ contexts: () => ({ '@context': {} }) })
  t.deepEqual((await load(CONTEXT.credentialsV1)).document, bundledContexts.get(CONTEXT.credentialsV1))
})

test('our extensions say in 1.1 what data model 2.0 says, and stay out of the way of an issuer’s own name', async (t) => {
  const own = 'https://issuer.example/v1'
  const documentLoader = createDocumentLoader({
    contexts: new Map([[own, { '@context': { name: 'https://issuer.example/vocab#name', '@protected': true } }]]),
  })
  const form = (contexts: (string | object)[]) =>
    canonize({ '@context': contexts, id: 'urn:x:1', type: 'VerifiableCredential', name: 'n' }, { documentLoader })
  t.is(await form([CONTEXT.credentialsV1, extensions]), await form([CONTEXT.credentialsV2]))
  t.is(await form([CONTEXT.credentialsV2, extensions]), await form([CONTEXT.credentialsV2]))
  t.true((await form([CONTEXT.credentialsV1, extensions, own])).includes('<https://issuer.example/vocab#name>'))
})

withVectors(
  'contexts that no package has give the same statements as the published ones (DIF Well Known DID Configuration)',
  async (t) => {
    for (const [url, file] of [
      [CONTEXT.didConfigurationV1, 'did-configuration-v1'],
      [CONTEXT.didConfigurationV02, 'did-configuration-v0.2'],
    ] as const) {
      const document = {
        '@context': [CONTEXT.credentialsV1, url],
        type: ['VerifiableCredential', 'DomainLinkageCredential'],
        credentialSubject: { id: 'did:example:1', origin: 'https://example.com' },
        linked_dids: 'urn:x:1',
      }
      const published = vectorJson<object>(`contexts/${file}.jsonld`)
      const replaced = { ...document, '@context': [CONTEXT.credentialsV1, 'https://published.example/'] }
      const documentLoader = createDocumentLoader({ contexts: new Map([['https://published.example/', published]]) })
      t.is(await canonize(document, { documentLoader }), await canonize(replaced, { documentLoader }), url)
    }
  },
)

withVectors('packaged contexts are the ones that verifiers elsewhere use', (t) => {
  const files = new Map([
    [CONTEXT.credentialsV1, 'w3c-2018-credentials-v1'],
    [CONTEXT.credentialsV2, 'w3c-ns-credentials-v2'],
    [CONTEXT.dataIntegrityV2, 'w3id-data-integrity-v2'],
    [CONTEXT.revocationList2020, 'w3id-vc-revocation-list-2020-v1'],
    ['https://w3id.org/security/data-integrity/v1', 'w3id-data-integrity-v1'],
    ['https://w3id.org/security/v2', 'w3id-security-v2'],
    ['https://www.w3.org/ns/did/v1', 'w3c-did-v1'],
  ])
  const different = [...files].filter(
    ([url, file]) =>
      JSON.stringify(sorted(vectorJson(`contexts/${file}.jsonld`))) !==
      JSON.stringify(sorted(bundledContexts.get(url))),
  )
  t.deepEqual(different, [])
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}
