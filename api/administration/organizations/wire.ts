import type { InvitationRecord } from '../../../activities/administration/organizations/invitations.ts'
import type { MemberRecord } from '../../../activities/administration/organizations/members.ts'
import type { OrganizationRecord } from '../../../activities/administration/organizations/records.ts'
import type { OrganizationDetails, OrganizationInput } from '../../../protocol/administration/organizations/details.ts'
import type { Count, DateTime, Uuid } from '../../frame/wire.ts'

/** One line of 1 to 255 characters. */
export type OrganizationText = string

/** One line of 1 to 64 characters. */
export type OrganizationCode = string

/** A code of ISO 3166-1 alpha-2, or the name in English; answers have the code. */
export type OrganizationCountry = string

/** 5 to 15 digits, with a plus in front or none. */
export type Phone = string

/** An e-mail address. */
export type OrganizationEmail = string

/** 9 digits. */
export type DunsNumber = string

/** An http or https URL. */
export type Website = string

export interface OrganizationIn {
  name: OrganizationText
  /** Number in a register, such as a commercial one. */
  registration_number: OrganizationCode
  address: OrganizationText
  city: OrganizationText
  state: OrganizationText
  zip_code: OrganizationCode
  country: OrganizationCountry
  email: OrganizationEmail
  phone: Phone
  duns_number?: DunsNumber | null
  website?: Website | null
}

export interface OrganizationOut {
  id: Uuid
  name: string
  registration_number: string
  address: string
  city: string
  state: string
  zip_code: string
  /** ISO 3166-1 alpha-2. */
  country: string
  email: string
  phone: string
  duns_number: string | null
  website: string | null
  /** Of the caller: admin, issuer, verifier or auditor; null for an operator who is no member. */
  role: string | null
  created_at: DateTime
  updated_at: DateTime
}

export interface OrganizationPageOut {
  data: OrganizationOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

/** admin, issuer, verifier or auditor. */
export type RoleName = string

export interface InvitationIn {
  email: OrganizationEmail
  role: RoleName
}

export interface InvitationOut {
  id: Uuid
  email: string
  role: string
  expires_at: DateTime
}

export interface InvitationPageOut {
  data: InvitationOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export interface MemberIn {
  role: RoleName
}

export interface MemberRoleOut {
  account_id: Uuid
  role: string
}

export interface MemberOut extends MemberRoleOut {
  email: string
  first_name: string
  middle_name: string | null
  last_name: string
  /** When the person became a member. */
  created_at: DateTime
}

export interface MemberPageOut {
  data: MemberOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

/** The members' names on the wire, for errors. */
export const ORGANIZATION_NAMES: Readonly<Record<keyof OrganizationDetails, keyof OrganizationIn>> = {
  name: 'name',
  registrationNumber: 'registration_number',
  address: 'address',
  city: 'city',
  state: 'state',
  zipCode: 'zip_code',
  country: 'country',
  email: 'email',
  phone: 'phone',
  dunsNumber: 'duns_number',
  website: 'website',
}

export const organizationIn = (body: OrganizationIn): OrganizationInput => ({
  name: body.name,
  registrationNumber: body.registration_number,
  address: body.address,
  city: body.city,
  state: body.state,
  zipCode: body.zip_code,
  country: body.country,
  email: body.email,
  phone: body.phone,
  dunsNumber: body.duns_number,
  website: body.website,
})

export const organizationToWire = (record: OrganizationRecord): OrganizationOut => ({
  id: record.id,
  name: record.name,
  registration_number: record.registrationNumber,
  address: record.address,
  city: record.city,
  state: record.state,
  zip_code: record.zipCode,
  country: record.country,
  email: record.email,
  phone: record.phone,
  duns_number: record.dunsNumber,
  website: record.website,
  role: record.role,
  created_at: record.createdAt.toISOString(),
  updated_at: record.updatedAt.toISOString(),
})

export const memberToWire = (member: MemberRecord): MemberOut => ({
  account_id: member.accountId,
  role: member.role,
  email: member.email,
  first_name: member.firstName,
  middle_name: member.middleName,
  last_name: member.lastName,
  created_at: member.createdAt.toISOString(),
})

export const invitationToWire = ({ id, email, role, expiresAt }: InvitationRecord): InvitationOut => ({
  id,
  email,
  role,
  expires_at: expiresAt.toISOString(),
})

export const INVITATION: InvitationOut = {
  id: '7b1c5f6e-52a1-4d0e-9c2b-0c6f2a4f9d11',
  email: 'grace@university.example',
  role: 'issuer',
  expires_at: '2027-01-22T12:00:00.000Z',
}

export const MEMBER_ROLE: MemberRoleOut = { account_id: '1f6f2c5e-7f0d-4b8a-9a52-5a4d2b1c0e9f', role: 'verifier' }

export const MEMBER: MemberOut = {
  account_id: '1f6f2c5e-7f0d-4b8a-9a52-5a4d2b1c0e9f',
  role: 'admin',
  email: 'ada@university.example',
  first_name: 'Ada',
  middle_name: null,
  last_name: 'Lovelace',
  created_at: '2027-01-15T12:00:00.000Z',
}

export const ORGANIZATION_BODY: OrganizationIn = {
  name: 'Example University',
  registration_number: 'HRB 123456',
  address: 'Unter den Linden 6',
  city: 'Berlin',
  state: 'Berlin',
  zip_code: '10117',
  country: 'DE',
  email: 'office@university.example',
  phone: '+49 30 901820',
  duns_number: '123456789',
  website: 'https://university.example/',
}

export const ORGANIZATION: OrganizationOut = {
  id: '3c0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f',
  name: 'Example University',
  registration_number: 'HRB 123456',
  address: 'Unter den Linden 6',
  city: 'Berlin',
  state: 'Berlin',
  zip_code: '10117',
  country: 'DE',
  email: 'office@university.example',
  phone: '+49 30 901820',
  duns_number: '123456789',
  website: 'https://university.example/',
  role: 'admin',
  created_at: '2027-01-15T12:00:00.000Z',
  updated_at: '2027-01-15T12:00:00.000Z',
}
