import type { Json } from '../../json.ts'
import { ownMember } from '../../names.ts'
import type { DcqlFormat, DcqlQuery } from '../dcql/query.ts'
import { ENCRYPTIONS } from '../presentations/encryption.ts'
import { unsupported, type WalletAbilities } from './abilities.ts'
import { VP_FORMATS, type WalletRequest } from './requests.ts'

const KEY_AGREEMENT = 'ECDH-ES'

/** Whether wallet and platform have an algorithm in common, for each parameter of the format that both name. */
function sharesFormat(format: DcqlFormat, formats: ReadonlyMap<string, Json>): boolean {
  const theirs = formats.get(format)
  if (!theirs) return false
  return Object.entries<readonly unknown[]>(VP_FORMATS[format]).every(([name, ours]) => {
    const values = ownMember(theirs, name)
    return !Array.isArray(values) || values.some((each) => ours.includes(each))
  })
}

/** Formats without which nobody can answer the query (section 6.4.2); undefined: it can be answered. */
function missingFormats({ credentials, credential_sets: sets }: DcqlQuery, formats: ReadonlyMap<string, Json>) {
  const lacking = credentials.filter(({ format }) => !sharesFormat(format, formats))
  const ids = new Set(lacking.map(({ id }) => id))
  const isOpen = (options: readonly string[][]) => options.some((option) => option.every((id) => !ids.has(id)))
  const isAnswered = sets
    ? sets.every(({ options, required = true }) => !required || isOpen(options))
    : lacking.length === 0
  return isAnswered ? undefined : [...new Set(lacking.map(({ format }) => format))]
}

const expectedIn = (name: string, list: readonly string[] | undefined, one: string, what: string): void => {
  if (list && !list.includes(one)) throw unsupported(`wallet_metadata.${name}`, `${what} ${one}`)
}

/**
 * The request as a wallet of these abilities takes it: with its nonce, and with the encryptions that both sides have.
 * What the wallet does not name is no limit. `alg`: what the request is signed with. Throws `wallet_request.unsupported`.
 */
export function fitted(request: WalletRequest, alg: string, wallet: WalletAbilities): WalletRequest {
  const { nonce: walletNonce, formats, keyAgreements, contentEncryptions } = wallet
  const [prefix = ''] = request.clientId.split(':')
  expectedIn(
    'request_object_signing_alg_values_supported',
    wallet.signingAlgorithms,
    alg,
    'the verifier signs its requests with',
  )
  expectedIn('client_id_prefixes_supported', wallet.clientIdPrefixes, prefix, 'the verifier is known by')
  const missing = formats && missingFormats(request.query, formats)
  if (missing)
    throw unsupported(
      'wallet_metadata.vp_formats_supported',
      `the verifier asks for ${missing.join(', ')} with algorithms of its own vp_formats_supported`,
    )
  if (!request.encryption) return { ...request, ...(walletNonce !== undefined && { walletNonce }) }
  const name = 'authorization_encryption_alg_values_supported'
  expectedIn(name, keyAgreements, KEY_AGREEMENT, 'the answer has to be encrypted by')
  const encryptions = contentEncryptions ? ENCRYPTIONS.filter((each) => contentEncryptions.includes(each)) : ENCRYPTIONS
  if (encryptions.length === 0)
    throw unsupported(
      'wallet_metadata.authorization_encryption_enc_values_supported',
      `the answer has to be encrypted by ${ENCRYPTIONS.join(' or ')}`,
    )
  return { ...request, encryptions, ...(walletNonce !== undefined && { walletNonce }) }
}
