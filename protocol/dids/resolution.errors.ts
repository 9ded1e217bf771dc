import { Refusal } from '../errors.ts'
import { tableOf } from '../names.ts'
import { KEY_LENGTH } from './keys.ts'

interface Kind {
  /** The error of DID Resolution 1.0, section "Errors". */
  type: string
  title: string
  /** DID Resolution 1.0, section "HTTP(S) Binding". */
  status: number
}

const INVALID_DID: Kind = { type: 'INVALID_DID', title: 'The DID is not valid', status: 400 }
const INVALID_OPTIONS: Kind = { type: 'INVALID_OPTIONS', title: 'An option is not valid', status: 400 }

/** Errors by their keyword in DID Core 1.0, section 7, and in the did:key draft, section 3.1. */
const KINDS = {
  invalidDid: INVALID_DID,
  invalidPublicKeyLength: INVALID_DID,
  invalidPublicKeyType: INVALID_OPTIONS,
  unsupportedPublicKeyType: INVALID_OPTIONS,
  invalidDidUrl: { type: 'INVALID_DID_URL', title: 'The DID URL is not valid', status: 400 },
  notFound: { type: 'NOT_FOUND', title: 'There is no such DID or resource', status: 404 },
  representationNotSupported: {
    type: 'REPRESENTATION_NOT_SUPPORTED',
    title: 'No media type of the Accept header is supported',
    status: 406,
  },
  methodNotSupported: { type: 'METHOD_NOT_SUPPORTED', title: 'The DID method is not supported', status: 501 },
  featureNotSupported: { type: 'FEATURE_NOT_SUPPORTED', title: 'An option is not supported', status: 501 },
} satisfies Record<string, Kind>
export type ResolutionError = keyof typeof KINDS

/** An error object of DID Resolution 1.0 (RFC 9457). */
interface ErrorObject {
  type: string
  title: string
  detail: string
}

export class Unresolved extends Error {
  readonly error: ResolutionError

  constructor(error: ResolutionError, message: string) {
    super(message)
    this.error = error
  }

  get status(): number {
    return KINDS[this.error].status
  }

  get object(): ErrorObject {
    const { type, title } = KINDS[this.error]
    return { type: `https://www.w3.org/ns/did#${type}`, title, detail: this.message }
  }
}

/** The parameters of DID URLs and the options that DID Resolution 1.0 defines, and that no method here has. */
const UNSUPPORTED = tableOf<true>({
  service: true,
  serviceType: true,
  relativeRef: true,
  versionId: true,
  versionTime: true,
  hl: true,
})

/** Throws for the path or the query of a DID URL: none leads to a resource here. */
export function refuseParts(path: string, query: string): void {
  if (!path && !query) return
  const parameter = [...new URLSearchParams(query).keys()].find((name) => UNSUPPORTED.has(name))
  if (parameter !== undefined)
    throw new Unresolved('featureNotSupported', `The parameter ${parameter} of DID URLs is not supported.`)
  throw new Unresolved('notFound', 'This resolver has no resources for DID URLs with a path or a query.')
}

/** Returns a refusal as an error of the resolution; undefined for any other error. */
export function unresolvedOf(error: unknown): Unresolved | undefined {
  if (error instanceof Unresolved) return error
  if (!(error instanceof Refusal)) return undefined
  if (error.code === 'did.method_unsupported') return new Unresolved('methodNotSupported', error.message)
  if (error.errors.some(({ code }) => code === KEY_LENGTH))
    return new Unresolved('invalidPublicKeyLength', error.message)
  return new Unresolved(error.code === 'did.invalid' ? 'invalidDid' : 'notFound', error.message)
}
