import { gunzipSync, gzipSync } from 'node:zlib'
import { MAX_LINE_BYTES } from '../../../protocol/administration/transfers/file.ts'
import type { Dependencies } from '../../dependencies.ts'
import { createSealer } from '../../frame/sealing.ts'

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
    sealChunk(exportId: string, place: number, lines: readonly string[]) {
      const member = gzipSync(Buffer.from(lines.map((line) => `${line}\n`).join('')))
      return { size: member.length, content: sealer.seal(member, exportPlace(exportId, place)) }
    },
    /** The member of gzip, as a part of the file. */
    openChunk: (exportId: string, place: number, content: Uint8Array): Buffer =>
      sealer.open(content, exportPlace(exportId, place)),

    sealSegment: (importId: string, place: number, lines: readonly string[]): Buffer =>
      sealer.seal(gzipSync(Buffer.from(lines.join('\n')), { level: 1 }), segmentPlace(importId, place)),
    openSegment: (importId: string, place: number, content: Uint8Array): string[] =>
      gunzipSync(sealer.open(content, segmentPlace(importId, place)), {
        maxOutputLength: MAX_LINE_BYTES + 2 * CHUNK_LENGTH * 4,
      })
        .toString('utf8')
        .split('\n'),
  }
}

export type TransferStorage = ReturnType<typeof createTransferStorage>
