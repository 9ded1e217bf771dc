import { createPublicKey, type KeyObject } from 'node:crypto'
import { ATTESTED, type Attested } from '../../../credentials/trust.ts'
import { type FieldError, Refusal, within } from '../../../errors.ts'
import { type Certificate, certificateOfPem } from '../../../mobile-credentials/certificates.read.ts'
import { CLIENT_ID, type WalletJwk } from '../authorization/types.ts'
import { faultsOfKeys, faultsOfRedirects } from '../authorization/wallets.ts'

export { ATTESTED, type Attested } from '../../../credentials/trust.ts'

/** What a tenant says of the maker of a wallet. */
export interface WalletProviderInput {
  name: string
  /** What its attestations name as iss, where they have it. */
  issuer: string | undefined
  attests: readonly Attested[]
  /** Wallets that it vouches for; none: each of its wallets. */
  clientIds: readonly string[]
  /** Where codes of its wallets may go that are not registered, besides addresses on the holder's device (D-1051). */
  redirectUris: readonly string[]
  /** PEM: of authorities that certify its attestations, or of its signers themselves. */
  certificates: readonly string[]
  jwks: { keys: readonly Readonly<Record<string, unknown>>[] } | undefined
}

/** What attestations are held against. */
export interface TrustedProvider {
  id: string
  issuer: string | undefined
  clientIds: readonly string[]
  redirectUris: readonly string[]
  certificates: readonly Certificate[]
  keys: readonly WalletJwk[]
}

const MAX_NAME = 200
const MAX_CERTIFICATES = 10
const MAX_CLIENTS = 100
const VISIBLE = /^[\x21-\x7e]{1,500}$/

const fault = (path: string, code: string, message: string): FieldError[] => [{ path, code, message }]

function certificateFaults(certificates: readonly string[]): FieldError[] {
  if (certificates.length > MAX_CERTIFICATES)
    return fault('certificates', 'count', `expected at most ${MAX_CERTIFICATES}`)
  return certificates.flatMap((pem, at) => {
    const path = within('certificates', at)
    if (!certificateOfPem(pem)) return fault(path, 'pem', 'expected one X.509 certificate in PEM')
    return certificates.indexOf(pem) < at ? fault(path, 'repeated', 'expected each once') : []
  })
}

function clientFaults(clientIds: readonly string[], attests: readonly Attested[]): FieldError[] {
  if (clientIds.length > MAX_CLIENTS) return fault('clientIds', 'count', `expected at most ${MAX_CLIENTS}`)
  if (clientIds.length > 0 && !attests.includes('wallets'))
    return fault('clientIds', 'unexpected', 'expected only of a provider that attests wallets: keys are of no client')
  return clientIds.flatMap((clientId, at) => {
    const path = within('clientIds', at)
    if (!CLIENT_ID.test(clientId)) return fault(path, 'text', 'expected 1 to 255 characters of ASCII without spaces')
    return clientIds.indexOf(clientId) < at ? fault(path, 'repeated', 'expected each once') : []
  })
}

function redirectFaults(redirectUris: readonly string[], attests: readonly Attested[]): FieldError[] {
  if (redirectUris.length > 0 && !attests.includes('wallets'))
    return fault('redirectUris', 'unexpected', 'expected only of a provider that attests wallets: keys have no address')
  return faultsOfRedirects(redirectUris)
}

/** Whether a provider may vouch for a wallet. */
export const vouchesFor = ({ clientIds }: Pick<TrustedProvider, 'clientIds'>, clientId: unknown): boolean =>
  clientIds.length === 0 || clientIds.some((each) => each === clientId)

/** Undefined for a key that cannot be read, which matches nothing: it was registered when its point was not looked at. */
export function keyOfJwk(jwk: WalletJwk): KeyObject | undefined {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' })
  } catch {
    return undefined
  }
}

const spkiOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'der' }).toString('hex')

/** By what costs nothing. A name may be written in several ways, and an authority be renamed: its key is the same then. */
function mayBeIssuer({ subjectName, subjectKeyId }: Certificate, { issuerName, authorityKeyId }: Certificate): boolean {
  if (subjectName === issuerName || subjectKeyId === undefined || authorityKeyId === undefined) return true
  return subjectKeyId === authorityKeyId
}

/** Whether a certificate is a provider's: of one of its keys, or issued by one of its authorities. */
export function isOf({ certificates, keys }: TrustedProvider, listed: Certificate): boolean {
  const { publicKey, native } = listed
  const spki = spkiOf(publicKey)
  return (
    certificates.some((own) => spkiOf(own.publicKey) === spki) ||
    certificates.some((own) => mayBeIssuer(own, listed) && native.verify(own.publicKey)) ||
    keys.some((jwk) => {
      const own = keyOfJwk(jwk)
      return own !== undefined && spkiOf(own) === spki
    })
  )
}

/** Keys of a provider are found by their kid. */
function keyFaults(jwks: NonNullable<WalletProviderInput['jwks']>): FieldError[] {
  const names = jwks.keys.map(({ kid }) => kid)
  return jwks.keys.flatMap((_, at) =>
    typeof names[at] !== 'string' || names[at] === '' || names.indexOf(names[at]) < at
      ? fault(within('jwks', 'keys', at, 'kid'), 'kid', 'expected a kid that no other key has')
      : [],
  )
}

/** Throws `Refusal('openid_wallet_provider.invalid')` that names every broken rule. */
export function checkProvider(input: WalletProviderInput): void {
  const { name, issuer, attests, clientIds, redirectUris, certificates, jwks } = input
  const errors = [
    ...(name.length > 0 && name.length <= MAX_NAME && !/\p{Cc}/u.test(name)
      ? []
      : fault('name', 'text', `expected 1 to ${MAX_NAME} characters`)),
    ...(issuer === undefined || VISIBLE.test(issuer)
      ? []
      : fault('issuer', 'text', 'expected 1 to 500 characters of ASCII without spaces')),
    ...(attests.length > 0 && new Set(attests).size === attests.length
      ? []
      : fault('attests', 'choice', `expected one or more of ${ATTESTED.join(', ')}, each once`)),
    ...clientFaults(clientIds, attests),
    ...redirectFaults(redirectUris, attests),
    ...certificateFaults(certificates),
    ...(jwks ? [...faultsOfKeys(jwks), ...keyFaults(jwks)] : []),
    ...(certificates.length > 0 || jwks
      ? []
      : fault('certificates', 'required', 'expected certificates or jwks: without them nothing is trusted')),
  ]
  if (errors.length > 0)
    throw new Refusal('openid_wallet_provider.invalid', 'The wallet provider cannot be registered; see errors.', errors)
}
