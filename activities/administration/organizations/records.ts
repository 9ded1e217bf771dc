import type { Role } from '../../../protocol/administration/accounts/roles.ts'
import type { OrganizationDetails } from '../../../protocol/administration/organizations/details.ts'
import type { Sealer } from '../../frame/sealing.ts'

export interface OrganizationRecord extends OrganizationDetails {
  id: string
  /** Of the caller; null for an operator who is no member. */
  role: Role | null
  createdAt: Date
  updatedAt: Date
}

export interface OrganizationRow {
  id: string
  name: string
  content: Buffer
  role: Role | null
  /** As PostgreSQL writes it. */
  createdAt: string
  updatedAt: string
}

const placeOf = (id: string) => `organization/${id}`

/** Everything but the name, encrypted: contact data may be a person's. */
export const sealDetails = (sealer: Sealer, id: string, { name: _, ...details }: OrganizationDetails): Buffer =>
  sealer.seal(Buffer.from(JSON.stringify(details)), placeOf(id))

export function openOrganization(sealer: Sealer, { content, ...row }: OrganizationRow): OrganizationRecord {
  const details = JSON.parse(sealer.open(content, placeOf(row.id)).toString()) as Omit<OrganizationDetails, 'name'>
  return { ...details, ...row, createdAt: new Date(row.createdAt), updatedAt: new Date(row.updatedAt) }
}
