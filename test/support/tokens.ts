import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { KeyRef } from '../../activities/keys/index.ts'
import { PLATFORM_TENANT } from '../../activities/keys/rotating.ts'
import type { Client } from '../../activities/tokens-logs/clients.ts'
import { createTokens } from '../../activities/tokens-logs/tokens.ts'
import { Refusal } from '../../protocol/errors.ts'

export const ISSUER = 'https://id.example'
export const LIFETIME = 3_600
export const START = new Date('2030-01-01T00:00:00Z')
export const SECONDS = START.getTime() / 1000

export const client: Client = {
  id: randomUUID(),
  tenantId: randomUUID(),
  scopes: ['dids:read', 'dids:write', 'logs:read'],
}

/** The keys of a platform, as its processes find them in the database and in the key store. */
export function createPlatform() {
  const secrets = new Map<string, KeyObject>()
  let rows: { id: string; public_key: Buffer; settled: boolean }[] = []
  const statements: { text: string; values: unknown[] }[] = []
  return {
    statements,
    /** Adds a key as the newest. */
    add(settled = true): string {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519')
      const [id, x] = [randomUUID(), publicKey.export({ format: 'jwk' }).x ?? '']
      secrets.set(id, privateKey)
      rows = [{ id, public_key: Buffer.from(x, 'base64url'), settled }, ...rows]
      return id
    },
    remove(id: string) {
      secrets.delete(id)
      rows = rows.filter((row) => row.id !== id)
    },
    systemSql: {
      async query<Row extends object>(statement: { name?: string; text: string; values: unknown[] }) {
        if (statement.name === 'caller-stands') return { rows: [{ stands: true, scopes: null }] as object[] as Row[] }
        statements.push(statement)
        return { rows: rows as object[] as Row[] }
      },
    },
    async sign({ tenantId, keyId, keyType }: KeyRef, data: Uint8Array): Promise<Uint8Array> {
      const secret = secrets.get(keyId)
      if (!secret || tenantId !== PLATFORM_TENANT || keyType !== 'ed25519') throw new Refusal('key.not_found', 'gone')
      return sign(null, data, secret)
    },
  }
}

type Platform = ReturnType<typeof createPlatform>

/** One process of a platform, with a clock that the test sets. */
export function processOf(platform: Platform, signing: Platform['sign'] = platform.sign) {
  let time = START.getTime()
  const tokens = createTokens({
    systemSql: platform.systemSql,
    keys: { sign: signing },
    config: { publicUrl: new URL(`${ISSUER}/path`), accessTokenLifetimeSeconds: LIFETIME },
    now: () => new Date(time),
    uuid: () => 'the-uuid',
    sessionScopes: async () => undefined,
  } as unknown as Parameters<typeof createTokens>[0])
  return {
    ...tokens,
    pass(ms: number) {
      time += ms
    },
    issue: async (scope?: string | null) =>
      (await tokens.issueToken({ client, grantType: 'client_credentials', ...(scope === undefined ? {} : { scope }) }))
        .accessToken,
  }
}

export function started() {
  const platform = createPlatform()
  const keyId = platform.add()
  return { platform, keyId, process: processOf(platform) }
}

export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.catch((thrown: unknown) => thrown)
  if (error instanceof Refusal) return error
  throw new Error(`no refusal but ${String(error)}`)
}

export const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token of the platform's own key, with changed header and claims. */
export async function made({ platform, keyId, process }: ReturnType<typeof started>, header: object, claims: object) {
  const token = await process.issue()
  const head = part({ ...decodeProtectedHeader(token), ...header })
  const text = `${head}.${part({ ...decodeJwt(token), ...claims })}`
  const ref = { tenantId: PLATFORM_TENANT, keyId, keyType: 'ed25519' } as const
  return `${text}.${Buffer.from(await platform.sign(ref, Buffer.from(text))).toString('base64url')}`
}
