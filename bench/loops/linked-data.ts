import type { Json } from '../../protocol/data-integrity/index.ts'
import { serveJobs } from '../child.ts'
import { FORMATS } from '../formats.ts'
import { type Measured, repeated } from '../measure.ts'
import { createPeer, type Peer } from '../peer.ts'

/** One thing after another on one thread for a while, or, with `derive`, once over all. */
export interface Loop {
  format: string
  verb: 'sign' | 'verify' | 'derive'
  /** As the platform answered them. */
  credentials: Json[]
  seconds: number
}

export interface LoopResult {
  measured: Measured
  derived: Json[]
}

const peers = new Map<string, Promise<Peer>>()

function peerOf(name: string): Promise<Peer> {
  const format = FORMATS.find((one) => one.name === name)
  if (!format) throw new Error(`There is no format ${name}.`)
  const peer = peers.get(name) ?? createPeer(format)
  peers.set(name, peer)
  return peer
}

async function run({ format, verb, credentials, seconds }: Loop): Promise<LoopResult> {
  const peer = await peerOf(format)
  if (verb === 'derive') {
    const derived = await Promise.all(credentials.map((credential) => peer.derive(credential)))
    return { measured: { done: derived.length, errors: 0, seconds: 0, latencies: [] }, derived }
  }
  const inputs = verb === 'verify' ? credentials : credentials.map(({ proof: _, ...unsigned }) => unsigned)
  const measured = await repeated(seconds, async (done) => {
    const input = inputs[done % inputs.length]
    if (!input) throw new Error('no credentials to work on')
    await (verb === 'sign' ? peer.sign(input) : peer.verify(input))
  })
  return { measured, derived: [] }
}

serveJobs(run)
