import jsonld from 'jsonld'
import { vectorJson, vectorText, withVectors } from './support/conformance-vectors.ts'

interface Entry {
  id: string
  type: string
  action: string
  result?: string
  hashAlgorithm?: string
}

withVectors(
  'RDF Dataset Canonicalization 1.0: every case of its suite, poison graphs ended (W3C rdf-canon tests)',
  async (t) => {
    const { entries } = vectorJson<{ entries: Entry[] }>('rdf-canon/tests/manifest.jsonld')
    const counts: Record<string, number> = {}
    for (const { id, type, action, result, hashAlgorithm } of entries) {
      counts[type] = (counts[type] ?? 0) + 1
      const digest = hashAlgorithm === 'SHA384' ? 'sha384' : 'sha256'
      const canonicalIdMap = new Map<string, string>()
      const canonical = jsonld.canonize(`${vectorText(`rdf-canon/tests/${action}`)}\n`, {
        inputFormat: 'application/n-quads',
        canonizeOptions: { algorithm: 'RDFC-1.0', maxWorkFactor: 3, messageDigestAlgorithm: digest, canonicalIdMap },
      })
      if (type === 'rdfc:RDFC10NegativeEvalTest') {
        await t.throwsAsync(canonical, { message: /Maximum deep iterations/ }, id)
      } else if (type === 'rdfc:RDFC10MapTest') {
        await canonical
        const labels = Object.fromEntries(
          [...canonicalIdMap].map((pair) => pair.map((label) => label.replace(/^_:/, ''))),
        )
        t.deepEqual(labels, vectorJson(`rdf-canon/tests/${result}`), id)
      } else t.is((await canonical).trim(), vectorText(`rdf-canon/tests/${result}`), id)
    }
    t.deepEqual(counts, { 'rdfc:RDFC10EvalTest': 64, 'rdfc:RDFC10MapTest': 21, 'rdfc:RDFC10NegativeEvalTest': 1 })
  },
)
