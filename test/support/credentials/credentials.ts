import { randomUUID } from 'node:crypto'
import type { CredentialRow, Recording } from '../../../activities/credentials/record.ts'
import type { World as WholeWorld } from '../world.ts'

type World = Pick<WholeWorld, 'ask' | 'token'>

interface Created {
  did: string
}

/** A did:key of the first tenant, or of whoever the token is; `issuer`: it becomes the tenant's default issuer. */
export async function createDid(
  world: World,
  keyType = 'ed25519',
  token = world.token,
  issuer = false,
): Promise<string> {
  const reply = await world.ask('/v1/dids', { token, body: { method: 'KEY', options: { keyType }, issuer } })
  if (reply.status !== 201) throw new Error(`no DID: ${reply.text}`)
  return reply.json<Created>().did
}

/** A payload of data model 2.0 whose one own term is defined inline. */
export const payload = (issuer: string, more: Record<string, unknown> = {}) => ({
  '@context': ['https://www.w3.org/ns/credentials/v2', { course: 'https://schema.org/courseCode' }],
  type: ['VerifiableCredential'],
  issuer: { id: issuer },
  credentialSubject: { id: 'did:example:holder', course: 'CS-101' },
  ...more,
})

export interface Signed {
  id: string
  credential: Record<string, unknown>
  tag?: string
}

export async function sign(
  world: World,
  issuer: string,
  { proofType = 'eddsa-rdfc-2022', revocable = false, tag, token = world.token, headers, more }: SignOptions = {},
): Promise<Signed> {
  const body = { payload: payload(issuer, more), proofType, revocable, tag }
  const reply = await world.ask('/v1/credentials/web-semantic/sign', { token, body, headers })
  if (reply.status !== 200) throw new Error(`not signed: ${reply.text}`)
  return reply.json<Signed>()
}

interface SignOptions {
  proofType?: string
  revocable?: boolean
  tag?: string
  token?: string
  headers?: Record<string, string>
  more?: Record<string, unknown>
}

export interface Verdict {
  verified: boolean
  reason: { type: string; message: string }[]
}

export interface Warning {
  type: string
  message: string
  path?: string
  url?: string
}

interface Verification {
  token?: string
  trustedContexts?: unknown
}

/** The whole answer of a verification. */
export async function verdictOf(
  world: World,
  credential: unknown,
  { token = world.token, trustedContexts }: Verification = {},
): Promise<Verdict & { warnings: Warning[] }> {
  const body = { payload: credential, trustedContexts }
  const reply = await world.ask('/v1/credentials/web-semantic/verify', { token, body })
  if (reply.status !== 200) throw new Error(`no verdict: ${reply.text}`)
  return reply.json<Verdict & { warnings: Warning[] }>()
}

/** Whether it verifies, and why not. */
export async function verify(world: World, credential: unknown, token = world.token): Promise<Verdict> {
  const { verified, reason } = await verdictOf(world, credential, { token })
  return { verified, reason }
}

export interface Owner {
  tenantId: string
  didId: string
}

/** A credential to record, with its log entry. */
export const recordingOf = (
  owner: Owner,
  more: Partial<CredentialRow> = {},
  logId: string = randomUUID(),
): Recording => ({
  row: {
    ...owner,
    id: randomUUID(),
    format: 'semantic',
    document: { '@context': [], text: 'naïve "quoted" \\ {braces}, 汉字', number: 1e3 },
    proofType: 'eddsa-rdfc-2022',
    tag: 'a, "tag"',
    types: ['A', 'B "quoted", {x}'],
    issuanceDate: '2026-01-01T00:00:00Z',
    expirationDate: null,
    statusListId: null,
    statusIndex: null,
    suspensionListId: null,
    suspensionIndex: null,
    templateId: null,
    templateVersion: null,
    subjects: [],
    ...more,
  },
  log: {
    id: logId,
    category: 'credential-web-semantic',
    type: 'CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS',
    requestId: randomUUID(),
    metadata: { clientId: randomUUID() },
  },
  idempotency: null,
})
