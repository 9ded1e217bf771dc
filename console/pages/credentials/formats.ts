import type { Schemas } from '../../../client/index.ts'
import { api } from '../../frame/session.ts'

export type Format = Schemas['CredentialSummaryOut']['format']

/** One check, or one reason, of a verification. */
export interface Finding {
  type: string
  message: string
}

export interface Verdict {
  verified: boolean
  reasons: Finding[]
  warnings: string[]
  /** Checks that were not made. */
  notMade: number
}

interface Actions {
  scope: string
  /** The credential with its document. */
  read(id: string): Promise<unknown>
  verify(document: unknown): Promise<Verdict>
  revoke(id: string, isRevoked: boolean): Promise<unknown>
}

interface CompactVerdict {
  verified: boolean
  error?: { type: string; message: string; details?: readonly { path: string; message: string }[] }
}

const fromCompact = ({ verified, error }: CompactVerdict): Verdict => ({
  verified,
  reasons: error ? [error, ...(error.details ?? []).map(({ path, message }) => ({ type: path, message }))] : [],
  warnings: [],
  notMade: 0,
})

/** Of a format that names no checks: the warnings say which were not made. */
const notMadeIn = (warnings: readonly string[]): number =>
  warnings.filter((warning) => /NotChecked$|^Unchecked/.test(warning)).length

/** A member of a document that the platform answered. */
export const memberOf = (document: unknown, name: string): unknown =>
  typeof document === 'object' && document !== null ? Reflect.get(document, name) : undefined

/** The text of a credential whose format is bytes. */
export const encodedOf = (document: unknown): string => String(memberOf(document, 'encoded') ?? '')

/** What the operations of the formats share, each by its own paths. */
export const FORMATS: Record<Format, Actions> = {
  'web-semantic': {
    scope: 'semantic-credentials',
    read: (id) => api.get('/v1/credentials/web-semantic/{id}', { params: { path: { id } } }),
    async verify(document) {
      const payload = memberOf(document, 'credential') as Schemas['VerifyIn']['payload']
      const { verified, reason, warnings } = await api.post('/v1/credentials/web-semantic/verify', {
        body: { payload },
      })
      const notMade = notMadeIn(warnings.map(({ type }) => type))
      return { verified, reasons: reason, warnings: warnings.map(({ message }) => message), notMade }
    },
    revoke: (id, isRevoked) =>
      api.post('/v1/credentials/web-semantic/{id}/revocation-status', {
        params: { path: { id } },
        body: { is_revoked: isRevoked },
      }),
  },
  compact: {
    scope: 'compact-credentials',
    read: (id) => api.get('/v1/credentials/compact/{id}', { params: { path: { id } } }),
    verify: async (document) =>
      fromCompact(await api.post('/v1/credentials/compact/verify', { body: { payload: encodedOf(document) } })),
    revoke: (id, isRevoked) =>
      api.post('/v1/credentials/compact/{id}/revocation-status', {
        params: { path: { id } },
        body: { is_revoked: isRevoked },
      }),
  },
  'compact-semantic': {
    scope: 'compact-credentials',
    read: (id) => api.get('/v1/credentials/compact-semantic/{id}', { params: { path: { id } } }),
    verify: async (document) =>
      fromCompact(
        await api.post('/v1/credentials/compact-semantic/verify', { body: { payload: encodedOf(document) } }),
      ),
    revoke: (id, isRevoked) =>
      api.post('/v1/credentials/compact-semantic/{id}/revocation-status', {
        params: { path: { id } },
        body: { is_revoked: isRevoked },
      }),
  },
  mobile: {
    scope: 'mobile-credentials',
    read: (id) => api.get('/v1/credentials/mobile/{id}', { params: { path: { id } } }),
    async verify(document) {
      const { verified, reason, documents } = await api.post('/v1/credentials/mobile/verify', {
        body: { payload: encodedOf(document) },
      })
      const warnings = documents.flatMap((each) => each.warnings)
      return {
        verified,
        reasons: [...reason, ...documents.flatMap((each) => each.reason)],
        warnings,
        notMade: notMadeIn(warnings),
      }
    },
    revoke: (id, isRevoked) =>
      api.post('/v1/credentials/mobile/{id}/revocation-status', { params: { path: { id } }, body: { isRevoked } }),
  },
  'sd-jwt-vc': {
    scope: 'sd-jwt-credentials',
    read: (id) => api.get('/v1/credentials/sd-jwt-vc/{id}', { params: { path: { id } } }),
    async verify(document) {
      const { verified, reason, warnings, checks } = await api.post('/v1/credentials/sd-jwt-vc/verify', {
        body: { payload: encodedOf(document) },
      })
      const notMade = checks.filter(({ result }) => result === 'skipped').length
      return { verified, reasons: reason, warnings, notMade }
    },
    revoke: (id, isRevoked) =>
      api.post('/v1/credentials/sd-jwt-vc/{id}/revocation-status', {
        params: { path: { id } },
        body: { is_revoked: isRevoked },
      }),
  },
}

/** One of them is enough to read some credentials. */
export const READ_SCOPES = [...new Set(Object.values(FORMATS).map(({ scope }) => `${scope}:read`))]

/** Only web semantic credentials can be suspended. */
export const suspend = (id: string, isSuspended: boolean): Promise<unknown> =>
  api.post('/v1/credentials/web-semantic/{id}/suspension-status', {
    params: { path: { id } },
    body: { is_suspended: isSuspended },
  })

/** The body of a change of the revocation status, as the format has it. */
export const revocationBody = (format: Format, isRevoked: boolean) =>
  format === 'mobile' ? { isRevoked } : { is_revoked: isRevoked }
