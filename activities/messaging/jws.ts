import { verificationKey } from '../../protocol/data-integrity/keys.ts'
import { type PublicJwk, parseDidUrl, toJwk } from '../../protocol/dids/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { jwsAlgorithm, signCompactJws } from '../../protocol/jws.ts'
import {
  isSignedBy,
  messageToSign,
  type RefuseJws,
  readSignedMessage,
  SIGNING_KEYS,
  type SignatureVerdict,
  verifySignedMessage,
} from '../../protocol/messaging/jws.ts'
import { payloadOf } from '../../protocol/messaging/payload.ts'
import type { Dependencies } from '../dependencies.ts'
import type { DidResolver } from '../dids/resolver.ts'
import type { DidSigner, Signers } from '../dids/signers.ts'
import { refuseJwsSigner } from './refusals.ts'

/** A payload with its signature, and the DID whose key made it. */
export interface MessageVerdict extends SignatureVerdict {
  did: string
  didUrl: string
  payload: unknown
}

const FIELD = 'didUrl'

/** DID URLs that a refusal lists. */
const MAX_LISTED = 10

const refuse: RefuseJws = (rule, what, expected) => {
  throw new Refusal('jws.invalid', `The JWS cannot be read: ${what}.`, [{ path: 'jws', code: rule, message: expected }])
}

const refuseDidUrl = (code: string, message: string, expected: string): never => {
  throw new Refusal(code, message, [{ path: FIELD, code: 'did_url', message: expected }])
}

function didOf(didUrl: string): string {
  try {
    const { did, path, query } = parseDidUrl(didUrl)
    if (path === '' && query === '') return did
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  return refuseDidUrl(
    'did.invalid',
    'The didUrl is not the DID URL of a key.',
    'expected did:<method>:<identifier>#<key>',
  )
}

/** The signer with the key of a DID URL, which must be of a type that signs messages. */
function methodOf(didSigner: DidSigner, didUrl: string) {
  const fitting = didSigner.methodsOf(SIGNING_KEYS)
  const expected =
    fitting.length > 0
      ? `expected one of ${fitting.slice(0, MAX_LISTED).join(', ')}`
      : 'expected the DID URL of an ed25519 or p256 key'
  const signer = didSigner.withMethod(didUrl)
  if (!signer)
    return refuseDidUrl('jws.signer_key_unknown', 'The document of the DID has no such key; see errors.', expected)
  if (!SIGNING_KEYS.includes(signer.keyType))
    throw refuseJwsSigner(FIELD)({ kind: 'key_unfit', expected, keyTypes: SIGNING_KEYS, neededBy: 'a message' })
  return signer
}

interface Parts extends Pick<Dependencies, 'config' | 'now'> {
  signers: Pick<Signers, 'signerOf'>
  didResolver: Pick<DidResolver, 'documentFor'>
}

/** Signatures of messages by DID URL (specification, signCredential and verifyCredential). */
export function createMessageSignatures({ config, now, signers, didResolver }: Parts) {
  return {
    /** Signs a payload as a compact JWS with the key of the DID URL. Throws `jws.signer_*`, `did.invalid`. */
    async signMessage(
      tenantId: string,
      { didUrl, payload }: { didUrl: string; payload: unknown },
    ): Promise<MessageVerdict & { didId: string; jws: string; publicJwk: PublicJwk }> {
      const did = didOf(didUrl)
      const didSigner = await signers.signerOf(tenantId, did, refuseJwsSigner(FIELD))
      const { keyType, publicKey, sign } = methodOf(didSigner, didUrl)
      const { header, bytes } = messageToSign(payload, jwsAlgorithm(keyType), didUrl)
      const jws = await signCompactJws(header, bytes, sign)
      const publicJwk = toJwk({ keyType, publicKey })
      const key = verificationKey({ id: didUrl, type: 'JsonWebKey', controller: did, publicKeyJwk: publicJwk })
      // a key store that signs with another key than it says is noticed here, and not by the recipient
      if (!isSignedBy(readSignedMessage(jws, refuse), key)) throw new Error('the key store has signed with another key')
      return { didId: didSigner.didId, did, didUrl, payload, publicJwk, verified: true, jws }
    },

    /** Verifies a compact JWS of any DID that resolves. Throws `jws.invalid` for what is no JWS of a DID. */
    async verifyMessage(tenantId: string, jws: string): Promise<MessageVerdict> {
      const message = readSignedMessage(jws, refuse)
      const payload = payloadOf(message, refuse)
      const purposes = ['authentication', 'assertionMethod'] as const
      const { did, didUrl } = message
      const resolveDid = (named: string) => didResolver.documentFor(tenantId, named)
      const rules = { purposes, resolveDid, now: now(), toleranceMs: config.clockToleranceMs }
      return { did, didUrl, payload, ...(await verifySignedMessage(message, rules)) }
    },
  }
}

export type MessageSignatures = ReturnType<typeof createMessageSignatures>
