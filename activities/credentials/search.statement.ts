import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { CredentialState } from '../../protocol/credentials/state.ts'

export interface SearchFilter {
  formats: readonly FormatName[]
  tag?: string | undefined
  /** One of its types. */
  type?: string | undefined
  /** Digest of one of its subjects. */
  subject?: Buffer | undefined
  templateId?: string | undefined
  batchId?: string | undefined
  /** Our ids of a DID: one that was deleted and made again has several. None: no row is found. */
  didIds?: readonly string[] | undefined
  documentSignerId?: string | undefined
  state?: CredentialState | undefined
}

/** A condition with its values, in the order of its question marks. */
interface Condition {
  text: string
  values: unknown[]
}

export interface Statement {
  text: string
  values: unknown[]
}

const one = (text: string, ...values: unknown[]): Condition => ({ text, values })

const ENDED = 'c.expiration_date is not null and c.expiration_date <= ?'

const inState = (state: CredentialState, now: Date): Condition => {
  switch (state) {
    case 'revoked':
      return one('c.revoked')
    case 'suspended':
      return one('c.suspended and not c.revoked')
    case 'expired':
      return one(`${ENDED} and not c.revoked and not c.suspended`, now)
    case 'active':
      return one('not c.revoked and not c.suspended and (c.expiration_date is null or c.expiration_date > ?)', now)
  }
}

/** Places of a type, and of a subject, that have an index of their own (migrations 0013 and 0057). */
const PLACES = 4

/** Rows with a value in an array: each is in one of the branches, of which each has its index. */
const ofPlaces = (column: 'types' | 'subjects', value: string | Buffer): Condition[] => [
  ...Array.from({ length: PLACES }, (_, at) => {
    const before = Array.from({ length: at }, (_before, place) => `and c.${column}[${place + 1}] <> ?`)
    const text = [`c.${column}[${at + 1}] is not null and c.${column}[${at + 1}] = ?`, ...before].join(' ')
    return one(text, value, ...before.map(() => value))
  }),
  one(
    `c.${column}[${PLACES + 1}] is not null and ? = any (c.${column}[${PLACES + 1}:]) and ? <> all (c.${column}[1:${PLACES}])`,
    value,
    value,
  ),
]

const ofFormats = (formats: readonly FormatName[]): Condition =>
  formats.length === 1 ? one('c.format = ?', formats[0]) : one('c.format in (?, ?, ?, ?, ?)', ...padded(formats))

const ofDid = (ids: readonly string[]): Condition =>
  ids.length === 1 ? one('c.did_id = ?', ids[0]) : one(`c.did_id in (${ids.map(() => '?').join() || 'null'})`, ...ids)

/** Always as many values as there are formats, so that there are few statements. */
const padded = (formats: readonly FormatName[]) => Array.from({ length: 5 }, (_, at) => formats[at] ?? formats[0])

/**
 * The rows that a filter finds, as branches that no row is in twice: for a subject or else a type, a branch for each place; without a filter
 * that has an index of its own, a branch for each format. PostgreSQL reads the first rows of each in the order of its
 * index, so that a page costs a page whatever the number of credentials.
 */
function found(filter: SearchFilter, now: Date): Statement[] {
  const { formats, tag, type, subject, templateId, batchId, didIds, documentSignerId, state } = filter
  const all: Condition[] = [
    ...(tag === undefined ? [] : [one('c.tag = ?', tag)]),
    ...(templateId === undefined ? [] : [one('c.template_id = ?', templateId)]),
    ...(batchId === undefined ? [] : [one('c.batch_id = ?', batchId)]),
    ...(didIds === undefined ? [] : [ofDid(didIds)]),
    ...(documentSignerId === undefined ? [] : [one('c.document_signer_id = ?', documentSignerId)]),
    ...(state === undefined ? [] : [inState(state, now)]),
  ]
  const hasIndex = all.length > (state === 'active' ? 1 : 0)
  const branches =
    subject !== undefined
      ? ofPlaces('subjects', subject).map((place) => [
          place,
          ofFormats(formats),
          ...(type === undefined ? [] : [one('? = any (c.types)', type)]),
        ])
      : type !== undefined
        ? ofPlaces('types', type).map((place) => [place, ofFormats(formats)])
        : hasIndex
          ? [[ofFormats(formats)]]
          : formats.map((format) => [ofFormats([format])])
  return branches.map((branch) => {
    const conditions = [...branch, ...all, one('c.erased_at is null')]
    return {
      text: `select c.id, c.created_at from credentials c where ${conditions.map(({ text }) => text).join(' and ')}`,
      values: conditions.flatMap(({ values }) => values),
    }
  })
}

const NEWEST_FIRST = 'order by created_at desc, id limit ?'

/** Ids of a page, newest first. */
export function pageStatement(
  filter: SearchFilter,
  { limit, offset }: { limit: number; offset: number },
  now: Date,
): Statement {
  const branches = found(filter, now)
  const upTo = limit + offset
  return {
    text: `select id from (${branches.map(({ text }) => `(${text} ${NEWEST_FIRST})`).join(' union all ')}) as found ${NEWEST_FIRST} offset ?`,
    values: [...branches.flatMap(({ values }) => [...values, upTo]), limit, offset],
  }
}

export function countStatement(filter: SearchFilter, now: Date): Statement {
  const branches = found(filter, now)
  return {
    text: `select count(*)::int as total from (${branches.map(({ text }) => text).join(' union all ')}) as found`,
    values: branches.flatMap(({ values }) => values),
  }
}
