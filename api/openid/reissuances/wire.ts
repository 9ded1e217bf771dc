import type { ReissuanceFilter, ReissuanceRecord } from '../../../activities/openid/reissuances/lifecycle.ts'
import { type PageQuery, toPage } from '../../frame/pagination.ts'
import type { Count, DateTime, Uuid } from '../../frame/wire.ts'

export interface ReissuanceQuery extends PageQuery {
  /** Returns only the one by which a wallet gets this credential anew. */
  credentialId?: Uuid
  /** Returns only those with claims of this user. */
  userId?: Uuid
}

export interface ReissuanceOut {
  id: Uuid
  /** That gave the refresh token. */
  sessionId: Uuid
  /** Whose claims the credentials are made of, where the holder has logged in. */
  userId: Uuid | null
  /** What the wallet calls itself. */
  walletClientId: string | null
  /** What the wallet proves: the key that its provider attests, its registered keys, or the key of its DPoP proofs. */
  boundTo: 'instance' | 'registration' | 'dpop'
  templateIds: Uuid[]
  /** The newest ones of each template. */
  credentialIds: Uuid[]
  /** How often the refresh token was used. */
  uses: Count
  usedAt: DateTime | null
  createdAt: DateTime
  endsAt: DateTime
}

export interface ReissuancePageOut {
  data: ReissuanceOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export const toReissuanceFilter = ({ credentialId, userId, limit, page }: ReissuanceQuery): ReissuanceFilter => ({
  credentialId: credentialId?.toLowerCase(),
  userId: userId?.toLowerCase(),
  ...toPage(limit, page),
})

export const reissuanceToWire = (record: ReissuanceRecord): ReissuanceOut => record

export const REISSUANCE: ReissuanceOut = {
  id: '4c3b2a19-0f8e-4d7c-9b6a-5f4e3d2c1b0a',
  sessionId: '8c7b6a59-4f3e-4d2c-9b1a-0f9e8d7c6b5a',
  userId: null,
  walletClientId: 'https://wallet.example',
  boundTo: 'instance',
  templateIds: ['3f2a1b0c-9d8e-4f7a-8b6c-5d4e3f2a1b0c'],
  credentialIds: ['5e6f7a8b-9c0d-8e1f-a2b3-c4d5e6f7a8b9'],
  uses: 1,
  usedAt: '2027-02-01T08:00:00.000Z',
  createdAt: '2027-01-04T09:00:04.000Z',
  endsAt: '2027-04-04T09:00:04.000Z',
}
