import { setTimeout as wait } from 'node:timers/promises'
import type { Json } from '../protocol/data-integrity/index.ts'
import type { Child } from './child.ts'
import { type Format, payload, SERIAL } from './formats.ts'
import type { Load } from './load.ts'
import type { Loop, LoopResult } from './loops/linked-data.ts'
import type { Measured } from './measure.ts'
import type { BenchedPlatform } from './platform.ts'

const CREDENTIALS = 64
const PATH = '/v1/credentials/web-semantic'

export interface Tools {
  platform: BenchedPlatform
  load: Child<Load, Measured>
  loop: Child<Loop, LoopResult>
  seconds: number
  say: (line: string) => void
}

export interface Prepared {
  did: string
  /** To sign, sent in turn. */
  requests: object[]
  signed: Json[]
  /** What others verify: of BBS, derived credentials. */
  shown: Json[]
}

/** An issuer, and credentials of it to verify. A BBS base proof is for its holder: what others verify is derived from it. */
export async function prepare(format: Format, { platform, loop }: Tools): Promise<Prepared> {
  const { did } = await platform.post<{ did: string }>('/v1/dids', {
    method: 'KEY',
    options: { keyType: format.keyType },
  })
  const request = { payload: payload(format, did), proofType: format.name, revocable: false }
  const signed: Json[] = []
  while (signed.length < CREDENTIALS) {
    const body = JSON.stringify(request).replace(SERIAL, String(signed.length))
    signed.push((await platform.post<{ credential: Json }>(`${PATH}/sign`, JSON.parse(body))).credential)
  }
  if (format.name !== 'bbs-2023') return { did, requests: [request], signed, shown: signed }
  const { derived } = await loop.ask({ format: format.name, verb: 'derive', credentials: signed, seconds: 0 })
  return { did, requests: [request], signed, shown: derived }
}

/** Requests of one kind, so many at a time. */
export function overHttp(
  verb: 'sign' | 'verify',
  { requests, shown }: Prepared,
  tools: Pick<Tools, 'platform' | 'load'>,
) {
  const bodies = verb === 'sign' ? requests : shown.map((payload) => ({ payload }))
  const expected = verb === 'sign' ? '"proof":{' : '"verified":true'
  return sending({ path: `${PATH}/${verb}`, bodies: bodies.map((body) => JSON.stringify(body)), expected }, tools)
}

export function sending(
  requests: Pick<Load, 'path' | 'bodies' | 'expected'>,
  { platform: { host, port, token }, load }: Pick<Tools, 'platform' | 'load'>,
) {
  const common = { host, port, token, ...requests }
  return (concurrency: number, seconds: number) => load.ask({ ...common, concurrency, seconds })
}

/** With the processor time of the whole platform. What was left to do before, such as log entries, is not this one's work. */
export async function withWork(platform: BenchedPlatform, run: () => Promise<Measured>): Promise<Measured> {
  await wait(200)
  const before = platform.workMs()
  const measured = await run()
  await wait(200)
  const after = platform.workMs()
  return { ...measured, ...(before !== undefined && after !== undefined && { workMs: after - before }) }
}
