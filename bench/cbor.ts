import { type Batches, batchInTurn } from './batch.ts'
import type { CborFormat } from './cbor.formats.ts'
import { type Child, startChild } from './child.ts'
import { SERIAL } from './formats.ts'
import type { CborLoop } from './loops/cbor.ts'
import type { Measured } from './measure.ts'
import { sending, type Tools } from './prepare.ts'
import { type Row, table } from './report.ts'
import { inRounds } from './rounds.ts'

export interface CborMeasured {
  rows: Row[]
  batches: Batches[]
}

/** Signs credentials in CBOR over HTTP beside their library, and in batches beside single requests. */
export async function measureCbor(format: CborFormat, tools: Tools, batchRows: number): Promise<CborMeasured> {
  const { platform, seconds, say } = tools
  const { name, path, expected, batch, row } = format
  const body = await format.prepare(platform)
  const loop: Child<CborLoop, Measured> = startChild('./loops/cbor.ts')
  try {
    const { data = [] } = await platform.get<{ data?: { certificatePem: string }[] }>('/v1/credentials/mobile/iacas')
    const certificatePem = data[0]?.certificatePem
    const plainly = (forSeconds: number) =>
      loop.ask({ format: name, seconds: forSeconds, ...(certificatePem !== undefined && { certificatePem }) })
    const send = (revocable: boolean) =>
      sending({ path, bodies: [JSON.stringify({ ...body, revocable })], expected }, tools)
    const measured = await inRounds({ format: name, verb: 'sign', plainly, ask: send(false) }, tools)
    say(table([measured]).split('\n').at(-1) ?? '')
    const batches: Batches[] = []
    for (const revocable of [true, false]) {
      const lines = Array.from({ length: batchRows }, (_, serial) =>
        JSON.stringify(body).replace(SERIAL, String(serial).padStart(SERIAL.length, '0')),
      ).join('\n')
      const query = new URLSearchParams({ ...batch, revocable: String(revocable) }).toString()
      const upload = { lines, query, rows: batchRows }
      batches.push({ format: name, row, revocable, ...(await batchInTurn(upload, send(revocable), tools, seconds)) })
    }
    return { rows: [measured], batches }
  } finally {
    loop.stop()
  }
}
