import { bitIndexList, statusListCwt, type UnsignedList } from '../../protocol/compact-credentials/status-lists.ts'
import { coseAlgorithm, signCoseSign1 } from '../../protocol/cose/sign1.ts'
import { jwsAlgorithm, signCompactJws } from '../../protocol/jws.ts'
import { statusListJwt } from '../../protocol/status-list/token.ts'
import type { ListToSign, StatusKinds } from '../credentials/format.ts'
import { refuseIssuer } from '../credentials/refusals.ts'
import type { Signers } from '../dids/signers.ts'
import { LIST_KIND } from './sign.ts'

/** Of compact credentials, and P-384, whose lists have SD-JWT VC credentials alone. */
const KEY_TYPES = ['p256', 'ed25519', 'p384'] as const

/** Seconds that a reader may keep a list (D-114). */
const TTL_SECONDS = 3

/** One list in its three forms: the first in base64, as the second; the third is a compact JWS. */
export interface PublishedForms {
  bitIndex: string
  tokenCwt: string
  tokenJwt: string
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** Lists of compact credentials: the same bits as a CWT and as Status List Tokens (D-283). */
export function createCompactLists(signers: Signers) {
  async function sign({ tenantId, issuer: did, url, proofType, bits, validFrom, validUntil }: ListToSign) {
    const issuer = await signers.signerOf(tenantId, did, refuseIssuer('issuer'))
    const keyTypes = KEY_TYPES.filter((keyType) => coseAlgorithm(keyType) === proofType)
    const signer = issuer.withKey({ keyTypes, neededBy: 'its status list' })
    const list: UnsignedList = {
      url,
      issuer: did,
      keyUrl: signer.verificationMethod,
      bits,
      issuedAt: validFrom,
      expiresAt: validUntil,
      ttlSeconds: TTL_SECONDS,
    }
    const { typ, claims } = statusListJwt(list)
    const header = { alg: jwsAlgorithm(signer.keyType), typ, kid: list.keyUrl }
    const [bitIndex, tokenCwt, tokenJwt] = await Promise.all([
      signCoseSign1(bitIndexList(list), signer),
      signCoseSign1(statusListCwt(list), signer),
      signCompactJws(header, claims, signer.sign),
    ])
    return { signed: { bitIndex: base64(bitIndex), tokenCwt: base64(tokenCwt), tokenJwt }, validUntil }
  }

  return { [LIST_KIND]: sign } satisfies StatusKinds
}
