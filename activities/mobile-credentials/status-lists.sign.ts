import { signCoseSign1 } from '../../protocol/cose/sign1.ts'
import { type JwsHeader, signCompactJws } from '../../protocol/jws.ts'
import { mobileListCwt } from '../../protocol/mobile-credentials/status.ts'
import { statusListJwt } from '../../protocol/status-list/token.ts'
import type { ListToSign, StatusKinds } from '../credentials/format.ts'
import type { StatusPublisher } from '../credentials/status-lists/publish.ts'
import { LIST_KIND } from './sign.ts'
import type { MobileSigners } from './signers.ts'

/** Seconds that a reader may keep a list (D-114). */
const TTL_SECONDS = 3

/** One list in its two forms: a CWT in base64, and a compact JWS. */
interface PublishedTokens {
  tokenCwt: string
  tokenJwt: string
}

/** Lists of mobile credentials: Status List Tokens by a document signer of the IACA that they belong to (D-279). */
export function createMobileLists(signers: Pick<MobileSigners, 'listSigner'>) {
  async function sign({ tenantId, issuer: iacaId, url, bits, validFrom, validUntil: latest }: ListToSign) {
    const { certificate, notAfter, sign: signWith } = await signers.listSigner(tenantId, iacaId)
    const validUntil = new Date(Math.min(latest.getTime(), notAfter.getTime()))
    const list = { url, bits, issuedAt: validFrom, expiresAt: validUntil, ttlSeconds: TTL_SECONDS }
    const { typ, claims } = statusListJwt(list)
    const header: JwsHeader = { alg: 'ES256', typ, x5c: [Buffer.from(certificate).toString('base64')] }
    const [tokenCwt, tokenJwt] = await Promise.all([
      signCoseSign1(mobileListCwt(list, certificate), { keyType: 'p256', sign: signWith }),
      signCompactJws(header, claims, signWith),
    ])
    return { signed: { tokenCwt: Buffer.from(tokenCwt).toString('base64'), tokenJwt }, validUntil }
  }

  return { [LIST_KIND]: sign } satisfies StatusKinds
}

/** The published lists of mobile credentials. */
export const createPublishedMobileLists = ({ statusPublisher }: { statusPublisher: StatusPublisher }) => ({
  /** Throws `status_list.not_found`, `Unavailable('keys')`. */
  async readList(tenantId: string, id: string): Promise<{ forms: PublishedTokens; etag: string }> {
    const { credential, etag } = await statusPublisher.publishedList(tenantId, id, [LIST_KIND])
    return { forms: credential as PublishedTokens & typeof credential, etag }
  },
})
