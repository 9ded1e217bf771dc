import jsonld from 'jsonld'
import { createDocumentLoader } from '../../protocol/contexts/index.ts'
import { type CanonizeOptions, canonize } from '../../protocol/data-integrity/canonize.ts'
import { vectorJson, vectorText, withVectors } from '../support/credentials/conformance-vectors.ts'
import { codeOf } from '../support/parts/keys.ts'

type Entry = Record<'id' | 'type' | 'action' | 'result' | 'hashAlgorithm', string>

const documentLoader = createDocumentLoader()

const entries = (type: string): Entry[] =>
  vectorJson<{ entries: Entry[] }>('rdf-canon/tests/manifest.jsonld').entries.filter(
    (entry) => entry.type === `rdfc:RDFC10${type}Test`,
  )

/** The dataset as the JSON-LD document that says the same: what comes to be signed is JSON-LD. */
async function asDocument({ action }: Entry): Promise<object> {
  const quads = `${vectorText(`rdf-canon/tests/${action}`)}\n`
  return jsonld.fromRDF(quads, { format: 'application/n-quads', rdfDirection: 'i18n-datatype' })
}

/** As a thread canonicalises what was too knotted for the main thread. */
const PATIENT = { documentLoader, maxWorkFactor: 3 }

const outcome = async (entry: Entry, options: CanonizeOptions): Promise<string> => {
  const digest = entry.hashAlgorithm === 'SHA384' ? 'sha384' : 'sha256'
  const document = await asDocument(entry)
  const canonical = canonize(document, { ...options, digest })
  const code = await codeOf(canonical)
  if (code !== 'none') return code
  return (await canonical).trim() === vectorText(`rdf-canon/tests/${entry.result}`) ? 'canonical' : 'differs'
}

async function idsBy(type: string, options: CanonizeOptions): Promise<Record<string, string[]>> {
  const ids: Record<string, string[]> = {}
  for (const entry of entries(type)) {
    const found = await outcome(entry, options)
    ids[found] = [...(ids[found] ?? []), entry.id]
  }
  return ids
}

/** Names of nodes in them are relative: what is signed has none. */
const RELATIVE = [57, 58, 59, 60, 71, 73].map((number) => `#test0${number}c`)

withVectors(
  'every dataset of the W3C suite gets its canonical form, but the six that no credential can hold',
  async (t) => {
    const { canonical = [], ...others } = await idsBy('Eval', PATIENT)
    t.is(canonical.length, 58)
    t.deepEqual(others, { 'credential.invalid': RELATIVE })
  },
)

withVectors(
  'the poison graph of the W3C suite is refused (RDF Dataset Canonicalization 1.0, section 7.1)',
  async (t) => {
    t.deepEqual(await idsBy('NegativeEval', PATIENT), { 'credential.too_complex': ['#test074c'] })
  },
)

/** Nodes that only their neighbours’ neighbours tell apart. */
const KNOTTED = [21, 22, 23, 24, 25, 26, 27, 28, 29, 44, 45, 46, 64, 65, 66, 67, 68, 69]

withVectors(
  'with the work that the main thread gives a document, 18 knotted datasets are refused and none differs',
  async (t) => {
    const { canonical = [], ...others } = await idsBy('Eval', { documentLoader })
    t.is(canonical.length, 40)
    t.deepEqual(others, {
      'credential.invalid': RELATIVE,
      'credential.too_complex': KNOTTED.map((number) => `#test0${number}c`),
    })
  },
)
