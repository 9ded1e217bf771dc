import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { MAX_LINE_BYTES } from '../../../protocol/administration/transfers/file.ts'
import type { Dependencies } from '../../dependencies.ts'
import { createSealer } from '../../frame/sealing.ts'

// in Node's own threads: a line may have megabytes, and requests of others wait for this one
const [compress, decompress] = [promisify(gzip), promisify(gunzip)]

/** Characters of lines in one chunk, but for a line that is longer. */
export const CHUNK_LENGTH = 512 * 1024

/** Whole lines of an upload, and the number of the first. */
export interface Segment {
  firstLine: number
  lines: string[]
}

/** Lines, compressed and encrypted, as rows keep them: each part of a file is bound to its place. */
export function createTransferStorage({ config }: Pick<Dependencies, 'config'>) {
  const sealer = createSealer(config.masterKey, 'tenant-transfers')
  const exportPlace = (exportId: string, place: number) => `exports/${exportId}/${place}`
  const segmentPlace = (importId: string, attempt: number) => `imports/${importId}/${attempt}`
  return {
    /** A member of gzip, and how it is kept. */
    async sealChunk(exportId: string, place: number, lines: readonly string[]) {
      const member = await compress(Buffer.from(lines.map((line) => `${line}\n`).join('')))
      return { size: member.length, content: sealer.seal(member, exportPlace(exportId, place)) }
    },
    /** The member of gzip, as a part of the file. */
    openChunk: (exportId: string, place: number, content: Uint8Array): Buffer =>
      sealer.open(content, exportPlace(exportId, place)),

    async sealSegment(importId: string, place: number, lines: readonly string[]): Promise<Buffer> {
      const member = await compress(Buffer.from(lines.join('\n')), { level: 1 })
      return sealer.seal(member, segmentPlace(importId, place))
    },
    async openSegment(importId: string, place: number, content: Uint8Array): Promise<string[]> {
      const text = await decompress(sealer.open(content, segmentPlace(importId, place)), {
        maxOutputLength: MAX_LINE_BYTES + 2 * CHUNK_LENGTH * 4,
      })
      return text.toString('utf8').split('\n')
    },
  }
}

export type TransferStorage = ReturnType<typeof createTransferStorage>
