import type { EnvironmentRecord } from '../../../activities/administration/environments.ts'
import type { DeletionRecord } from '../../../activities/administration/tenants/deletion.ts'
import type { CreatedTenant, NewTenant } from '../../../activities/administration/tenants/lifecycle.ts'
import type { TenantRecord } from '../../../activities/administration/tenants/records.ts'
import type { Count, DateTime, Uri, Uuid } from '../../frame/wire.ts'
import type { CommonName, Country, StateOrProvince } from '../../mobile-credentials/wire.ts'

/** One line of 1 to 255 characters, for people. */
export type EnvironmentText = string

/** public or private. */
export type DeploymentModel = 'public' | 'private'

export interface RegionIn {
  displayName: EnvironmentText
  id: EnvironmentText
  name: EnvironmentText
}

export interface EnvironmentIn {
  deploymentModel: DeploymentModel
  name: EnvironmentText
  region: RegionIn
}

export interface RegionOut {
  displayName: string
  id: string
  name: string
}

export interface EnvironmentOut {
  authorizationServerDomain: string
  deploymentModel: string
  domain: string
  id: Uuid
  name: string
  region: RegionOut
}

export interface EnvironmentPageOut {
  data: EnvironmentOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

/** One line of 1 to 255 characters, for people. */
export type TenantName = string

/** A label of DNS. */
export type Subdomain = string

/** Type of the key of the tenant's first DID. */
export type FirstKeyType = 'ed25519' | 'p256' | 'bls12381g2'

/** A did:key, as the tenant's default issuer. */
export interface FirstDidIn {
  keyType: FirstKeyType
}

/** An IACA with a key of its own, valid for 9 years. */
export interface FirstIacaIn {
  country: Country
  /** Default: the tenant's host and "IACA". */
  commonName?: CommonName
  stateOrProvinceName?: StateOrProvince
}

export interface TenantIn {
  /** The platform makes a first DID for the tenant. */
  did?: FirstDidIn | null
  environmentId: Uuid
  /** The platform makes an IACA for the tenant, for mobile credentials. */
  iaca?: FirstIacaIn | null
  /** The organization whose people may work in the tenant, each in their role. */
  organizationId?: Uuid | null
  /** Default: the subdomain. */
  name?: TenantName | null
  subdomain: Subdomain
}

export interface TenantUpdateIn {
  /** When absent or null, it stays. */
  name?: TenantName | null
  /** null: no organization has it any more. When absent, it stays. */
  organizationId?: Uuid | null
}

/** Why a tenant is not ready. */
export interface TenantReasonOut {
  code: string
  message: string
}

export interface TenantOut {
  id: Uuid
  environment: EnvironmentOut
  /** The organization whose people may work in the tenant. */
  organizationId: Uuid | null
  name: string
  /** The host of the tenant's public addresses. */
  subdomain: string
  /** The base of the tenant's public addresses. */
  baseUrl: Uri
  /** true: the tenant of the first start, which operators' clients belong to. It cannot be deleted. */
  isFirst: boolean
  /** Whether what was asked for with the tenant is made. Its first client works in each state. */
  status: 'provisioning' | 'ready' | 'failed'
  /** Why it is not ready yet, or failed. */
  reason: TenantReasonOut | null
  /** When the platform tried last. */
  lookedAt: DateTime | null
  /** When it tries again. */
  nextLookAt: DateTime | null
  createdAt: DateTime
}

/** The secret is shown only here. */
export interface FirstClientOut {
  clientId: Uuid
  clientSecret: string
}

export interface CreatedTenantOut extends TenantOut {
  /** The tenant's first client, which may do everything in it. */
  client: FirstClientOut
}

export interface TenantPageOut {
  inboxes: TenantOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

/** What stays of a deleted tenant. */
export interface TenantDeletionOut {
  id: Uuid
  name: string
  subdomain: string
  /** refused: its requests are refused, and its workflows are being ended; keys, rows: they are being destroyed and deleted; erased: nothing else is left. */
  step: 'refused' | 'keys' | 'rows' | 'erased'
  requestedAt: DateTime
  erasedAt: DateTime | null
  workflowsEnded: Count
  keysDestroyed: Count
  rowsDeleted: Count
  /** Why the step is not done yet. */
  reason: string | null
  lookedAt: DateTime | null
  nextLookAt: DateTime | null
  /** From when on another tenant may have the subdomain. */
  subdomainFreeAt: DateTime
}

export const toNewTenant = ({ environmentId, organizationId, name, subdomain, did, iaca }: TenantIn): NewTenant => ({
  environmentId: environmentId.toLowerCase(),
  organizationId: organizationId?.toLowerCase() ?? null,
  name: name ?? null,
  subdomain,
  wanted: { ...(did && { did: { keyType: did.keyType } }), ...(iaca && { iaca: { ...iaca } }) },
})

/** What is absent does not change. */
export const toTenantChange = ({ name, organizationId }: TenantUpdateIn) => ({
  ...(name != null && { name }),
  ...(organizationId !== undefined && { organizationId: organizationId?.toLowerCase() ?? null }),
})

export const deletionToWire = (record: DeletionRecord): TenantDeletionOut => ({ ...record })

export const environmentToWire = (record: EnvironmentRecord): EnvironmentOut => ({ ...record })

export const tenantToWire = (record: TenantRecord): TenantOut => ({
  id: record.id,
  environment: environmentToWire(record.environment),
  organizationId: record.organizationId,
  name: record.name,
  subdomain: record.subdomain,
  baseUrl: record.baseUrl,
  isFirst: record.isFirst,
  status: record.status,
  reason: record.reason,
  lookedAt: record.lookedAt,
  nextLookAt: record.nextLookAt,
  createdAt: record.createdAt,
})

export const createdTenantToWire = ({ client, ...record }: CreatedTenant): CreatedTenantOut => ({
  ...tenantToWire(record),
  client: { clientId: client.clientId, clientSecret: client.clientSecret },
})

export const ENVIRONMENT: EnvironmentOut = {
  authorizationServerDomain: 'id.example.edu',
  deploymentModel: 'private',
  domain: 'id.example.edu',
  id: '0b9c8d7e-6f5a-4b3c-9d2e-1f0a9b8c7d6e',
  name: 'Default',
  region: { displayName: 'Local', id: 'local', name: 'local' },
}

export const TENANT: TenantOut = {
  id: '4e5f6a7b-8c9d-4e0f-a1b2-c3d4e5f6a7b8',
  environment: ENVIRONMENT,
  organizationId: null,
  name: 'Example College',
  subdomain: 'college.id.example.edu',
  baseUrl: 'https://college.id.example.edu',
  isFirst: false,
  status: 'ready',
  reason: null,
  lookedAt: null,
  nextLookAt: null,
  createdAt: '2026-09-01T08:00:00.000Z',
}

export const CREATED_TENANT: CreatedTenantOut = {
  id: '4e5f6a7b-8c9d-4e0f-a1b2-c3d4e5f6a7b8',
  environment: ENVIRONMENT,
  organizationId: null,
  name: 'Example College',
  subdomain: 'college.id.example.edu',
  baseUrl: 'https://college.id.example.edu',
  isFirst: false,
  status: 'ready',
  reason: null,
  lookedAt: null,
  nextLookAt: null,
  createdAt: '2026-09-01T08:00:00.000Z',
  client: {
    clientId: '8c1d2e3f-4a5b-4c6d-9e7f-0a1b2c3d4e5f',
    clientSecret: '3vqN1bq0Yk8y9XcV2mRrT7uZ5wLkJhGfDsA4pO6iEtU',
  },
}

export const TENANT_DELETION: TenantDeletionOut = {
  id: '4e5f6a7b-8c9d-4e0f-a1b2-c3d4e5f6a7b8',
  name: 'Example College',
  subdomain: 'college',
  step: 'rows',
  requestedAt: '2026-09-01T08:00:00.000Z',
  erasedAt: null,
  workflowsEnded: 2,
  keysDestroyed: 7,
  rowsDeleted: 12000,
  reason: null,
  lookedAt: '2026-09-01T08:00:20.000Z',
  nextLookAt: null,
  subdomainFreeAt: '2027-09-01T08:00:00.000Z',
}
