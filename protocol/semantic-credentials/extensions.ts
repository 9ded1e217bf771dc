import type { Json } from '../data-integrity/index.ts'
import { isObject } from '../json.ts'
import type { DataModel } from './checks.ts'

/** Members that a caller may send as null, which means absent (specification). */
const NULLABLE = [
  'name',
  'description',
  'credentialBranding',
  'issuanceDate',
  'expirationDate',
  'validFrom',
  'validUntil',
]
const NULLABLE_OF_ISSUER = ['name', 'iconUrl', 'logoUrl']

const omit = (value: Json, members: string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([name, member]) => member !== null || !members.includes(name)))

export function withoutNulls(payload: Json): Json {
  const members = omit(payload, NULLABLE)
  if (isObject(members.issuer)) members.issuer = omit(members.issuer, NULLABLE_OF_ISSUER)
  if (isObject(members.credentialBranding))
    members.credentialBranding = omit(members.credentialBranding, ['backgroundColor', 'watermarkImageUrl'])
  return members
}

const has = (value: unknown, members: string[]): boolean =>
  isObject(value) && members.some((member) => value[member] !== undefined)

/** Whether a credential has terms that our context defines and its data model does not. */
export function usesExtensions(credential: Json, dataModel: DataModel): boolean {
  const names = dataModel === '1.1' ? ['name', 'description'] : []
  return has(credential, ['credentialBranding', ...names]) || has(credential.issuer, ['iconUrl', 'logoUrl', ...names])
}
