import { MOBILE_SIGN_EXAMPLE } from '../../api/mobile-credentials/answers.ts'
import { COMPACT, COMPACT_SEMANTIC } from './credentials/compact.ts'
import { createDid, payload } from './credentials/credentials.ts'
import { makeIaca, makeSigner, SIGN } from './credentials/mobile.ts'
import { SD_JWT } from './sd-jwt/credentials.ts'
import type { Reply, World } from './world.ts'

type Asking = Pick<World, 'ask' | 'token'>

/** What signs credentials of every profile in one tenant. */
export interface Issuer {
  token: string
  did: string
  /** Of its IACA. */
  certificatePem: string
}

export async function makeIssuer(world: World, token: string): Promise<Issuer> {
  const did = await createDid(world, 'ed25519', token, true)
  const { certificatePem } = await makeIaca(world, {}, token)
  await makeSigner(world, { active: true }, token)
  return { token, did, certificatePem }
}

/** How a credential of a profile is signed, and why it does not verify. */
export interface TestFormat {
  type: string
  /** Another type, in a credential that has both where the profile allows it. */
  otherType: string
  /** Members of a participant's identifiers. */
  identifiers(issuer: Issuer): object
  sign(world: Asking, issuer: Issuer, type: string): Promise<Reply>
  /** The credential in the answer to `sign`. */
  credentialIn(reply: Reply): unknown
  /** Types of the reasons, empty where it verifies. */
  reasons(world: Asking, token: string, credential: unknown): Promise<string[]>
}

const compactReasons = async (world: Asking, path: string, token: string, credential: unknown) => {
  const reply = await world.ask(`${path}/verify`, { token, body: { payload: credential } })
  const { verified, error } = reply.json<{ verified: boolean; error?: { type: string } }>()
  return verified ? [] : [String(error?.type)]
}

const encodedIn = (reply: Reply) => reply.json<{ encoded: string }>().encoded

/** Codes of what a policy says, by the names of other formats. */
const REASONS = new Map([
  ['sd_jwt.issuer_not_allowed', 'IssuerNotAllowed'],
  ['sd_jwt.verifier_not_allowed', 'VerifierNotAllowed'],
])

export const FORMATS: Record<string, TestFormat> = {
  'web-semantic': {
    type: 'DiplomaCredential',
    otherType: 'MedicalCredential',
    identifiers: ({ did }) => ({ webSemantic: did }),
    sign: (world, { token, did }, type) => {
      const vocabulary = { '@vocab': 'https://example.edu/terms#' }
      const credential = {
        ...payload(did),
        '@context': ['https://www.w3.org/ns/credentials/v2', vocabulary],
        type: ['VerifiableCredential', ...type.split(' ')],
      }
      const body = { payload: credential, proofType: 'eddsa-rdfc-2022', revocable: false }
      return world.ask('/v1/credentials/web-semantic/sign', { token, body })
    },
    credentialIn: (reply) => reply.json<{ credential: object }>().credential,
    async reasons(world, token, credential) {
      const reply = await world.ask('/v1/credentials/web-semantic/verify', { token, body: { payload: credential } })
      return reply.json<{ reason: { type: string }[] }>().reason.map(({ type }) => type)
    },
  },
  compact: {
    type: 'DiplomaCredential',
    otherType: 'MedicalCredential',
    identifiers: ({ did }) => ({ compact: did }),
    sign: (world, { token, did }, type) =>
      world.ask(`${COMPACT}/sign`, {
        token,
        body: { payload: { iss: did, type, course: 'CS-101' }, revocable: false },
      }),
    credentialIn: encodedIn,
    reasons: (world, token, credential) => compactReasons(world, COMPACT, token, credential),
  },
  'compact-semantic': {
    type: 'DiplomaCredential',
    otherType: 'MedicalCredential',
    identifiers: ({ did }) => ({ compactSemantic: did }),
    sign: (world, { token, did }, type) => {
      const credential = {
        '@context': ['https://www.w3.org/2018/credentials/v1', { course: 'https://schema.org/courseCode' }],
        type: ['VerifiableCredential', ...type.split(' ')],
        issuer: { id: did, name: 'Example University' },
        issuanceDate: '2026-01-01T00:00:00Z',
        credentialSubject: { id: 'did:example:holder', course: 'CS-101' },
      }
      return world.ask(`${COMPACT_SEMANTIC}/sign`, { token, body: { payload: credential, revocable: false } })
    },
    credentialIn: encodedIn,
    reasons: (world, token, credential) => compactReasons(world, COMPACT_SEMANTIC, token, credential),
  },
  mobile: {
    type: 'org.example.diploma.1',
    otherType: 'org.example.medical.1',
    identifiers: ({ certificatePem }) => ({ mobile: [certificatePem] }),
    sign: (world, { token }, type) => {
      const { payload: example } = MOBILE_SIGN_EXAMPLE
      const itemsToSign = { 'org.example.diploma.1': { course: 'CS-101' } }
      const body = { payload: { ...example, docType: type, itemsToSign } }
      return world.ask(SIGN, { token, body })
    },
    credentialIn: encodedIn,
    async reasons(world, token, credential) {
      const body = { payload: credential }
      const reply = await world.ask('/v1/credentials/mobile/verify', { token, body })
      return reply.json<{ reason: { type: string }[] }>().reason.map(({ type }) => type)
    },
  },
  'sd-jwt-vc': {
    type: 'https://credentials.example/diploma',
    otherType: 'https://credentials.example/medical',
    identifiers: ({ did }) => ({ sdJwtVc: did }),
    sign: (world, { token, did }, type) =>
      world.ask(`${SD_JWT}/sign`, { token, body: { payload: { vct: type, course: 'CS-101' }, issuer_did: did } }),
    credentialIn: encodedIn,
    async reasons(world, token, credential) {
      const reply = await world.ask(`${SD_JWT}/verify`, { token, body: { payload: credential } })
      const { reason } = reply.json<{ reason: { code: string }[] }>()
      return reason.map(({ code }) => REASONS.get(code) ?? code)
    },
  },
}
