import { checkColumns } from '../../protocol/compact-credentials/columns.ts'
import { type CompactTemplate, takenPaths } from '../../protocol/compact-credentials/templates.ts'
import type { Profile } from '../../protocol/compact-credentials/text.ts'
import {
  type BatchOptions,
  completeClaims,
  type PayloadRow,
  type RowInput,
} from '../../protocol/credentials/batches.ts'
import { assertMapped } from '../../protocol/credentials/claim-paths.ts'
import { errorsWithin, overDocument, Refusal } from '../../protocol/errors.ts'
import type { BatchFormat, BatchTerms, SettledOptions } from '../credentials/format.ts'
import type { Dependencies } from '../dependencies.ts'
import type { CompactSigning, CompactSignRequest } from './sign.ts'
import { type CompactTemplates, requestFrom } from './templates.ts'

interface Parts extends Pick<Dependencies, 'selfTest' | 'now'> {
  signing: CompactSigning
  templates: CompactTemplates
}

const refuseOption = (path: string, message: string) =>
  new Refusal('request.invalid', `The query parameter ${path} does not fit compact credentials.`, [
    { path, code: 'query', message },
  ])

const checkRow = ({ suspendable }: RowInput): void => {
  if (!suspendable) return
  const message = 'expected false: compact credentials cannot be suspended'
  throw new Refusal('credential.invalid', 'The row does not fit compact credentials.', [
    { path: 'suspendable', code: 'row.suspendable', message },
  ])
}

/** The row's own fault with the row's field names: rules of a payload name JSON pointers into it. */
async function ofRow<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.errors.length === 0) throw error
    const isOfPayload = error.errors.every(({ path }) => path === '' || path.startsWith('/'))
    if (!isOfPayload) throw error
    throw new Refusal(error.code, error.message, errorsWithin('payload', error.errors), { cause: error.cause })
  }
}

/** Batches of compact credentials: rows are sign requests, or claims for a template of the profile. */
export function createCompactBatches(profile: Profile, parts: Parts): BatchFormat {
  const { selfTest, now, signing, templates } = parts

  /** What the row's payload names as its issuer. */
  const namedIssuer = ({ payload }: PayloadRow): unknown => {
    if (profile === 'compact') return payload.iss
    const { issuer } = payload
    return typeof issuer === 'object' && issuer !== null ? Reflect.get(issuer, 'id') : issuer
  }

  function requestOf(row: PayloadRow, { issuer, revocable, tag }: BatchOptions): CompactSignRequest {
    const named = profile === 'compact' ? { iss: issuer } : { issuer: { ...Object(row.payload.issuer), id: issuer } }
    const isNamed = (namedIssuer(row) ?? null) !== null
    return {
      payload: issuer === undefined || isNamed ? row.payload : { ...row.payload, ...named },
      revocable: row.revocable ?? revocable,
      tag: row.tag ?? tag ?? null,
    }
  }

  /** Undefined where the tenant has none, or several and has chosen none. */
  async function defaultIssuer(tenantId: string): Promise<string | undefined> {
    try {
      return (await signing.signerOf(tenantId, undefined, 'issuer')).did
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }

  const refuseUnnamed = () =>
    new Refusal(
      'credential.invalid',
      'The row names no issuer, and the tenant had no default issuer when it was uploaded.',
      [
        {
          path: profile === 'compact' ? 'payload.iss' : 'payload.issuer',
          code: 'row.issuer',
          message: 'expected a DID of /v1/dids, here or in the option issuer',
        },
      ],
    )

  /** Fixes the template's version and the issuer for the batch: later changes do not affect it (D-126). */
  async function forClaims(tenantId: string, options: BatchOptions, templateId: string): Promise<SettledOptions> {
    const { version, definition } = await templates.readTemplate(tenantId, templateId)
    const { did } = await signing.signerOf(tenantId, options.issuer, 'issuerDid')
    return {
      options: { ...options, issuer: did },
      template: { id: templateId, version },
      checkColumns: (columns) => checkColumns(definition, columns),
      checkRow(row) {
        checkRow(row)
        if ('claims' in row) assertMapped(takenPaths(definition), row.claims)
      },
    }
  }

  return {
    async settle(tenantId, { source, options }) {
      const { proofType, suspendable, contexts, types, templateId, issuer } = options
      if (proofType !== undefined) throw refuseOption('proofType', "expected none: the issuer's key decides")
      if (suspendable) throw refuseOption('suspendable', 'expected false: compact credentials cannot be suspended')
      if (types.length > 0) throw refuseOption('type', 'expected none: the rows or their template have it')
      if (contexts.length > 0) throw refuseOption('context', 'expected none: the rows have it')
      if (templateId !== undefined) return forClaims(tenantId, options, templateId)
      if (source === 'csv') throw refuseOption('templateId', 'expected a template for CSV, or rows as JSON lines')
      if (issuer !== undefined) {
        await signing.signerOf(tenantId, issuer, 'issuer')
        return { options, checkRow }
      }
      // rows that name none have one issuer, whatever becomes the default meanwhile (D-1102)
      const did = await defaultIssuer(tenantId)
      if (did !== undefined) return { options: { ...options, issuer: did }, checkRow }
      const checkIssuer = (row: RowInput) => {
        checkRow(row)
        if ('payload' in row && (namedIssuer(row) ?? null) === null) throw refuseUnnamed()
      }
      return { options, checkRow: checkIssuer }
    },

    issuerOf(input: RowInput, options) {
      const own: unknown = 'payload' in input ? namedIssuer(input) : input.issuer_did
      return typeof own === 'string' ? own : options.issuer
    },

    signRow: (tenantId: string, id: string, input: RowInput, { options, template }: BatchTerms, together: number) =>
      ofRow(async () => {
        const definition = template?.definition as CompactTemplate | undefined
        const request = await overDocument(() =>
          'payload' in input || !definition
            ? requestOf(input as PayloadRow, options)
            : requestFrom(profile, { definition }, completeClaims(input, options), now()),
        )
        return signing.sign(profile, tenantId, id, request, together)
      }),

    prove: selfTest.prove,
  }
}
