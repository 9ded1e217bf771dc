import test, { type ExecutionContext } from 'ava'
import {
  bundledOnly,
  createDocuments,
  type Documents,
  type DocumentsOptions,
} from '../../../activities/documents/index.ts'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { ed25519Signer } from '../../support/credentials/signers.ts'

const now = new Date('2026-03-01T12:00:00Z')
const signer = ed25519Signer()
const TENANT = 'tenant'
const url = (name: string | number) => `https://contexts.example/${name}`

const sign = (documents: Documents, more: Json, lookup: (url: string) => Promise<object>) =>
  documents.sign(
    {
      credential: {
        '@context': [CONTEXT.credentialsV2],
        type: ['VerifiableCredential'],
        issuer: signer.did,
        credentialSubject: { id: 'did:example:holder' },
        ...more,
      },
      proofType: 'eddsa-rdfc-2022',
      signer,
      now,
    },
    { tenantId: TENANT, lookup },
  )

/** Terms that each bring a context of their own from elsewhere, and a subject that uses them all. */
const scoped = (count: number): Json => ({
  '@context': [
    CONTEXT.credentialsV2,
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`t${at}`, { '@id': `https://x.example/${at}`, '@context': url(at) }]),
    ),
  ],
  credentialSubject: Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, { value: `v${at}` }])),
})

const withDocuments = (
  title: string,
  options: DocumentsOptions,
  run: (t: ExecutionContext, documents: Documents) => Promise<void>,
) =>
  test.serial(title, async (t) => {
    const documents = createDocuments({ threads: 1, ...options })
    try {
      await run(t, documents)
    } finally {
      await documents.close()
    }
  })

const defines = { '@context': { value: 'https://x.example/value' } }

withDocuments('contexts that terms bring in are fetched before a thread is taken (D-132)', {}, async (t, documents) => {
  await documents.qrCode('warm', bundledOnly(TENANT))
  t.timeout(60_000, 'the one thread was held while contexts were fetched')
  const fetched = Promise.withResolvers<object>()
  const signing = sign(documents, scoped(20), () => fetched.promise)
  t.truthy(await documents.qrCode('meanwhile', bundledOnly(TENANT)))
  fetched.resolve(defines)
  t.truthy((await signing).proof)
})

withDocuments(
  'contexts of contexts are fetched before a thread is taken, whatever they are relative to (D-132)',
  {},
  async (t, documents) => {
    const asked: string[] = []
    const pages: Record<string, object> = {
      [url('a/1')]: { '@context': ['../b/2', { '@version': 1.1 }] },
      [url('b/2')]: {
        '@context': { ...defines['@context'], term: { '@id': 'https://x.example/t', '@context': url('a/1') } },
      },
    }
    const lookup = async (name: string) => {
      asked.push(name)
      return pages[name] ?? {}
    }
    const more = { '@context': [CONTEXT.credentialsV2, url('a/1')], credentialSubject: { value: 'x' } }
    t.truthy((await sign(documents, more, lookup)).proof) // a term may lead back to where it stands
    t.deepEqual(asked, [url('a/1'), url('b/2')])
  },
)

withDocuments(
  'a document brings 32 contexts from elsewhere at most, wherever they stand (D-132)',
  {},
  async (t, documents) => {
    let asked = 0
    const count = async () => {
      asked++
      return defines
    }
    const nested = (many: number): Json => ({
      credentialSubject: Array.from({ length: many }, (_, at) => ({ '@context': url(at), value: 'x' })),
    })
    for (const many of [nested(33), scoped(33)])
      await t.throwsAsync(sign(documents, many, count), { code: 'context.invalid' })
    t.is(asked, 0)
    t.truthy((await sign(documents, nested(32), count)).proof)
    t.is(asked, 32)
    // one that names 40 more
    const many = async (name: string) =>
      name === url('many') ? { '@context': Array.from({ length: 40 }, (_, at) => url(at)) } : defines
    const brings = { '@context': [CONTEXT.credentialsV2, url('many')], credentialSubject: { value: 'x' } }
    await t.throwsAsync(sign(documents, brings, many), { code: 'context.invalid' })
  },
)

withDocuments(
  'what only the thread finds out it waits for, for a while (CBOR-LD; D-132)',
  { waitMs: 300 },
  async (t, documents) => {
    const document = { '@context': url('late'), value: 'x' }
    const known = { tenantId: TENANT, lookup: async () => defines }
    const written = await documents.convert({ from: { format: 'jsonld', document }, to: 'cborld' }, known)
    t.timeout(60_000, 'it waited for ever')
    const late = Promise.withResolvers<object>()
    const waiting = documents.convert({ from: written, to: 'jsonld' }, { tenantId: TENANT, lookup: () => late.promise })
    await t.throwsAsync(waiting, { code: 'credential.too_complex' })
    late.resolve(defines)
    t.like(await documents.convert({ from: written, to: 'jsonld' }, known), { document: { value: 'x' } })
  },
)

withDocuments(
  'large contexts of strangers are forgotten with their documents, and fill no thread',
  { memoryMb: 400 },
  async (t, documents) => {
    // what they take while they are signed is up to 200 MB before it is collected; a hundred that are kept take 800
    for (let at = 0; at < 80; at++) {
      const terms = Array.from({ length: 9_000 }, (_, term) => [`t${at}_${term}`, `https://x.example/${at}/${term}`])
      const more = {
        '@context': [CONTEXT.credentialsV2, Object.fromEntries(terms)],
        credentialSubject: { [`t${at}_1`]: 'x' },
      }
      const signed = await sign(documents, more, async () => defines).catch((error: Error) => error)
      if (signed instanceof Error) return t.fail(`the ${at + 1}th: ${signed.message}`)
    }
    t.pass()
  },
)
