import { createDid, type Signed, sign } from './credentials.ts'
import type { Holder } from './holders.ts'
import type { World } from './world.ts'

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
