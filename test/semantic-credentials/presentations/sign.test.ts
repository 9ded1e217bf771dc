import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { cryptosuite as ecdsaRdfc2019 } from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite'
import { Ed25519Signature2018 } from '@digitalbazaar/ed25519-signature-2018'
import { cryptosuite as eddsaRdfc2022 } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import { verify } from '@digitalbazaar/vc'
import test from 'ava'
import { createPlatform, type Platform } from '../../../activities/index.ts'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { didKeyMethodId, publicKeyOfDidKey } from '../../../protocol/dids/key.ts'
import { verificationMethod } from '../../../protocol/dids/methods.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { verifyPresentation } from '../../support/credentials/presentations.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let platform: Platform
test.before(async () => {
  world = await openWorld()
  platform = createPlatform(world.dependencies)
})
test.after.always(() => world?.close())

const documentLoader = createDocumentLoader()

/** The peer reads the DID document as its controller: a key for authentication alone. */
const peerLoader = (did: string, is2018: boolean) => async (url: string) => {
  const key = publicKeyOfDidKey(did)
  const id = didKeyMethodId(did, key)
  const method = {
    '@context': is2018 ? CONTEXT.ed25519Signature2018 : 'https://w3id.org/security/multikey/v1',
    ...verificationMethod(id, did, is2018 ? 'Ed25519VerificationKey2018' : 'Multikey', key),
  }
  const controller = { '@context': 'https://www.w3.org/ns/did/v1', id: did, authentication: [id] }
  const own = url === id ? method : url === did ? controller : undefined
  return own ? { contextUrl: null, documentUrl: url, document: own } : documentLoader(url)
}

const presentationOf = (holder: string, base: string) => ({
  '@context': [base],
  type: ['VerifiablePresentation'],
  holder,
})

for (const [proofType, keyType, suite] of [
  ['eddsa-rdfc-2022', 'ed25519', () => new DataIntegrityProof({ cryptosuite: eddsaRdfc2022 })],
  ['ecdsa-rdfc-2019', 'p256', () => new DataIntegrityProof({ cryptosuite: ecdsaRdfc2019 })],
  ['Ed25519Signature2018', 'ed25519', () => new Ed25519Signature2018()],
] as const)
  for (const base of [CONTEXT.credentialsV1, CONTEXT.credentialsV2])
    test.serial(
      `what signPresentation signs under ${base} with ${proofType} verifies in @digitalbazaar/vc and here`,
      async (t) => {
        const did = await createDid(world, keyType)
        const asked = { challenge: 'the-challenge', domain: 'verifier.example' }
        const { tenantId } = world.first
        const request = { presentation: presentationOf(did, base), did, proofType, ...asked }
        const signed = await platform.presentations.signPresentation({ tenantId }, request)
        t.like(signed.proof, { proofPurpose: 'authentication', ...asked })
        const theirs = await verify({
          presentation: signed,
          suite: suite(),
          ...asked,
          documentLoader: peerLoader(did, proofType === 'Ed25519Signature2018'),
        })
        t.true(theirs.verified, String(theirs.error))
        const ours = await verifyPresentation(world, signed, asked)
        t.true(ours.verified, ours.reason)
      },
    )

test.serial('signPresentation refuses what it cannot sign, with the field', async (t) => {
  const { tenantId } = world.first
  const did = await createDid(world)
  const sign = (more: Record<string, unknown>) =>
    platform.presentations.signPresentation(
      { tenantId },
      { presentation: presentationOf(did, CONTEXT.credentialsV2), did, proofType: 'eddsa-rdfc-2022', ...more },
    )
  await t.throwsAsync(sign({ proofType: 'bbs-2023' }), { code: 'presentation.proof_type_unsupported' })
  await t.throwsAsync(sign({ proofType: 'rsa' }), { code: 'presentation.proof_type_unsupported' })
  await t.throwsAsync(sign({ proofType: 'ecdsa-rdfc-2019' }), { code: 'presentation.signer_key_unfit' })
  await t.throwsAsync(sign({ did: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK' }), {
    code: 'presentation.signer_unknown',
  })
  await t.throwsAsync(sign({ presentation: 'x' }), { code: 'presentation.malformed' })
  const signed = { ...presentationOf(did, CONTEXT.credentialsV2), proof: { type: 'DataIntegrityProof' } }
  await t.throwsAsync(sign({ presentation: signed }), { code: 'presentation.invalid' })
  const untyped = { ...presentationOf(did, CONTEXT.credentialsV2), type: ['Nothing'] }
  await t.throwsAsync(sign({ presentation: untyped }), { code: 'presentation.invalid' })
  const undefinedTerm = { ...presentationOf(did, CONTEXT.credentialsV2), shoeSize: 41 }
  await t.throwsAsync(sign({ presentation: undefinedTerm }), { code: 'credential.term_undefined' })
})
