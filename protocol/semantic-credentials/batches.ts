import { CONTEXT } from '../contexts/urls.ts'
import type { BatchOptions, PayloadRow, RowInput } from '../credentials/batches.ts'
import type { PublicJwk } from '../dids/jwk.ts'
import { isObject } from '../json.ts'
import type { DataModel } from './checks.ts'
import { chooseModel } from './contexts.ts'
import { disclosureTerms } from './enveloped/disclosure.ts'

const base = (contexts: unknown[]): unknown[] =>
  contexts[0] === CONTEXT.credentialsV1 || contexts[0] === CONTEXT.credentialsV2
    ? contexts
    : [CONTEXT.credentialsV2, ...contexts]

/** Data model of rows without contexts of their own. */
export const rowModelOf = ({ contexts }: BatchOptions): DataModel => chooseModel(base(contexts)).dataModel

/** Returns the sign request of a row: the row's members, with the batch's options as defaults. */
export function completeRow(row: PayloadRow, options: BatchOptions) {
  const { payload, proofType, revocable, suspendable, tag, selectively, decoys, holderKey } = row
  return {
    payload: {
      '@context': base(options.contexts),
      type: ['VerifiableCredential', ...options.types],
      ...(options.issuer === undefined ? {} : { issuer: { id: options.issuer } }),
      ...payload,
    },
    proofType: proofType ?? options.proofType ?? '',
    revocable: revocable ?? options.revocable,
    suspendable: suspendable ?? options.suspendable ?? false,
    tag: tag ?? options.tag ?? null,
    disclosure: disclosureTerms({ selectively, decoys, holderKey: holderKey as PublicJwk | undefined }),
  }
}

/** Returns the DID of a row's issuer, if the row or the batch names one. */
export function issuerOf(row: RowInput, options: BatchOptions): string | undefined {
  if ('claims' in row) return row.issuer_did ?? options.issuer
  const { issuer } = row.payload
  const id = isObject(issuer) ? issuer.id : (issuer ?? options.issuer)
  return typeof id === 'string' ? id : undefined
}
