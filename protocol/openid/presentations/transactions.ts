import { createHash } from 'node:crypto'
import { type FieldError, within } from '../../errors.ts'
import type { Json } from '../../json.ts'
import { isReservedName, tableOf } from '../../names.ts'
import type { DcqlQuery } from '../dcql/query.ts'
import { needsHolder } from '../dcql/query.ts'

/** What the holder of a credential agrees to (OpenID4VP 1.0, section 5.1), as the request has it. */
export interface TransactionEntry {
  /** Of the credentials of which one has to sign it. */
  credentialIds: readonly string[]
  /** JSON in base64url, as wallets hash it. */
  encoded: string
  /** Absent: sha-256. */
  algorithms?: readonly string[]
}

const MAX_ENTRIES = 20
const MAX_CHARACTERS = 16_000

/** Names of hash algorithms (IANA, Named Information) and those of node. */
const HASHES = tableOf({ 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' })
const DEFAULT_HASH = 'sha-256'

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')

/** Reads transaction data of a caller. `entries` is valid only if `errors` is empty. */
export function readTransactions(
  data: readonly Json[],
  { credentials }: DcqlQuery,
  path: string,
): { entries: TransactionEntry[]; errors: FieldError[] } {
  const errors: FieldError[] = []
  const report = (at: string, code: string, message: string) => errors.push({ path: at, code, message })
  if (data.length === 0 || data.length > MAX_ENTRIES) report(path, 'count', `expected 1 to ${MAX_ENTRIES} entries`)
  if (JSON.stringify(data).length > MAX_CHARACTERS)
    report(path, 'too_large', `expected at most ${MAX_CHARACTERS} characters of JSON`)
  const entries = errors.length > 0 ? [] : data.map((entry, nth) => read(entry, within(path, nth)))
  const texts = entries.map(({ encoded }) => encoded)
  // a wallet signs a hash, which is the same for both
  for (const [nth, text] of texts.entries())
    if (texts.indexOf(text) < nth) report(within(path, nth), 'repeated', 'expected each entry once')
  // a key binding names one algorithm, and these entries have no other credential to sign them
  const common = new Map<string, readonly string[]>()
  for (const [nth, { credentialIds, algorithms = [DEFAULT_HASH] }] of entries.entries()) {
    const [id = '', ...others] = credentialIds
    if (others.length > 0 || credentials.find((each) => each.id === id)?.multiple) continue
    const left = common.get(id)?.filter((each) => algorithms.includes(each)) ?? algorithms
    common.set(id, left)
    if (left.length === 0)
      report(
        within(path, nth, 'transaction_data_hashes_alg'),
        'algorithm',
        `expected an algorithm that the other entries for ${id} have too: its key binding names one`,
      )
  }
  return { entries, errors }

  function read(entry: Json, at: string): TransactionEntry {
    const { type, credential_ids: ids, transaction_data_hashes_alg: algorithms } = entry
    if (Object.keys(entry).some(isReservedName)) report(at, 'name', 'expected other names of members')
    if (typeof type !== 'string' || type === '') report(within(at, 'type'), 'required', 'expected the type of the data')
    const place = within(at, 'credential_ids')
    if (!isTexts(ids)) report(place, 'required', 'expected a list of ids of credentials of the query')
    else
      for (const [nth, id] of ids.entries()) {
        const named = credentials.find((credential) => credential.id === id)
        if (!named) report(within(place, nth), 'id', 'expected the id of a credential of the query')
        else if (named.format !== 'dc+sd-jwt' || !needsHolder(named))
          report(within(place, nth), 'format', 'expected a credential of dc+sd-jwt whose holder binds it')
      }
    const hashes = within(at, 'transaction_data_hashes_alg')
    if (algorithms !== undefined && !(isTexts(algorithms) && algorithms.every((each) => HASHES.has(each))))
      report(hashes, 'enum', `expected a list of ${[...HASHES.keys()].join(', ')}`)
    return {
      credentialIds: isTexts(ids) ? ids : [],
      encoded: Buffer.from(JSON.stringify(entry)).toString('base64url'),
      ...(isTexts(algorithms) && { algorithms }),
    }
  }
}

/**
 * Which of the data the holder of a credential agrees to (appendix B.3.3.1). `entries`: those that name the credential,
 * of which the wallet may have another one sign. `binding`: the claims of the key binding JWT.
 */
export function agreedTo(
  entries: readonly TransactionEntry[],
  binding: Json | undefined,
): { agreed: TransactionEntry[] } | { fault: string } {
  const { transaction_data_hashes: hashes, transaction_data_hashes_alg: named = DEFAULT_HASH } = binding ?? {}
  if (hashes === undefined) return { agreed: [] }
  if (!isTexts(hashes)) return { fault: 'its transaction_data_hashes is no list of hashes' }
  const hash = typeof named === 'string' ? HASHES.get(named) : undefined
  if (hash === undefined || typeof named !== 'string')
    return { fault: 'its transaction_data_hashes_alg is not supported' }
  const known = new Map(
    entries.map((entry) => [createHash(hash).update(entry.encoded).digest('base64url'), entry] as const),
  )
  const agreed = hashes.map((each) => known.get(each))
  const own = agreed.filter((entry) => entry !== undefined)
  if (own.some(({ algorithms }) => algorithms) && binding?.transaction_data_hashes_alg === undefined)
    return { fault: 'it has no transaction_data_hashes_alg, and the transaction data names its algorithms' }
  if (own.length < agreed.length) return { fault: 'its key binding agrees to other transaction data' }
  return own.every(({ algorithms = [DEFAULT_HASH] }) => algorithms.includes(named))
    ? { agreed: own }
    : { fault: 'its transaction_data_hashes_alg is none of those of the transaction data' }
}
