import { levelFaults } from '../../../credentials/key-attestations.ts'
import { Refusal } from '../../../errors.ts'
import { MAX_BATCH, MAX_REISSUE_DAYS, type WalletPolicy, type WalletProfile } from './types.ts'

/** What a profile demands of its members (HAIP 1.0, section 4). */
const DEMANDS: Readonly<Record<WalletProfile, Partial<WalletPolicy>>> = {
  haip: {
    requiresPar: true,
    requiresDpop: true,
    requiresClientAuthentication: true,
    requiresWalletAttestation: true,
    requiresKeyAttestation: true,
    signsMetadata: true,
  },
}

const demandsOf = ({ profile }: Pick<WalletPolicy, 'profile'>): Partial<WalletPolicy> =>
  profile ? DEMANDS[profile] : {}

/** The policy that counts: without its profile, a tenant has again what it chose before. */
export const effectivePolicy = (stored: WalletPolicy): WalletPolicy => ({ ...stored, ...demandsOf(stored) })

/** Throws `Refusal('openid_wallet_policy.invalid')` that names every broken rule. `profile`: the one that will count. */
export function checkPolicy(changes: Partial<WalletPolicy>, profile: WalletPolicy['profile']): void {
  const { keyStorage, userAuthentication, batchSize, reissueDays } = changes
  const forbidden = Object.keys(demandsOf({ profile })).filter((name) => changes[name as keyof WalletPolicy] === false)
  const isWithin = (value: number | undefined, least: number, most: number) =>
    value === undefined || (Number.isInteger(value) && value >= least && value <= most)
  const errors = [
    ...levelFaults(keyStorage ?? [], 'keyStorage'),
    ...levelFaults(userAuthentication ?? [], 'userAuthentication'),
    ...forbidden.map((path) => ({
      path,
      code: 'profile',
      message: `expected true: the profile ${profile} demands it`,
    })),
    ...(isWithin(batchSize, 1, MAX_BATCH)
      ? []
      : [{ path: 'batchSize', code: 'number', message: `expected 1 to ${MAX_BATCH}` }]),
    ...(isWithin(reissueDays, 0, MAX_REISSUE_DAYS)
      ? []
      : [{ path: 'reissueDays', code: 'number', message: `expected 0 to ${MAX_REISSUE_DAYS}` }]),
  ]
  if (errors.length > 0)
    throw new Refusal('openid_wallet_policy.invalid', 'The policy cannot be set; see errors.', errors)
}
