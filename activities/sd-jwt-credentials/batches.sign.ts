import { checkColumnsOf } from '../../protocol/compact-credentials/columns.ts'
import {
  type BatchOptions,
  type ClaimsRow,
  completeClaims,
  type PayloadRow,
  type RowInput,
} from '../../protocol/credentials/batches.ts'
import { assertMapped, claimPath } from '../../protocol/credentials/claim-paths.ts'
import type { PublicJwk } from '../../protocol/dids/jwk.ts'
import { overDocument, Refusal } from '../../protocol/errors.ts'
import { pathName, type SdJwtTemplate, takenPaths } from '../../protocol/sd-jwt-credentials/templates.ts'
import { isUuid } from '../../protocol/uuid.ts'
import { didIssuers } from '../credentials/batches/issuers.ts'
import type { BatchFormat, BatchTerms, SettledOptions } from '../credentials/format.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Signers } from '../dids/signers.ts'
import type { SdJwtIssuers } from './issuers.ts'
import type { SdJwtSigning } from './sign.ts'
import { termsFrom } from './templates.sign.ts'
import type { SdJwtTemplates } from './templates.ts'
import { ofRequest, requestTerms, type SdJwtTerms } from './terms.ts'

interface Parts extends Pick<Dependencies, 'selfTest' | 'now'> {
  signers: Signers
  sdJwtSigning: SdJwtSigning
  sdJwtIssuers: SdJwtIssuers
  sdJwtTemplates: SdJwtTemplates
}

const refuseOption = (path: string, message: string) =>
  new Refusal('request.invalid', `The query parameter ${path} does not fit SD-JWT VC credentials.`, [
    { path, code: 'query', message },
  ])

const checkRow = ({ suspendable }: RowInput): void => {
  if (!suspendable) return
  throw new Refusal('credential.invalid', 'The row does not fit SD-JWT VC credentials.', [
    { path: 'suspendable', code: 'row.suspendable', message: 'expected false: these credentials cannot be suspended' },
  ])
}

/** The issuer of a batch by its one name: a DID, or the id of a document signer. */
const namedIssuer = (issuer: string | undefined): Pick<SdJwtTerms, 'issuerDid' | 'documentSignerId'> =>
  issuer === undefined ? {} : isUuid(issuer) ? { documentSignerId: issuer } : { issuerDid: issuer }

/** Claims of a template by the paths that they are taken from. */
const takenBy = ({ claims }: SdJwtTemplate) =>
  new Map(
    claims.flatMap(({ path, map_from, default_value, required }) => {
      const from = map_from === undefined ? undefined : claimPath(map_from)
      const isNeeded = required === true && (default_value === undefined || default_value === null)
      return from === undefined ? [] : [[pathName(path), { path: from, isNeeded }] as const]
    }),
  )

/** Batches of SD-JWT VC credentials: rows are sign requests, or claims for a template. */
export function createSdJwtBatches(parts: Parts): BatchFormat {
  const { selfTest, now, signers, sdJwtSigning, sdJwtIssuers, sdJwtTemplates } = parts
  const dids = didIssuers(signers)

  const issuedAs = (issuer: string | undefined) =>
    issuer !== undefined && isUuid(issuer) ? ('x5c' as const) : ('did' as const)

  /** Fixes the template's version and the issuer for the batch: later changes do not affect it (D-126). */
  async function forClaims(tenantId: string, options: BatchOptions, templateId: string): Promise<SettledOptions> {
    const { version, definition } = await sdJwtTemplates.readTemplate(tenantId, templateId)
    const named = namedIssuer(options.issuer)
    const wanted = {
      issuedAs: definition.issuedAs,
      ...(definition.issuerDid !== undefined && { issuerDid: definition.issuerDid }),
      ...(definition.documentSignerId !== undefined && { documentSignerId: definition.documentSignerId }),
      ...named,
    }
    const { name } = await sdJwtIssuers.issuerOf(tenantId, wanted, 'issuerDid')
    return {
      options: { ...options, issuer: name },
      template: { id: templateId, version },
      checkColumns: (columns) => checkColumnsOf(takenBy(definition), columns),
      checkRow(input) {
        checkRow(input)
        if ('claims' in input) assertMapped(takenPaths(definition), input.claims)
      },
    }
  }

  function termsOf(input: RowInput, options: BatchOptions, definition: SdJwtTemplate | undefined): SdJwtTerms {
    if (definition) {
      const { claims, holderKey, issuerDid, tag } = completeClaims(input as ClaimsRow, options)
      const named = namedIssuer(issuerDid ?? undefined)
      return termsFrom(definition, { claims, ...(holderKey && { holderKey }), tag, ...named }, now())
    }
    const row = input as PayloadRow
    return requestTerms({
      payload: row.payload,
      ...(row.selectively && { selectively: row.selectively }),
      decoys: row.decoys ?? 0,
      ...(row.holder_key && { holderKey: row.holder_key as PublicJwk }),
      revocable: row.revocable ?? options.revocable,
      tag: row.tag ?? options.tag ?? null,
      issuedAs: issuedAs(options.issuer),
      ...namedIssuer(options.issuer),
    })
  }

  return {
    async settle(tenantId, { source, options }) {
      const { proofType, suspendable, contexts, types, templateId, issuer } = options
      if (proofType !== undefined) throw refuseOption('proofType', "expected none: the issuer's key decides")
      if (suspendable) throw refuseOption('suspendable', 'expected false: these credentials cannot be suspended')
      if (types.length > 0) throw refuseOption('type', 'expected none: vct of the payload is the type')
      if (contexts.length > 0) throw refuseOption('context', 'expected none: these credentials have no contexts')
      if (templateId !== undefined) return forClaims(tenantId, options, templateId)
      if (source === 'csv') throw refuseOption('templateId', 'expected a template for CSV, or rows as JSON lines')
      const wanted = { issuedAs: issuedAs(issuer), ...namedIssuer(issuer) }
      const { name } = await sdJwtIssuers.issuerOf(tenantId, wanted, 'issuer')
      return { options: { ...options, issuer: name }, checkRow }
    },

    issuerOf: (input, { issuer }) => ('claims' in input ? input.issuer_did : undefined) ?? issuer,

    signRow: (tenantId: string, id: string, input: RowInput, { options, template }: BatchTerms, together: number) =>
      ofRequest(async () => {
        const definition = template?.definition as SdJwtTemplate | undefined
        const terms = await overDocument(() => termsOf(input, options, definition))
        return sdJwtSigning.sign(tenantId, id, terms, together)
      }),

    prove: selfTest.prove,

    issuers: {
      goneCodes: [...dids.goneCodes, 'document_signer.not_found', 'document_signer.not_usable'],
      forget(tenantId, issuer) {
        if (isUuid(issuer)) sdJwtIssuers.forget(tenantId)
        else dids.forget(tenantId, issuer)
      },
      async usable(tenantId, issuer) {
        if (!isUuid(issuer)) return dids.usable(tenantId, issuer)
        sdJwtIssuers.forget(tenantId)
        return (await sdJwtIssuers.issuerOf(tenantId, { issuedAs: 'x5c', documentSignerId: issuer }, 'issuer')).name
      },
    },
  }
}
