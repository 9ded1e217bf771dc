import { chained, endLine, headerLine, rowLine } from '../../../protocol/administration/transfers/file.ts'
import type { TRANSFER_OPERATIONS } from '../../../protocol/administration/transfers/operations.ts'
import type { AreaDocument } from '../../frame/openapi/document.ts'
import { ref } from '../../frame/openapi/json.ts'

/** The smallest file: a tenant that has only its settings. */
function smallestFile(): string {
  const settings = {
    ...{ fetchUnknownContexts: true, vcApi: false, requireChallenge: false, requireDomain: false },
    logRetentionDays: null,
  }
  const lines = [
    headerLine({
      ...{ format: 'countersign-tenant', formatVersion: 1, platformVersion: '0.1.0' },
      exportedAt: '2026-09-01T08:00:00.000Z',
      environment: { id: '0b9c8d7e-6f5a-4b3c-9d2e-1f0a9b8c7d6e', name: 'Default' },
      tenant: {
        id: '4e5f6a7b-8c9d-4e0f-a1b2-c3d4e5f6a7b8',
        name: 'Example College',
        subdomain: 'college',
        baseUrl: 'https://college.id.example.org',
      },
      counts: { settings: 1 },
    }),
    rowLine('settings', settings),
  ]
  const digest = lines.reduce<Buffer | null>(chained, null)
  lines.push(endLine({ counts: { settings: 1 }, lines: lines.length, digest: digest?.toString('hex') ?? '' }))
  return lines.map((line) => `${line}\n`).join('')
}

/** Facts of the operations of exports and imports of tenants. */
export const TRANSFER_DOCUMENT: AreaDocument<keyof typeof TRANSFER_OPERATIONS> = {
  examples: {},
  uploads: {
    createTenantImport: {
      description: 'The file of an export, as it was downloaded, or its JSON lines.',
      examples: { 'application/x-ndjson': smallestFile(), 'application/gzip': '(the file of an export)' },
    },
  },
  downloads: { downloadTenantExport: { 'application/gzip': '(JSON lines in gzip)' } },
  parameters: {
    createTenantImport: { subdomain: ref('Subdomain'), name: ref('TenantName') },
  },
  notFound: {
    '/v1/tenants/{id}/exports/{exportId}': 'tenant_export.not_found',
    '/v1/tenants/imports/{importId}': 'tenant_import.not_found',
  },
  located: ['createTenantExport', 'createTenantImport'],
  refusals: {
    createTenantExport: { 409: 'tenant_export.under_way' },
    downloadTenantExport: { 409: 'tenant_export.not_done' },
    createTenantImport: {
      400: 'tenant_import.file_invalid',
      404: 'environment.not_found',
      409: 'tenant.subdomain_taken',
      413: 'tenant_import.file_too_large',
    },
  },
  problems: [
    {
      400: {
        'tenant_import.file_invalid': {
          meaning: 'The body is not a whole and unchanged file of an export; errors names the line and the rule.',
          remedy: 'Download the file of the export again, and send it as it is.',
        },
        'tenant_import.version_unknown': {
          meaning: 'The file has another version of the format than this platform reads.',
          remedy: 'Export the tenant with a platform of the same format, or update this platform.',
        },
        'tenant_import.row_invalid': {
          meaning:
            'A row of the file breaks a rule of the operation that would create it; errors names line and member.',
          remedy: 'Correct the row where the tenant comes from, export it again, and import the new file.',
        },
        'tenant_import.row_refused': {
          meaning:
            'A row of the file names a row that is not in it, or stands in it twice, or its trust lists have more entries than a tenant may have; errors names the line.',
          remedy: 'Export the tenant again, and import the new file.',
        },
        'tenant_import.abandoned': {
          meaning: 'The import did not end within 30 days, and was undone.',
          remedy: 'Look for its workflow in Temporal, and import the file again.',
        },
      },
      404: {
        'tenant_export.not_found': {
          meaning: 'The tenant has no such export, or its 7 days are over.',
          remedy: 'Create another one with createTenantExport.',
        },
        'tenant_import.not_found': {
          meaning: 'There is no such import, or its 30 days are over.',
          remedy: 'Take the id from the response of createTenantImport.',
        },
      },
      409: {
        'tenant_export.not_done': {
          meaning: 'The file of the export is not whole yet, or cannot be made.',
          remedy: 'Read getTenantExport until its state is DONE.',
        },
        'tenant_export.under_way': {
          meaning: 'An export of this tenant is being written already.',
          remedy: 'Wait until it is DONE: see its Location.',
        },
      },
      413: {
        'tenant_import.file_too_large': {
          meaning: 'The file has too many bytes or lines, or a line that is too long.',
          remedy: 'Send the file of an export as it is. A tenant beyond these limits needs the backup of its platform.',
        },
      },
    },
  ],
}
