import { MOBILE_SIGN_EXAMPLE } from '../../../api/mobile-credentials/answers.ts'
import type { World } from '../world.ts'

export const IACAS = '/v1/credentials/mobile/iacas'
export const SIGNERS = '/v1/credentials/mobile/document-signers'

interface Made {
  id: string
  certificatePem: string
}

export interface Iaca extends Made {
  usability: string
  certificateData: { notBefore: string; notAfter: string; commonName: string; country: string }
}

async function make<T>(world: World, path: string, token: string | undefined, body: object): Promise<T> {
  const reply = await world.ask(path, { token: token ?? world.token, body })
  if (reply.status !== 201) throw new Error(`${path} answered ${reply.status} ${reply.text}`)
  return reply.json<T>()
}

export const makeIaca = (world: World, body: object = {}, token?: string) =>
  make<Iaca>(world, IACAS, token, { country: 'NL', commonName: 'Test IACA', ...body })

export const makeSigner = (world: World, body: object = {}, token?: string) =>
  make<Iaca & { csrPem?: string; active: boolean }>(world, SIGNERS, token, body)

export const createIaca = async (world: World, token?: string): Promise<string> => (await makeIaca(world, {}, token)).id
export const createSigner = async (world: World, token?: string): Promise<string> =>
  (await makeSigner(world, { active: true }, token)).id

export const SIGN = '/v1/credentials/mobile/sign'

export interface SignedMobile {
  id: string
  encoded: string
  decoded: {
    docType: string
    branding: object
    issuerAuth: string
    namespaces: Record<string, Record<string, unknown>>
    status?: { status_list: { idx: number; uri: string } }
  }
}

/** A signed credential, by the newest document signer of the tenant. */
export async function signMobile(world: World, token = world.token, body: object = MOBILE_SIGN_EXAMPLE) {
  const reply = await world.ask(SIGN, { token, body })
  if (reply.status !== 200) throw new Error(`sign answered ${reply.status} ${reply.text}`)
  const { id, encoded, decoded } = reply.json<SignedMobile>()
  const mobileListId = decoded.status?.status_list.uri.split('/').at(-1) ?? ''
  return { mobileId: id, mobileEncoded: encoded, mobileListId }
}
