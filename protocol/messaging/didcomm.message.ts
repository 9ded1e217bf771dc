import { isDid } from '../dids/index.ts'
import { Refusal, within } from '../errors.ts'
import { isObject, type Json } from '../json.ts'
import { type Clock, hasCome, momentOfSeconds } from '../time.ts'

export const MEDIA_TYPES = {
  plain: 'application/didcomm-plain+json',
  signed: 'application/didcomm-signed+json',
  encrypted: 'application/didcomm-encrypted+json',
} as const

/** A plaintext message (DIDComm v2, Message Headers); members that are not listed here are kept. */
export interface DidcommMessage extends Json {
  id: string
  type: string
  typ?: string
  from?: string
  to?: string[]
  thid?: string
  pthid?: string
  created_time?: number
  expires_time?: number
  body?: Json
}

const MAX_TO = 100
const MAX_ID = 256
const MAX_URI = 2048

/** A refusal of a message that was opened; `path` names the member. */
export const invalidMessage = (expected: string, path = '', code = 'didcomm'): Refusal =>
  new Refusal('didcomm.invalid', 'The DIDComm message breaks a rule of DIDComm v2; see errors.', [
    { path, code, message: `expected ${expected}` },
  ])

/** Whether a `typ` is the media type, with or without `application/` (DIDComm v2, IANA Media Types). */
export const isMediaType = (typ: unknown, expected: string): boolean =>
  typ === expected || `application/${String(typ)}` === expected

/** Message type URI: a URI with protocol, version and message name (DIDComm v2, Message Type URI). */
const TYPE = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s#]{1,2000}\/[^/\s]+\/[0-9]+(\.[0-9]+){0,2}\/[^/\s]+$/

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= longest

const isSeconds = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

type Rule = [member: string, expected: string, holds: (value: unknown) => boolean]

const RULES: Rule[] = [
  ['id', `a text of at most ${MAX_ID} characters`, (id) => isText(id, MAX_ID)],
  [
    'type',
    'a message type URI such as https://didcomm.org/trust-ping/2.0/ping',
    (type) => isText(type, MAX_URI) && TYPE.test(type),
  ],
  ['typ', MEDIA_TYPES.plain, (typ) => typ === undefined || isMediaType(typ, MEDIA_TYPES.plain)],
  ['from', 'a DID', (from) => from === undefined || (isText(from, MAX_URI) && isDid(from))],
  ['thid', `a text of at most ${MAX_ID} characters`, (thid) => thid === undefined || isText(thid, MAX_ID)],
  ['pthid', `a text of at most ${MAX_ID} characters`, (pthid) => pthid === undefined || isText(pthid, MAX_ID)],
  ['created_time', 'seconds since 1970 as an integer', (time) => time === undefined || isSeconds(time)],
  ['expires_time', 'seconds since 1970 as an integer', (time) => time === undefined || isSeconds(time)],
  ['body', 'an object', (body) => body === undefined || isObject(body)],
]

function checkTo(to: unknown): void {
  if (to === undefined) return
  if (!Array.isArray(to) || to.length > MAX_TO) throw invalidMessage(`an array of at most ${MAX_TO} DIDs`, 'to')
  const at = to.findIndex((did: unknown) => !isText(did, MAX_URI) || !isDid(did))
  if (at >= 0) throw invalidMessage('a DID without a fragment', within('to', at))
}

/** Checks a plaintext message. Throws `Refusal('didcomm.invalid')`, or `Refusal('didcomm.expired')`. */
export function checkMessage(message: unknown, clock: Clock): DidcommMessage {
  if (!isObject(message)) throw invalidMessage('a JSON object')
  for (const [member, expected, holds] of RULES) if (!holds(message[member])) throw invalidMessage(expected, member)
  checkTo(message.to)
  const { expires_time: expires } = message
  if (typeof expires === 'number' && hasCome(momentOfSeconds(expires), clock))
    throw new Refusal('didcomm.expired', 'The DIDComm message has expired by its expires_time.')
  return message as DidcommMessage
}
