import type { Json } from '../data-integrity/index.ts'
import { isObject } from '../json.ts'
import type { DataModel } from './checks.ts'

/** Members that the specification lets a caller give as null, which is the same as leaving them out. */
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
  const given = omit(payload, NULLABLE)
  if (isObject(given.issuer)) given.issuer = omit(given.issuer, NULLABLE_OF_ISSUER)
  if (isObject(given.credentialBranding))
    given.credentialBranding = omit(given.credentialBranding, ['backgroundColor', 'watermarkImageUrl'])
  return given
}

const has = (value: unknown, members: string[]): boolean =>
  isObject(value) && members.some((member) => value[member] !== undefined)

/** Whether a credential holds terms that its data model lacks and our context defines. */
export function usesExtensions(credential: Json, dataModel: DataModel): boolean {
  const names = dataModel === '1.1' ? ['name', 'description'] : []
  return has(credential, ['credentialBranding', ...names]) || has(credential.issuer, ['iconUrl', 'logoUrl', ...names])
}
