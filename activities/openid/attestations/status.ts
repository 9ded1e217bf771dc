import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { isObject } from '../../../protocol/json.ts'
import type { TrustedProvider } from '../../../protocol/openid/oid4vci/attestations/providers.ts'
import { BadAttestation, trustedKey } from '../../../protocol/openid/oid4vci/attestations/signed.ts'
import { keyOfCertificate } from '../../../protocol/sd-jwt-credentials/keys.ts'
import { readStatusListJwt } from '../../../protocol/sd-jwt-credentials/status-list.ts'
import { TOKEN_TYPES } from '../../../protocol/status-list/token.ts'
import type { NamedLists } from '../../credentials/status-lists/named.ts'
import type { Dependencies } from '../../dependencies.ts'

const MAX_URL = 2_000

interface Parts extends Pick<Dependencies, 'config' | 'now'> {
  namedLists: Pick<NamedLists, 'foreignList'>
}

/** The entry of a Token Status List. Another way to find a status is none that can be checked, and is refused. */
function entryOf(status: unknown): { url: string; index: number } {
  const list = isObject(status) ? status.status_list : undefined
  const { uri, idx } = isObject(list) ? list : {}
  if (typeof uri === 'string' && uri.length <= MAX_URL && URL.canParse(uri) && Number.isSafeInteger(idx))
    if (typeof idx === 'number' && idx >= 0) return { url: uri, index: idx }
  throw new BadAttestation('status', 'expected as status a status_list with uri and idx')
}

/** The status that attestations name, in lists that their provider signs (draft-ietf-oauth-status-list). */
export const createAttestationStatus = ({ config, now, namedLists }: Parts) => ({
  /** Throws `BadAttestation` where it was revoked, or where that cannot be found out; `Unavailable('outbound')`. */
  async assertValid(tenantId: string, status: unknown, provider: TrustedProvider): Promise<void> {
    if (status === undefined) return
    const { url, index } = entryOf(status)
    const clock = { now: now(), toleranceMs: config.clockToleranceMs }
    try {
      const list = await namedLists.foreignList(url, {
        name: `${tenantId} wallet provider ${provider.id} ${url}`,
        readFor: tenantId,
        accept: TOKEN_TYPES.jwt,
        read: (bytes) =>
          readStatusListJwt(
            bytes,
            url,
            async ({ header }) =>
              keyOfCertificate(
                trustedKey(header, { ...clock, providers: [provider], requiresCertificate: false }).publicKey,
              ),
            clock,
          ),
      })
      if (list.isSet(index)) throw new BadAttestation('status', 'expected an attestation that was not revoked')
    } catch (error) {
      // the wallet did nothing wrong, and may try again
      if (error instanceof Refusal && error.code === 'status_list.unavailable')
        throw new Unavailable('outbound', 'The status list of the wallet provider cannot be read now.', undefined, {
          cause: error,
        })
      if (error instanceof Refusal)
        throw new BadAttestation('status', 'expected a status list of the wallet provider that can be read', error)
      throw error
    }
  },
})

export type AttestationStatus = ReturnType<typeof createAttestationStatus>
