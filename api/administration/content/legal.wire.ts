import type { AcceptanceRecord, PolicyLine, PolicyRecord } from '../../../activities/administration/content/legal.ts'
import type { Count, DateTime, Uuid } from '../../frame/wire.ts'
import type { ContentTitle, Markdown, Slug } from './wire.ts'

/**
 * 1 at first; each new version adds 1.
 * @isInt expected a whole number from 1
 * @minimum 1 expected a whole number from 1
 * @maximum 2147483647 expected a whole number from 1
 */
export type PolicyVersion = number

export interface LegalPolicyVersionIn {
  title: ContentTitle
  content: Markdown
}

export interface LegalPolicyIn extends LegalPolicyVersionIn {
  name: ContentTitle
  slug: Slug
}

export interface LegalPolicyLineOut {
  id: Uuid
  slug: string
  name: string
  version: PolicyVersion
  title: string
  /** Of the version. */
  created_at: DateTime
}

export interface LegalPolicyOut extends LegalPolicyLineOut {
  /** Markdown, as it was written. */
  content: string
  /** HTML of an allow-list, made of the content. */
  html: string
}

export interface LegalPolicyPageOut {
  data: LegalPolicyLineOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export interface AcceptanceIn {
  /** The newest version of the policy. */
  version: PolicyVersion
}

export interface AcceptanceOut {
  /** Whose token the request had. */
  account_id: Uuid
  slug: string
  version: PolicyVersion
  /** When this version was accepted first. */
  accepted_at: DateTime
}

export interface AcceptancesOut {
  data: AcceptanceOut[]
}

export interface AcceptorOut extends AcceptanceOut {
  /** Of the account; null: it was erased, and its id leads to nobody. */
  email: string | null
}

export interface AcceptorPageOut {
  data: AcceptorOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export const policyLineToWire = ({ createdAt, ...line }: PolicyLine): LegalPolicyLineOut => ({
  ...line,
  created_at: createdAt,
})

export const policyToWire = ({ createdAt, ...policy }: PolicyRecord): LegalPolicyOut => ({
  ...policy,
  created_at: createdAt,
})

export const acceptanceToWire = ({ accountId, slug, version, acceptedAt }: AcceptanceRecord): AcceptanceOut => ({
  account_id: accountId,
  slug,
  version,
  accepted_at: acceptedAt,
})
