import type { CoseSign1 } from '../../cose/sign1.ts'
import { ALL_ALGORITHMS, type CoseFault, coseFault, HEADER, keyTypeOf, readCoseSign1 } from '../../cose/sign1.ts'
import type { VerificationKey } from '../../data-integrity/keys.ts'
import { Refusal } from '../../errors.ts'
import { parseForeignJson } from '../../json.depth.ts'
import type { Json } from '../../json.ts'
import {
  type Enclosed,
  type EnvelopeFault,
  MAX_VALUES,
  type Opened,
  type OpenedEnvelope,
  type OpenedPresentation,
  objectIn,
  refusedEnvelope,
} from './opened.ts'

const MAX_BYTES = 1_000_000

const FAULTS: Record<CoseFault, [code: string, message: string]> = {
  algorithm_unsupported: ['algorithm', 'The algorithm of the COSE_Sign1 is not supported.'],
  critical_unsupported: ['critical', 'The COSE_Sign1 has critical parameters, which no envelope may have.'],
  key_unfit: ['key_unfit', 'The algorithm of the COSE_Sign1 is not that of the key.'],
  signature_invalid: ['signature', 'The signature of the COSE_Sign1 does not match its content.'],
}

/** `typ` (RFC 9596) and content type as texts; integers are of a registry in which credentials are not. */
function checkTypes({ protected: header, unprotected }: CoseSign1, { type, contentType: expected }: Enclosed): void {
  const of = (label: number) => header.get(label) ?? unprotected.get(label)
  const [typ, contentType] = [of(HEADER.typ), of(HEADER.contentType)]
  if (typ !== undefined && typ !== type) throw refusedEnvelope('type', `The typ of the COSE_Sign1 must be ${type}.`)
  if (contentType !== undefined && contentType !== expected)
    throw refusedEnvelope('content_type', `The content type of the COSE_Sign1 must be ${expected}.`)
}

function messageOf(bytes: Uint8Array): CoseSign1 {
  try {
    return readCoseSign1(bytes, { code: 'envelope.malformed', maxBytes: MAX_BYTES, items: { left: 1_000 } })
  } catch (error) {
    if (error instanceof Refusal && /repeated|same label/.test(`${error.message} ${error.cause ?? ''}`))
      throw refusedEnvelope('duplicate_member', 'A header of the COSE_Sign1 has a parameter twice.')
    throw error
  }
}

/** Reads a COSE_Sign1 whose payload is the content itself. Throws `Refusal('envelope.*')`. */
function readCose(bytes: Uint8Array, enclosed: Enclosed): Opened & { content: Json } {
  const message = messageOf(bytes)
  const { protected: header, unprotected, payload } = message
  if (!header.has(HEADER.alg) && unprotected.has(HEADER.alg))
    throw refusedEnvelope('unprotected_algorithm', 'The algorithm of the COSE_Sign1 stands in the unprotected header.')
  if (keyTypeOf(message, ALL_ALGORITHMS) === undefined)
    throw refusedEnvelope('algorithm', FAULTS.algorithm_unsupported[1])
  checkTypes(message, enclosed)
  if (payload === undefined || payload.length === 0)
    throw refusedEnvelope('detached', 'The COSE_Sign1 has no payload: a detached one cannot be verified here.')
  const content = ((): unknown => {
    try {
      return parseForeignJson(payload, { code: 'envelope.malformed', maxValues: MAX_VALUES })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw refusedEnvelope(error.message.includes('repeats') ? 'duplicate_member' : 'malformed', error.message)
    }
  })()
  const kid = header.get(HEADER.kid) ?? unprotected.get(HEADER.kid)
  return {
    mediaType: enclosed.type,
    content: objectIn(content),
    kid: kid instanceof Uint8Array ? Buffer.from(kid).toString('utf8') : undefined,
    signatureFault(key: VerificationKey): EnvelopeFault | undefined {
      const fault = coseFault(message, key, { algorithms: ALL_ALGORITHMS })
      if (fault === undefined) return undefined
      const [code, text] = FAULTS[fault]
      return { code: `envelope.${code}`, message: text }
    },
  }
}

const CREDENTIAL: Enclosed = { what: 'credential', type: 'application/vc+cose', contentType: 'application/vc' }
const PRESENTATION: Enclosed = { what: 'presentation', type: 'application/vp+cose', contentType: 'application/vp' }

/** Opens a credential that is secured with COSE (VC-JOSE-COSE 1.0, section 3.3.1). Throws `Refusal('envelope.*')`. */
export function openCose(bytes: Uint8Array): OpenedEnvelope {
  const { content: credential, ...opened } = readCose(bytes, CREDENTIAL)
  return { ...opened, credential }
}

/** Opens a presentation that is secured with COSE (section 3.3.2). Throws `Refusal('envelope.*')`. */
export function openCosePresentation(bytes: Uint8Array): OpenedPresentation {
  const { content: presentation, ...opened } = readCose(bytes, PRESENTATION)
  return { ...opened, presentation }
}
