import type { World } from '../world.ts'
import { createDid, type Signed, sign, type Warning } from './credentials.ts'
import type { Holder } from './holders.ts'

export interface Check {
  check: string
  path?: string
  outcome: string
  evidence: string
}
export interface PresentationVerdict {
  verified: boolean
  reason: string
  checks: Check[]
  warnings: Warning[]
}

export const VERIFY_PRESENTATION = '/v1/credentials/web-semantic/presentations/verify'

export async function verifyPresentation(
  world: World,
  presentation: unknown,
  more: Record<string, unknown> = {},
  { token = world.token, headers }: { token?: string; headers?: Record<string, string> } = {},
): Promise<PresentationVerdict> {
  const reply = await world.ask(VERIFY_PRESENTATION, { token, body: { presentation, ...more }, headers })
  if (reply.status !== 200) throw new Error(`no verdict: ${reply.text}`)
  return reply.json<PresentationVerdict>()
}

export const failedIn = ({ checks }: PresentationVerdict): [check: string, path: string | undefined][] =>
  checks.filter(({ outcome }) => outcome === 'failed').map(({ check, path }) => [check, path])

/** A credential about the holder, of a fresh issuer unless told. */
export async function about(
  world: World,
  holder: Holder,
  options: Parameters<typeof sign>[2] & { keyType?: string; issuer?: string } = {},
): Promise<Signed> {
  const { more, keyType, issuer, ...rest } = options
  const subject = { credentialSubject: { id: holder.did, course: 'CS-101' }, ...more }
  return sign(world, issuer ?? (await createDid(world, keyType)), { ...rest, more: subject })
}

export const TEMPLATES = '/v1/credentials/web-semantic/presentations/templates'
export const REQUESTS = '/v1/credentials/web-semantic/presentations/requests'

export const example = (more: Record<string, unknown> = {}) => [
  { type: 'QueryByExample', credentialQuery: [{ required: true, example: { type: 'VerifiableCredential', ...more } }] },
]

export interface Template {
  id: string
  domain: string
  name: string
  query: unknown
}
export interface Asked extends Template {
  challenge: string
  expiresTime: number
  state: string
  callbackUrl?: string
  templateId?: string
  request?: Record<string, unknown>
  jws?: string
  requestUri?: string
  didcommUri?: string
  qrCode?: string
}

/** The verbs of a verifier in a world. */
export const verifierIn = (world: World) => {
  async function post<T>(path: string, body: unknown, token = world.token): Promise<T> {
    const reply = await world.ask(path, { token, body })
    if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`)
    return reply.json<T>()
  }
  return {
    post,
    template: (query: unknown = example(), token?: string) =>
      post<Template>(TEMPLATES, { domain: 'verifier.example', name: 'Proof of a course', query }, token),
    /** Status, type and the paths of the errors. */
    async refusal(path: string, body: unknown, method = 'POST', token = world.token) {
      const reply = await world.ask(path, { token, body, method })
      const { type, errors = [] } = reply.json<{ type: string; errors?: { path: string }[] }>()
      return [reply.status, type, errors.map((error) => error.path)]
    },
  }
}
