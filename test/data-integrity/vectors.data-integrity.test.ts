import { createPrivateKey, sign } from 'node:crypto'
import { sign as bbsSign } from '@digitalbazaar/bbs-signatures'
import { base58btc } from 'multiformats/bases/base58'
import { createDocumentLoader } from '../../protocol/contexts/index.ts'
import { hashData, hashJson } from '../../protocol/data-integrity/hash.ts'
import {
  completeProof,
  createProofCheck,
  type Json,
  type ProofVerdict,
  prepareProof,
  signCredential,
} from '../../protocol/data-integrity/index.ts'
import { dereference, publicKeyOf } from '../../protocol/dids/index.ts'
import { resolveDidKey } from '../../protocol/dids/key.ts'
import { vectorFiles, vectorJson, vectorText, withVectors } from '../support/credentials/conformance-vectors.ts'

const contexts = new Map<string, string>([
  ['https://www.w3.org/ns/credentials/examples/v2', 'contexts/w3c-ns-credentials-examples-v2.jsonld'],
  ['https://w3id.org/citizenship/v4rc1', 'contexts/w3id-citizenship-v4rc1.jsonld'],
])
const documentLoader = createDocumentLoader({ contexts: (url) => load(contexts.get(url)) })
const load = (path: string | undefined) => (path === undefined ? undefined : vectorJson(path))
const standard = createProofCheck({ documentLoader })

/** Verifies the single proof of a document with the key that it names, whoever the issuer is. */
async function verifyProof({ proof, ...document }: Json, check = standard): Promise<ProofVerdict> {
  const single = Object(proof) as Json
  const did = String(single.verificationMethod)
  const { method } = dereference(resolveDidKey(did), did, 'assertionMethod')
  return check({ document, proof: single, method })
}

const EDDSA = 'w3c-vc-di-eddsa/TestVectors'

/** The published secret key of the vectors, as a signer. */
function vectorSigner() {
  const { publicKeyMultibase, privateKeyMultibase } = vectorJson<Record<string, string>>(`${EDDSA}/keyPair.json`)
  const did = `did:key:${publicKeyMultibase}`
  const verificationMethod = `${did}#${publicKeyMultibase}`
  const { keyType, publicKey } = publicKeyOf(
    dereference(resolveDidKey(did), verificationMethod, 'assertionMethod').method,
  )
  const seed = base58btc.decode(String(privateKeyMultibase)).slice(2)
  const jwk = {
    kty: 'OKP',
    crv: 'Ed25519',
    x: Buffer.from(publicKey).toString('base64url'),
    d: Buffer.from(seed).toString('base64url'),
  }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  return {
    verificationMethod,
    keyType,
    publicKey,
    sign: async (data: Uint8Array) => sign(null, data, key),
    bbsSign: () => Promise.reject(new Error('not a BBS key')),
  }
}

for (const [folder, input] of [
  ['eddsa-rdfc-2022', 'unsigned.json'],
  ['eddsa-rdfc-2022/employ', 'employmentAuth.json'],
]) {
  withVectors(
    `eddsa-rdfc-2022 is reproduced byte for byte (VC Data Integrity EdDSA 1.0, appendix B, ${folder})`,
    async (t) => {
      const at = (file: string) => vectorText(`${EDDSA}/${folder}/${file}`)
      const credential = vectorJson(`${EDDSA}/${input}`)
      const { '@context': _, ...proof } = vectorJson(`${EDDSA}/${folder}/proofConfigDataInt.json`)
      const data = await hashData(credential, proof, { documentLoader })
      t.is(data.canonicalDocument.trim(), at('canonDocDataInt.txt'))
      t.is(data.canonicalProofOptions.trim(), at('proofCanonDataInt.txt'))
      t.is(Buffer.from(data.bytes).toString('hex'), at('combinedHashDataInt.txt'))
      t.is(Buffer.from(data.bytes).toString('hex'), at('proofHashDataInt.txt') + at('docHashDataInt.txt'))
      const request = {
        credential,
        proofType: 'eddsa-rdfc-2022',
        signer: vectorSigner(),
        now: new Date(String(proof.created)),
      } as const
      const signed = await signCredential(request, { documentLoader })
      t.deepEqual(signed, JSON.parse(at('signedDataInt.json')))
      t.is(Buffer.from(base58btc.decode(at('sigBTC58DataInt.txt'))).toString('hex'), at('sigHexDataInt.txt'))
      t.deepEqual(await verifyProof(signed), { verified: true })
    },
  )
}

withVectors('eddsa-jcs-2022 is reproduced byte for byte (VC Data Integrity EdDSA 1.0, appendix B)', async (t) => {
  const at = (file: string) => vectorText(`${EDDSA}/eddsa-jcs-2022/${file}`)
  const credential = vectorJson(`${EDDSA}/unsigned.json`)
  const proof = vectorJson(`${EDDSA}/eddsa-jcs-2022/proofConfigJCS.json`)
  const data = hashJson(credential, proof)
  t.is(data.canonicalDocument, at('canonDocJCS.txt'))
  t.is(data.canonicalProofOptions, at('proofCanonJCS.txt'))
  t.is(Buffer.from(data.bytes).toString('hex'), at('combinedHashJCS.txt'))
  const now = new Date(String(proof.created))
  const signed = await signCredential(
    { credential, proofType: 'eddsa-jcs-2022', signer: vectorSigner(), now },
    { documentLoader },
  )
  t.deepEqual(signed, JSON.parse(at('signedJCS.json')))
  t.deepEqual(await verifyProof(signed), { verified: true })
})

withVectors(
  'Ed25519Signature2020 is reproduced byte for byte (VC Data Integrity EdDSA 1.0, appendix B.2)',
  async (t) => {
    const vector = vectorJson<Json & { proof: Json }>(`${EDDSA}/Ed25519Signature2020/signedEdSig.json`)
    t.deepEqual(await verifyProof(vector), { verified: true })
    const { proof, ...credential } = vector
    const now = new Date(String(proof.created))
    const request = { credential, proofType: 'Ed25519Signature2020', signer: vectorSigner(), now } as const
    t.deepEqual(await signCredential(request, { documentLoader }), vector)
  },
)

const BBS = 'w3c-vc-di-bbs/TestVectors'

for (const folder of [BBS, `${BBS}/prc`]) {
  withVectors(
    `a bbs-2023 base proof is reproduced byte for byte (VC Data Integrity BBS 1.0, appendix A, ${folder})`,
    async (t) => {
      const keys = vectorJson<Record<string, string>>(`${BBS}/BBSKeyMaterial.json`)
      const [publicKey, secretKey] = [keys.publicKeyHex, keys.privateKeyHex].map((hex) =>
        Buffer.from(String(hex), 'hex'),
      )
      const { proof, ...credential } = vectorJson<{ proof: Json }>(`${folder}/addSignedSDBase.json`)
      const { created, verificationMethod } = proof
      const request = {
        credential,
        proofType: 'bbs-2023',
        created: String(created),
        verificationMethod: String(verificationMethod),
        hmacKey: Buffer.from(String(keys.hmacKeyString), 'hex'),
        mandatoryPointers: vectorJson<{ mandatoryPointers: string[] }>(`${folder}/addRawBaseSignatureInfo.json`)
          .mandatoryPointers,
      } as const
      const prepared = await prepareProof(request, { documentLoader })
      const signed = await completeProof(credential, prepared, {
        verificationMethod: String(verificationMethod),
        keyType: 'bls12381g2',
        publicKey: publicKey ?? Buffer.alloc(0),
        sign: () => Promise.reject(new Error('a BBS key')),
        bbsSign: (input) =>
          bbsSign({
            ...input,
            secretKey: Buffer.from(secretKey ?? []),
            publicKey: Buffer.from(publicKey ?? []),
            ciphersuite: 'BLS12-381-SHA-256',
          }),
      })
      t.deepEqual(signed, { ...credential, proof })
    },
  )

  withVectors(
    `bbs-2023 base and derived proofs verify (VC Data Integrity BBS 1.0, appendix A, ${folder})`,
    async (t) => {
      t.deepEqual(await verifyProof(vectorJson(`${folder}/addSignedSDBase.json`)), { verified: true })
      const derived = vectorJson(`${folder}/derivedRevealDocument.json`)
      t.deepEqual(await verifyProof(derived), { verified: true })
      const { verified } = await verifyProof({ ...derived, issuer: 'https://vc.example/another' })
      t.false(verified)
    },
  )
}

const TRANSMUTE = 'ed25519signature2018/packages/ed25519-signature-2018/src/__fixtures__'

/** Their copy of the examples context lacks AlumniCredential, so the type was never signed; the published one has it. */
const UNSIGNED_TYPE = 'AlumniCredential'
/** They hold a date as a relative link. */
const RELATIVE = ['digital-bazaar', 'transmute']
const WITHOUT_THAT_TYPE = ['case-6', 'revocation-list']

withVectors(
  'of 82 Ed25519Signature2018 credentials of others 80 verify as they were signed, 2 as they are (transmute)',
  async (t) => {
    const files = new Map([
      ['https://www.w3.org/2018/credentials/examples/v1', 'examples-v1'],
      ['https://www.w3.org/ns/odrl.jsonld', 'odrl'],
      ['https://w3id.org/traceability/v1', 'trace-v1'],
      ['https://credreg.net/ctdlasn/schema/context/json', 'creg'],
    ])
    const documents = new Map(
      [...files].map(([url, file]) => [url, vectorJson<object>(`${TRANSMUTE}/contexts/${file}.json`)]),
    )
    const check = createProofCheck({ documentLoader: createDocumentLoader({ contexts: documents }) })
    const outcome = (signed: Json) =>
      verifyProof(signed, check).then(
        ({ verified }) => (verified ? 'verified' : 'Proof'),
        (error) => error.code,
      )
    let count = 0
    for (const path of vectorFiles(`${TRANSMUTE}/credentials`)) {
      const name = path.slice(`${TRANSMUTE}/credentials/`.length, -'.json'.length)
      const signed = vectorJson(path)
      if (signed.proof === undefined) continue
      count += 1
      const type = [signed.type].flat().filter((each) => each !== UNSIGNED_TYPE)
      const invalid = RELATIVE.includes(name) ? 'credential.invalid' : undefined
      t.is(await outcome(signed), invalid ?? (WITHOUT_THAT_TYPE.includes(name) ? 'verified' : 'Proof'), path)
      t.is(await outcome({ ...signed, type }), invalid ?? 'verified', path)
    }
    t.is(count, 82)
  },
)
