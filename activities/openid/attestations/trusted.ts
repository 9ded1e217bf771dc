import { decodeProtectedHeader } from 'jose'
import { inTenant } from '../../../entities/orm.ts'
import type { Attested, ChainNames, TrustGate } from '../../../protocol/credentials/trust.ts'
import { readChain } from '../../../protocol/mobile-credentials/chains.ts'
import { isOf, type TrustedProvider } from '../../../protocol/openid/oid4vci/attestations/providers.ts'
import { chainIn } from '../../../protocol/openid/oid4vci/attestations/signed.ts'
import type { Dependencies } from '../../dependencies.ts'
import { registeredIn } from './providers.ts'

interface Parts extends Pick<Dependencies, 'database'> {
  trustGate: Pick<TrustGate, 'providersOf' | 'listsProviders'>
}

/** The names in the chain of an attestation, which is not verified yet: whatever is none is refused when it is. */
async function namesIn(jwt: string): Promise<ChainNames> {
  let x5c: unknown
  try {
    x5c = decodeProtectedHeader(jwt).x5c
  } catch {
    return [] // no JWT: its verification says so
  }
  return (await readChain(chainIn(x5c) ?? [])).filter((each) => each !== undefined)
}

/** A list says nothing of wallets and their addresses: these go to the holder's device, or are registered. */
const NO_LISTS = { clientIds: [], redirectUris: [], keys: [] }

/** Whose attestations count: wallet providers that the tenant has registered, and those of its enforced trust lists. */
export const createTrustedProviders = ({ database, trustGate }: Parts) => ({
  /**
   * For one attestation: of a list, the certificates that its chain can lead to, each a provider by itself,
   * unless it is one of a registered provider.
   */
  async trustedFor(tenantId: string, attested: Attested, jwt: string): Promise<TrustedProvider[]> {
    const registered = await inTenant(database.tenants, tenantId, (em) => registeredIn(em, attested))
    const chain = await namesIn(jwt)
    const listed = chain.length === 0 ? [] : await trustGate.providersOf(tenantId, attested, chain)
    const others = listed.flatMap(({ listId, fingerprint, certificate: read }) => {
      // what the tenant has registered counts as it has said, with its wallets and its issuer
      if (registered.some((provider) => isOf(provider, read))) return []
      return [{ id: `${listId} ${fingerprint}`, issuer: undefined, ...NO_LISTS, certificates: [read] }]
    })
    return [...registered, ...others]
  },

  /** Whether somebody is trusted to attest, where the tenant has registered nobody. */
  isAnyListed: (tenantId: string, attested: Attested): Promise<boolean> => trustGate.listsProviders(tenantId, attested),
})

export type TrustedProviders = ReturnType<typeof createTrustedProviders>
