import { SD_JWT_TEMPLATE_EXAMPLE } from '../../../api/sd-jwt-credentials/examples.ts'
import type { World as WholeWorld } from '../world.ts'

type World = Pick<WholeWorld, 'ask' | 'token'>

export const SD_JWT = '/v1/credentials/sd-jwt-vc'

export interface SignedSdJwt {
  id: string
  encoded: string
  decoded: Record<string, unknown> & { status?: { status_list: { idx: number; uri: string } } }
}

export interface SdJwtVerdict {
  verified: boolean
  checks: { name: string; result: 'passed' | 'failed' | 'skipped' }[]
  reason: { type: string; code: string; message: string; path?: string }[]
  warnings: string[]
  claims?: Record<string, unknown>
  selective?: string[]
  issuer?: string
}

export interface SdJwtTemplate {
  id: string
  version: number
  vct: string
  hosted: boolean
}

/** Signs claims, and throws what else comes in place of a credential. */
export async function signSdJwt(world: World, body: object, token = world.token): Promise<SignedSdJwt> {
  const reply = await world.ask(`${SD_JWT}/sign`, { token, body })
  if (reply.status !== 200) throw new Error(`not signed: ${reply.text}`)
  return reply.json<SignedSdJwt>()
}

export async function verifySdJwt(
  world: World,
  payload: string,
  more: object = {},
  token = world.token,
): Promise<SdJwtVerdict> {
  const reply = await world.ask(`${SD_JWT}/verify`, { token, body: { payload, ...more } })
  if (reply.status !== 200) throw new Error(`no verdict: ${reply.text}`)
  return reply.json<SdJwtVerdict>()
}

export async function createSdJwtTemplate(
  world: World,
  more: object = {},
  token = world.token,
): Promise<SdJwtTemplate> {
  const reply = await world.ask(`${SD_JWT}/configurations`, { token, body: { ...SD_JWT_TEMPLATE_EXAMPLE, ...more } })
  if (reply.status !== 201) throw new Error(`no template: ${reply.text}`)
  return reply.json<SdJwtTemplate>()
}

/** One of each, of one issuer. */
export async function makeSdJwtSample(world: World, did: string, token: string) {
  const payload = { vct: 'https://credentials.example/sample', name: 'Ada' }
  const signed = await signSdJwt(world, { payload, revocable: true, issuer_did: did }, token)
  const template = await createSdJwtTemplate(world, { issuer_did: did }, token)
  return {
    sdJwtId: signed.id,
    sdJwtEncoded: signed.encoded,
    sdJwtTemplateId: template.id,
    spareSdJwtTemplateId: (await createSdJwtTemplate(world, { issuer_did: did }, token)).id,
  }
}

/** Bodies and paths that differ from the documented examples. */
export const SD_JWT_EXAMPLES = {
  verifySdJwtCredential: { body: ({ sdJwtEncoded }: { sdJwtEncoded: string }) => ({ payload: sdJwtEncoded }) },
  getSdJwtTypeMetadata: {
    path: ({ sdJwtTemplateId }: { sdJwtTemplateId: string }) => ({ id: sdJwtTemplateId, version: '1' }),
  },
  deleteSdJwtCredentialTemplate: {
    path: ({ spareSdJwtTemplateId }: { spareSdJwtTemplateId: string }) => ({ id: spareSdJwtTemplateId }),
  },
}
