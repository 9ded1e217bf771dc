import test from 'ava'
import { extensions } from '../../protocol/contexts/extensions.ts'
import { CONTEXT } from '../../protocol/contexts/index.ts'
import { contextsIn } from '../../protocol/contexts/named.ts'

const own = { course: 'https://schema.org/courseCode' }
const URL_A = 'https://schema.test/a'
const URL_B = 'https://schema.test/b'

test('a document brings the contexts that are not bundled, each with its place, in the order of the document', (t) => {
  const document = {
    '@context': [CONTEXT.credentialsV2, URL_A, own],
    credentialSubject: [{ id: 'did:example:a' }, { '@context': own, 'a/b~c': { '@context': [URL_B] } }],
    proof: { '@context': [CONTEXT.dataIntegrityV2, null] },
  }
  t.deepEqual(contextsIn(document), [
    { path: '/@context/1', url: URL_A },
    { path: '/@context/2', inline: own },
    { path: '/credentialSubject/1/@context', inline: own },
    { path: '/credentialSubject/1/a~1b~0c/@context/0', url: URL_B },
  ])
})

test('a part of very many members is looked through member by member (D-1174)', (t) => {
  const members = Array.from({ length: 200_000 }, (_, n) => [`m${n}`, n % 50_000 === 0 ? { '@context': own } : {}])
  t.deepEqual(
    contextsIn({ credentialSubject: Object.fromEntries(members) }).map(({ path }) => path),
    [0, 50_000, 100_000, 150_000].map((n) => `/credentialSubject/m${n}/@context`),
  )
})

test('what a context in a document names for single terms stands at the place of that context', (t) => {
  const scoped = {
    Course: { '@id': 'https://schema.org/Course', '@context': [URL_A, { name: URL_B, '@context': URL_B }] },
  }
  t.deepEqual(contextsIn({ '@context': [scoped, CONTEXT.credentialsV1] }), [
    { path: '/@context/0', inline: scoped },
    { path: '/@context/0', url: URL_A },
    { path: '/@context/0', url: URL_B },
  ])
})

test('the context that the platform puts into credentials is no news', (t) => {
  t.deepEqual(contextsIn({ '@context': [CONTEXT.credentialsV1, extensions] }), [])
  const changed = { ...extensions, name: 'https://schema.org/alternateName' }
  t.is(contextsIn({ '@context': [CONTEXT.credentialsV1, changed] }).length, 1)
})
