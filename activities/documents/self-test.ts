import { generateKeyPairSync, sign } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { CONTEXT } from '../../protocol/contexts/index.ts'
import type { Json, Signer } from '../../protocol/data-integrity/index.ts'
import { didKeyMethodId, didKeyOf, resolveDidKey } from '../../protocol/dids/key.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { bundledOnly, type Documents } from './index.ts'

/** Whether this process can do what it is for, found out by doing it: a credential is signed and verified (D-157). */
export interface SelfTest {
  /**
   * For readiness: rejects when the process cannot sign or verify. Asked again within seconds it repeats its answer. Threads
   * are not waited for: what came of their last test counts.
   */
  check(): Promise<void>
  /** Signs and verifies now, in this thread and in another. Rejects, also with `Unavailable('documents')`. */
  prove(): Promise<void>
}

interface Parts {
  documents: Pick<Documents, 'sign' | 'verify'>
  now(): Date
  /** With a did:key; a fresh one that lives as long as the process unless given. */
  signer?: Signer
  /** Told when a test fails after one that did not. */
  failed?(error: unknown): void
  /** Milliseconds that an answer holds, and that one is waited for. */
  heldMs?: number
  boundMs?: number
}

/** Among tenants it takes its turns as one of its own; what is to be tested here is not done in a thread. */
const nobody = { ...bundledOnly('self-test'), isOurs: true }

/** No key of the key store: that it is away is no fault of this process. */
function throwAwaySigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url')
  const key = { keyType: 'ed25519', publicKey: raw } as const
  return {
    ...key,
    verificationMethod: didKeyMethodId(didKeyOf('ed25519', raw), key),
    sign: async (data) => sign(null, data, privateKey),
    bbsSign: () => Promise.reject(new Error('the self-test signs with Ed25519 alone')),
  }
}

const LIGHT: Json = { course: 'https://schema.org/courseCode' }
/** A term with a context of its own takes a document into a thread (lanes.ts). */
const THREADED: Json = { course: { '@id': 'https://schema.org/courseCode', '@context': {} } }

/** One run at a time; its outcome is known for a while. */
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
        if (!busy(error)) throw error // a queue that is full says nothing of what is done when its turn comes
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
