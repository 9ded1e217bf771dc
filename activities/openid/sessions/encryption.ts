import { createECDH, createHash } from 'node:crypto'
import type { JWK } from 'jose'
import { inTenant } from '../../../entities/orm.ts'
import { isObject, type Json } from '../../../protocol/json.ts'
import {
  badEncryption,
  decryptRequest,
  encryptResponse,
  KEY_AGREEMENT,
  type ResponseEncryption,
  readResponseEncryption,
} from '../../../protocol/openid/oid4vci/encryption.ts'
import type { Dependencies } from '../../dependencies.ts'
import { keyFor } from '../../frame/secrets.ts'
import { policyIn } from '../authorization/policy.ts'

const PERIOD_MS = 30 * 24 * 60 * 60 * 1000
const CURVE = 'prime256v1'
const COORDINATE_BYTES = 32

/** A request as it is read: its content, and how its answer goes back. */
export interface OpenedRequest {
  body: Json
  encryption: ResponseEncryption | undefined
}

/** What arrived: a JWE, or JSON. */
export type SentRequest = { jwe: string } | { body: Json }

/** Numbers that are no private key of the curve are left out: one of 2^32 (SEC 1, section 3.2.1). */
function scalarOf(seed: (attempt: number) => Buffer): ReturnType<typeof createECDH> {
  for (let attempt = 0; attempt < 16; attempt += 1) {
    const ecdh = createECDH(CURVE)
    try {
      ecdh.setPrivateKey(seed(attempt))
      return ecdh
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_CRYPTO_INVALID_KEYTYPE')) throw error
    }
  }
  throw new Error('no private key of P-256 in 16 attempts')
}

/**
 * Encryption of credential requests and their answers (OpenID4VCI 1.0, section 10). The key of a tenant follows from the
 * master key and the month, so that it is nowhere stored, and changes by itself (D-900).
 */
export function createWalletEncryption({ config, database, now }: Pick<Dependencies, 'config' | 'database' | 'now'>) {
  function keyOfPeriod(tenantId: string, period: number): JWK & { kid: string } {
    const ecdh = scalarOf((attempt) =>
      keyFor(config.masterKey, `openid-sessions/request-encryption/${period}/${attempt}`, tenantId),
    )
    const point = ecdh.getPublicKey()
    const [x, y] = [point.subarray(1, 1 + COORDINATE_BYTES), point.subarray(1 + COORDINATE_BYTES)]
    const scalar = ecdh
      .getPrivateKey()
      .toString('hex')
      .padStart(2 * COORDINATE_BYTES, '0')
    return {
      kty: 'EC',
      crv: 'P-256',
      x: x.toString('base64url'),
      y: y.toString('base64url'),
      d: Buffer.from(scalar, 'hex').toString('base64url'),
      kid: createHash('sha256').update(point).digest('base64url').slice(0, 22),
    }
  }

  const period = () => Math.floor(now().getTime() / PERIOD_MS)

  /** The key of before counts too: a wallet may have read the metadata in its last minute. */
  const keyNamed = (tenantId: string, kid: string): JWK | undefined =>
    [period(), period() - 1].map((each) => keyOfPeriod(tenantId, each)).find((each) => each.kid === kid)

  return {
    /** The public key for requests of now, for the metadata. */
    requestKeys(tenantId: string): { keys: JWK[] } {
      const { d: _private, ...jwk } = keyOfPeriod(tenantId, period())
      return { keys: [{ ...jwk, use: 'enc', alg: KEY_AGREEMENT }] }
    },

    /**
     * Reads a request, encrypted or not, as the tenant requires it. A key for the answer counts in an encrypted request only,
     * so that nobody on the way puts another one in its place (section 8.2). Throws `wallet.invalid_encryption_parameters`.
     */
    async openRequest(tenantId: string, sent: SentRequest): Promise<OpenedRequest> {
      const isEncrypted = 'jwe' in sent
      const body = isEncrypted ? await decryptRequest(sent.jwe, (kid) => keyNamed(tenantId, kid)) : sent.body
      const inner = isObject(body.request) ? body.request : body
      const encryption = readResponseEncryption(inner.credential_response_encryption)
      if (encryption && !isEncrypted)
        throw badEncryption(
          'credential_response_encryption has to come in an encrypted request: encrypt it for a key of credential_request_encryption.',
        )
      const { requiresEncryption } = await inTenant(database.tenants, tenantId, policyIn)
      if (requiresEncryption && !encryption)
        throw badEncryption(
          'The issuer requires encryption: send an encrypted request, with credential_response_encryption in it.',
        )
      return { body, encryption }
    },

    sealResponse: encryptResponse,
  }
}

export type WalletEncryption = ReturnType<typeof createWalletEncryption>
