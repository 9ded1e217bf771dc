import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { base58btc } from 'multiformats/bases/base58'
import { PDF_TEMPLATE_EXAMPLE } from '../../../api/compact-credentials/pdf.examples.ts'
import { encodeClaims } from '../../../protocol/compact-credentials/cwt.ts'
import { PREFIXES, toText } from '../../../protocol/compact-credentials/text.ts'
import { HEADER, signCoseSign1 } from '../../../protocol/cose/sign1.ts'
import type { World as WholeWorld } from '../world.ts'

type World = Pick<WholeWorld, 'ask' | 'token'>

export const COMPACT = '/v1/credentials/compact'
export const COMPACT_SEMANTIC = '/v1/credentials/compact-semantic'

export interface SignedCompact {
  id: string
  encoded: string
  decoded: Record<string, unknown> & { status?: { index: string; url: string } }
}

export interface CompactVerdict {
  verified: boolean
  decoded?: Record<string, unknown>
  error?: { type: string; message: string; details: unknown[] }
}

export interface CompactOptions {
  revocable?: boolean
  token?: string
  headers?: Record<string, string>
}

/** Signs claims, and throws what else comes in place of a credential. */
export async function signCompact(
  world: World,
  payload: object,
  { revocable = false, token = world.token, headers }: CompactOptions = {},
): Promise<SignedCompact> {
  const body = { payload, revocable }
  const reply = await world.ask(`${COMPACT}/sign`, { token, body, headers })
  if (reply.status !== 200) throw new Error(`not signed: ${reply.text}`)
  return reply.json<SignedCompact>()
}

/** The same for a credential of the W3C. */
export async function signCompactSemantic(
  world: World,
  issuer: string,
  { revocable = false, token = world.token }: CompactOptions = {},
): Promise<SignedCompact> {
  const payload = {
    '@context': ['https://www.w3.org/2018/credentials/v1', { course: 'https://schema.org/courseCode' }],
    type: ['VerifiableCredential', 'CourseCredential'],
    issuer: { id: issuer, name: 'Example University' },
    issuanceDate: '2026-01-01T00:00:00Z',
    credentialSubject: { id: 'did:example:holder', course: 'CS-101', grades: [1, 2.5], passed: true },
  }
  const reply = await world.ask(`${COMPACT_SEMANTIC}/sign`, { token, body: { payload, revocable } })
  if (reply.status !== 200) throw new Error(`not signed: ${reply.text}`)
  return reply.json<SignedCompact>()
}

export async function verifyCompact(
  world: World,
  payload: string,
  more: object = {},
  path: string = COMPACT,
): Promise<CompactVerdict> {
  const reply = await world.ask(`${path}/verify`, { token: world.token, body: { payload, ...more } })
  if (reply.status !== 200) throw new Error(`no verdict: ${reply.text}`)
  return reply.json<CompactVerdict>()
}

/** A compact credential of a did:key that nobody here has, or of another issuer without its key, with this id. */
export async function strangeCompact(id: string, claims: Record<string, string>, iss?: string): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const fragment = base58btc.encode(new Uint8Array([0xed, 0x01, ...raw]))
  const payload = encodeClaims(id, { iss: iss ?? `did:key:${fragment}`, property_set: claims }, {})
  const header = new Map([[HEADER.kid, new Uint8Array(Buffer.from(fragment))]])
  const signer = { keyType: 'ed25519', sign: async (data: Uint8Array) => sign(null, data, privateKey) }
  return toText(PREFIXES.compact, await signCoseSign1({ protected: header, payload }, signer))
}

export const listIdOf = ({ decoded }: SignedCompact): string => String(decoded.status?.url).split('/').at(-1) ?? ''

/** One of each, of one issuer. */
export async function makeCompactSample(world: World, did: string, token: string) {
  const options = { revocable: true, token }
  const compact = await signCompact(world, { iss: did, type: 'SampleCredential', name: 'Ada' }, options)
  const semantic = await signCompactSemantic(world, did, options)
  const { id: compactTemplateId } = await createCompactTemplate(world, {}, token)
  const { id: compactSemanticTemplateId } = await createCompactTemplate(world, {}, token, COMPACT_SEMANTIC)
  const pass = await signCompact(world, { iss: did, property_set: { course: 'CS-101' } }, { token })
  return {
    compactId: compact.id,
    compactSemanticId: semantic.id,
    compactListId: listIdOf(compact),
    compactTemplateId,
    compactSemanticTemplateId,
    passEncoded: pass.encoded,
    pdfTemplateId: await createPdfTemplate(world, PDF_TEMPLATE_EXAMPLE, token),
    sparePdfTemplateId: await createPdfTemplate(world, PDF_TEMPLATE_EXAMPLE, token),
  }
}

/** A template of PDFs from its members and files; throws what else comes in place of its id. */
export async function createPdfTemplate(world: World, body: object, token = world.token): Promise<string> {
  const reply = await world.ask(`${COMPACT}/pdf/templates`, { token, body })
  if (reply.status !== 200) throw new Error(`no PDF template: ${reply.text}`)
  return reply.json<{ id: string }>().id
}

/** Bodies that succeed again and again: a type stands once. */
export const COMPACT_EXAMPLES = {
  createCompactCredentialTemplate: { body: () => compactTemplate() },
  updateCompactCredentialTemplate: { body: () => compactTemplate() },
  createCompactSemanticCredentialTemplate: { body: () => compactTemplate() },
  updateCompactSemanticCredentialTemplate: { body: () => compactTemplate() },
  signCompactSemanticCredentialFromTemplate: {
    body: ({ did }: { did: string }) => ({ claims: { course: 'CS-101' }, issuer_did: did }),
  },
  signCompactCredentialFromTemplate: {
    body: ({ did }: { did: string }) => ({ claims: { course: 'CS-101' }, issuer_did: did }),
  },
  createCompactCredentialPdf: {
    body: ({ pdfTemplateId, passEncoded }: { pdfTemplateId: string; passEncoded: string }) => ({
      templateId: pdfTemplateId,
      payload: passEncoded,
    }),
  },
  deleteCompactCredentialPdfTemplate: {
    path: ({ sparePdfTemplateId }: { sparePdfTemplateId: string }) => ({ id: sparePdfTemplateId }),
  },
}

export interface CompactTemplate {
  id: string
  version: number
  type: string
}

export const compactTemplate = (more: Record<string, unknown> = {}) => ({
  type: `Course-${randomUUID()}`,
  credential_mappings: { course: { map_from: 'claims.course', required: true }, grade: { default_value: 'A' } },
  expiration: { years: 1 },
  revocable: true,
  ...more,
})

export async function createCompactTemplate(
  world: World,
  more: Record<string, unknown> = {},
  token = world.token,
  path: string = COMPACT,
): Promise<CompactTemplate> {
  const reply = await world.ask(`${path}/configurations`, { token, body: compactTemplate(more) })
  if (reply.status !== 200) throw new Error(`no template: ${reply.text}`)
  return reply.json<CompactTemplate>()
}
