import { randomBytes } from 'node:crypto'
import test from 'ava'
import { createBbsThreads } from '../../activities/keys/bbs.ts'
import { vectorFiles, vectorJson } from '../support/credentials/conformance-vectors.ts'
import { codeOf } from '../support/parts/keys.ts'
import { needs } from '../support/parts.ts'

/** Signatures of the draft's own implementation (decentralized-identity/bbs-signature), read in place. */
const FOLDER = 'bbs-signature/tooling/fixtures/fixture_data/bls12-381-sha-256/signature'
const vectorTest = needs('conformance vectors', test.serial)

interface Vector {
  caseName: string
  signerKeyPair: { secretKey: string; publicKey: string }
  header: string
  messages: string[]
  signature: string
  result: { valid: boolean }
}

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

vectorTest('our BBS signatures are the draft’s, byte for byte, exactly where it calls them valid', async (t) => {
  const threads = createBbsThreads() // its module fences the built-ins of who loads it
  t.teardown(() => threads.close())
  const verdicts = { valid: 0, invalid: 0 }
  for (const file of vectorFiles(FOLDER)) {
    const vector = vectorJson<Vector>(file)
    const { secretKey, publicKey } = vector.signerKeyPair
    const key = { secret: bytes(secretKey), publicKey: bytes(publicKey) }
    const input = { header: bytes(vector.header), messages: vector.messages.map(bytes) }
    const made = await threads.sign('tenant', key, input)
    t.is(Buffer.from(made).toString('hex') === vector.signature, vector.result.valid, `${file}: ${vector.caseName}`)
    verdicts[vector.result.valid ? 'valid' : 'invalid'] += 1
  }
  t.deepEqual(verdicts, { valid: 3, invalid: 7 })
})

test.serial('a BBS operation that takes too long is cut off, and the next one is served', async (t) => {
  const threads = createBbsThreads({ timeoutMs: 5_000, messages: 10_000 })
  t.teardown(() => threads.close())
  const key = await threads.generate('tenant', randomBytes(32))
  const messages = Array.from({ length: 9_999 }, () => randomBytes(8))
  t.is(await codeOf(threads.sign('tenant', key, { header: randomBytes(8), messages })), 'unavailable')
  const small = () => codeOf(threads.sign('tenant', key, { header: randomBytes(8), messages: messages.slice(0, 2) }))
  let served = await small()
  for (let n = 0; n < 5 && served !== 'none'; n += 1) served = await small() // a busy machine begins a thread slowly
  t.is(served, 'none')
})

test.serial('more messages than one signature takes, or more waiting than the queue holds, are refused', async (t) => {
  const threads = createBbsThreads({ threads: 1, messages: 3, queue: 2 })
  t.teardown(() => threads.close())
  const key = await threads.generate('tenant', randomBytes(32))
  const input = { header: randomBytes(8), messages: Array.from({ length: 4 }, () => randomBytes(8)) }
  t.is(await codeOf(threads.sign('tenant', key, input)), 'key.too_many_messages')
  const small = { header: randomBytes(8), messages: [] }
  const codes = await Promise.all(
    Array.from({ length: 10 }, (_, nth) => codeOf(threads.sign(`tenant ${nth}`, key, small))),
  )
  const refused = codes.map((_, nth) => (nth < 3 ? 'none' : 'unavailable'))
  t.deepEqual(codes, refused, 'one is served, two wait')
})

test.serial('first come, first served: nobody waits while others come again and again (D-145)', async (t) => {
  const threads = createBbsThreads({ threads: 1 })
  t.teardown(() => threads.close())
  const key = await threads.generate('tenant', randomBytes(32))
  const input = { header: randomBytes(8), messages: [randomBytes(8)] }
  const served = Array.from({ length: 8 }, () => 0)
  const again = async (caller: number): Promise<void> => {
    await threads.sign('tenant', key, input)
    served[caller] = (served[caller] ?? 0) + 1
    if (Math.max(...served) < 6) await again(caller)
  }
  await Promise.all(served.map((_, caller) => again(caller)))
  t.true(Math.min(...served) >= 5, served.join(' '))
})
