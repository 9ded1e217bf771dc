import { CONTEXT } from '../contexts/urls.ts'
import type { BatchOptions, PayloadRow, RowInput } from '../credentials/batches.ts'
import { isObject } from '../json.ts'
import type { DataModel } from './checks.ts'
import { chooseModel } from './contexts.ts'

const base = (contexts: unknown[]): unknown[] =>
  contexts[0] === CONTEXT.credentialsV1 || contexts[0] === CONTEXT.credentialsV2
    ? contexts
    : [CONTEXT.credentialsV2, ...contexts]

/** Of rows that say no contexts of their own. */
export const rowModelOf = ({ contexts }: BatchOptions): DataModel => chooseModel(base(contexts)).dataModel

/** The sign request of a row: its own members, then the batch's. */
export function completeRow({ payload, proofType, revocable, suspendable, tag }: PayloadRow, options: BatchOptions) {
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
  }
}

/** DID of a row's issuer, if it names one. */
export function issuerOf(row: RowInput, options: BatchOptions): string | undefined {
  if ('claims' in row) return row.issuer_did ?? options.issuer
  const { issuer } = row.payload
  const id = isObject(issuer) ? issuer.id : (issuer ?? options.issuer)
  return typeof id === 'string' ? id : undefined
}
