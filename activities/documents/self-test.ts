import { generateKeyPairSync, sign } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { CONTEXT } from '../../protocol/contexts/index.ts'
import type { Json, Signer } from '../../protocol/data-integrity/index.ts'
import { didKeyMethodId, didKeyOf, resolveDidKey } from '../../protocol/dids/key.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { bundledOnly, type Documents } from './index.ts'

/** Tests that this process works: it signs and verifies a credential (D-157). */
export interface SelfTest {
  /**
   * For readiness: rejects when the process cannot sign or verify. Repeats its result for some seconds. Does not wait
   * for threads: the result of their last test counts.
   */
  check(): Promise<void>
  /** Signs and verifies now, in this thread and in another. Rejects, also with `Unavailable('documents')`. */
  prove(): Promise<void>
}

interface Parts {
  documents: Pick<Documents, 'sign' | 'verify'>
  now(): Date
  /** With a did:key; by default a new one for the life of the process. */
  signer?: Signer
  /** Called when a test fails after one that succeeded. */
  failed?(error: unknown): void
  /** Milliseconds that a result is valid, and that a test may take. */
  heldMs?: number
  boundMs?: number
}

/** Takes turns like a tenant of its own; light documents stay on the event loop, which is what is tested. */
const nobody = { ...bundledOnly('self-test'), isOurs: true }

/** Not a key of the key store, whose outage is not a fault of this process. */
function throwAwaySigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url')
  const key = { keyType: 'ed25519', publicKey: raw } as const
  return {
    ...key,
    verificationMethod: didKeyMethodId(didKeyOf('ed25519', raw), key),
    sign: async (data) => sign(null, data, privateKey),
    bbsSign: () => Promise.reject(new Error('the self-test signs with Ed25519 only')),
  }
}

const LIGHT: Json = { course: 'https://schema.org/courseCode' }
/** A term with a context of its own takes a document into a thread (lanes.ts). */
const THREADED: Json = { course: { '@id': 'https://schema.org/courseCode', '@context': {} } }

/** Runs one test at a time, and keeps its outcome for a while. */
function tested(run: () => Promise<void>, heldMs: number, failed: (error: unknown) => void) {
  let running: Promise<void> | undefined
  let endedAt = Number.NEGATIVE_INFINITY
  let failure: unknown
  const begin = async () => {
    try {
      await run()
      failure = undefined
    } catch (error) {
      if (failure === undefined) failed(error)
      failure = error
    }
    endedAt = performance.now()
    running = undefined
  }
  return {
    failure: () => failure,
    /** Settles with the run under way, or at once while the last outcome holds. */
    async look(): Promise<void> {
      if (running === undefined && performance.now() - endedAt < heldMs) return
      running ??= begin()
      await running
    },
  }
}

export function createSelfTest(parts: Parts): SelfTest {
  const {
    documents,
    now,
    signer = throwAwaySigner(),
    heldMs = 5_000,
    boundMs = 2_000,
    failed = () => undefined,
  } = parts
  const issuer = signer.verificationMethod.split('#')[0] ?? ''

  async function signAndVerify(terms: Json): Promise<void> {
    const time = now()
    const credential: Json = {
      '@context': [CONTEXT.credentialsV2, terms],
      type: ['VerifiableCredential'],
      issuer,
      credentialSubject: { id: 'did:example:self-test', course: time.toISOString() },
    }
    const signed = await documents.sign({ credential, proofType: 'eddsa-rdfc-2022', signer, now: time }, nobody)
    const resolveDid = async (did: string) => resolveDidKey(did)
    const verdictOf = async (each: Json) =>
      (await documents.verify({ credential: each, now: time, resolveDid }, nobody)).verified
    const changed = { ...signed, credentialSubject: { id: 'did:example:self-test', course: 'changed' } }
    if (!(await verdictOf(signed))) throw new Error('a document that this process signed does not verify')
    if (await verdictOf(changed)) throw new Error('a document that was changed after signing verifies')
  }

  const here = tested(() => signAndVerify(LIGHT), heldMs, failed)
  const busy = (error: unknown) =>
    error instanceof Unavailable || (error instanceof Refusal && error.code === 'credential.too_complex')
  const threads = tested(
    () =>
      signAndVerify(THREADED).catch((error: unknown) => {
        if (!busy(error)) throw error // a full queue says nothing about whether the threads work
      }),
    heldMs,
    failed,
  )

  return {
    async check() {
      void threads.look()
      const inTime = await Promise.race([here.look().then(() => true), pause(boundMs, false, { ref: false })])
      if (!inTime) throw new Error(`the process did not sign and verify a document within ${boundMs} ms`)
      for (const { failure } of [here, threads]) if (failure() !== undefined) throw failure()
    },
    async prove() {
      await signAndVerify(LIGHT)
      await signAndVerify(THREADED)
    },
  }
}
