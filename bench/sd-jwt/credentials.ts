import { type Child, startChild } from '../child.ts'
import { SERIAL } from '../formats.ts'
import type { SdJwtLoop } from '../loops/sd-jwt.ts'
import type { Measured } from '../measure.ts'
import type { BenchedPlatform } from '../platform.ts'
import { sending, type Tools } from '../prepare.ts'
import { type Row, table } from '../report.ts'
import { inRounds } from '../rounds.ts'
import { SD_JWT, sdJwtClaims } from './claims.ts'

const CREDENTIALS = 64
const PATH = '/v1/credentials/sd-jwt-vc'

interface Prepared {
  platform: BenchedPlatform
  did: string
  signed: string[]
  /** To sign, sent with other numbers each time. */
  request: object
}

/** An issuer on a platform, and credentials of it to verify. */
async function prepare(platform: BenchedPlatform): Promise<Prepared> {
  const { did } = await platform.post<{ did: string }>('/v1/dids', { method: 'KEY', options: { keyType: 'p256' } })
  const { vct, ...claims } = sdJwtClaims(SERIAL)
  const request = { payload: { vct, ...claims }, issuer_did: did, revocable: false }
  const signed: string[] = []
  while (signed.length < CREDENTIALS) {
    const body = JSON.stringify(request).replace(SERIAL, String(signed.length).padStart(SERIAL.length, '0'))
    signed.push((await platform.post<{ encoded: string }>(`${PATH}/sign`, JSON.parse(body))).encoded)
  }
  return { platform, did, signed, request }
}

function asking({ platform, signed, request }: Prepared, verb: 'sign' | 'verify', load: Tools['load']) {
  const bodies = verb === 'sign' ? [request] : signed.map((payload) => ({ payload }))
  const asked = {
    path: `${PATH}/${verb}`,
    bodies: bodies.map((body) => JSON.stringify(body)),
    expected: verb === 'sign' ? '"encoded":"' : '"verified":true',
  }
  return sending(asked, { platform, load })
}

/** Signs and verifies SD-JWT VCs over HTTP beside their library, on the same claims; `other`: in turn with another platform. */
export async function measureSdJwts(tools: Tools, other?: BenchedPlatform): Promise<Row[]> {
  const { platform, load, say } = tools
  const prepared = await prepare(platform)
  const besides = other && (await prepare(other))
  const loop: Child<SdJwtLoop, Measured> = startChild('./loops/sd-jwt.ts')
  try {
    const rows: Row[] = []
    for (const verb of ['sign', 'verify'] as const) {
      const { did, signed: credentials } = prepared
      const plainly = (seconds: number) => loop.ask({ verb, seconds, did, credentials })
      const ask = asking(prepared, verb, load)
      const beside = besides && { platform: besides.platform, ask: asking(besides, verb, load) }
      const row = await inRounds({ format: SD_JWT, verb, plainly, ask, ...(beside && { beside }) }, tools)
      say(table([row]).split('\n').at(-1) ?? '')
      rows.push(row)
    }
    return rows
  } finally {
    loop.stop()
  }
}
