import type { UserRecord } from '../../../activities/openid/users/users.ts'
import type { Json } from '../../../protocol/json.ts'
import { tagged } from '../../../protocol/openid/claims.ts'
import type { PageLimit, PageNumber, PageQuery } from '../../frame/pagination.ts'
import type { Count, JsonObject, Uuid } from '../../frame/wire.ts'

/** The subject (`sub`) that the provider gave the holder. */
export type SubjectId = string

/**
 * Claims that a user must have, all of them: texts as they are or as `{"Text": text}`, numbers, booleans, null, and objects
 * of them. A claim in a list is not found.
 */
export type ClaimCriteria = JsonObject

export interface UserProviderIn {
  providerId?: Uuid | null
  subjectId?: SubjectId | null
}

export interface UserSearchIn {
  /** Without members: users of every provider. */
  authenticationProvider: UserProviderIn
  claims: ClaimCriteria
  /**
   * Rows on a page: 0 to 1000. Default: 20.
   */
  limit?: PageLimit | null
  /**
   * Starts at 1.
   */
  page?: PageNumber | null
}

export interface UserQuery extends PageQuery {
  /** Returns only users of this authentication provider. */
  providerId?: Uuid
}

export interface UserDeletionQuery {
  /** What becomes of the credentials that the user was issued. Default: keep. */
  credentials?: 'keep' | 'suspend' | 'revoke'
}

export interface UserProviderOut {
  providerId: Uuid
  /** The issuer. */
  url: string
  subjectId: string
}

export interface UserOut {
  id: Uuid
  /** Those that the provider persists, as at the last authentication; a text is `{"Text": text}`. */
  claims: JsonObject
  authenticationProvider: UserProviderOut
}

export interface UserPageOut {
  data: UserOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export const userToWire = ({ id, claims, authenticationProvider }: UserRecord): UserOut => ({
  id,
  claims: tagged(claims) as Json,
  authenticationProvider,
})

export const USER: UserOut = {
  id: '6a1e9d0b-2f3c-4d5e-8a7b-0c1d2e3f4a5b',
  claims: { email: { Text: 'ada@university.example' }, given_name: { Text: 'Ada' } },
  authenticationProvider: {
    providerId: 'c7a1f2e4-3b5d-4c6e-8f70-91a2b3c4d5e6',
    url: 'https://login.university.example',
    subjectId: '248289761001',
  },
}
