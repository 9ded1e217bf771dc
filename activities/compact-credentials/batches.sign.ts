import type { Profile } from '../../protocol/compact-credentials/text.ts'
import { type BatchOptions, type RowInput, rowKindOf } from '../../protocol/credentials/batches.ts'
import { errorsWithin, type FieldError, overDocument, Refusal } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import type { BatchFormat, BatchTerms, SettledOptions } from '../credentials/format.ts'
import type { Dependencies } from '../dependencies.ts'
import type { CompactSigning, CompactSignRequest } from './sign.ts'

interface Parts extends Pick<Dependencies, 'selfTest'> {
  signing: CompactSigning
}

const refuseOption = (path: string, message: string) =>
  new Refusal('request.invalid', `The query parameter ${path} is not one of compact credentials.`, [
    { path, code: 'query', message },
  ])

/** The row's own fault with the row's field names. */
async function ofRow<Result>(member: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || !error.errors.some(({ path }) => path.startsWith('/'))) throw error
    const errors: FieldError[] = errorsWithin(member, error.errors)
    throw new Refusal(error.code, error.message, errors, { cause: error.cause })
  }
}

/** Batches of compact credentials: rows are sign requests. */
export function createCompactBatches(profile: Profile, { selfTest, signing }: Parts): BatchFormat {
  const requestOf = (input: RowInput, options: BatchOptions): CompactSignRequest => {
    const payload: Json = 'payload' in input ? input.payload : input.claims
    const issuer = options.issuer
    const named = profile === 'compact' ? { iss: issuer } : { issuer: { id: issuer } }
    const own = profile === 'compact' ? payload.iss : payload.issuer
    return {
      payload: issuer === undefined || (own !== undefined && own !== null) ? payload : { ...payload, ...named },
      revocable: ('revocable' in input ? input.revocable : undefined) ?? options.revocable,
      tag: input.tag ?? options.tag ?? null,
    }
  }

  return {
    async settle(tenantId, { source, options }): Promise<SettledOptions> {
      if (options.proofType !== undefined) throw refuseOption('proofType', "expected none: the issuer's key decides")
      if (options.suspendable) throw refuseOption('suspendable', 'expected false: compact credentials are revoked')
      if (options.contexts.length > 0 || options.types.length > 0)
        throw refuseOption('type', 'expected neither type nor context: rows have them in their payload')
      if (source === 'csv') throw refuseOption('format', 'expected JSON lines for compact credentials')
      if (rowKindOf(options) === 'claims') throw refuseOption('templateId', 'expected none')
      const { did } = options.issuer === undefined ? { did: undefined } : await signing.signerOf(tenantId, options.issuer, 'issuer') // biome-ignore format: one line
      return { options: did === undefined ? options : { ...options, issuer: did } }
    },

    issuerOf(input, options) {
      const { payload } = requestOf(input, options)
      const issuer = profile === 'compact' ? payload.iss : payload.issuer
      const did: unknown = typeof issuer === 'object' && issuer !== null ? Reflect.get(issuer, 'id') : issuer
      return typeof did === 'string' ? did : undefined
    },

    signRow: (tenantId: string, id: string, input: RowInput, { options }: BatchTerms, together: number) =>
      ofRow('payload', () =>
        overDocument(() => signing.sign(profile, tenantId, id, requestOf(input, options), together)),
      ),

    prove: selfTest.prove,
  }
}
