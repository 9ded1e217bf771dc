import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FileUpload } from '../../../activities/administration/transfers/reception.ts'
import { Refusal } from '../../../protocol/errors.ts'

const GZIP = /^application\/(gzip|x-gzip)$/i
const LINES = /^application\/x-ndjson\s*(;\s*charset="?utf-8"?\s*)?$/i

/** A refused upload is still read for this long, so that its sender receives the problem. */
const DRAIN_MS = 5_000

/** Whether the body is compressed: as the file is, or on its way. */
function isCompressed({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'] ?? ''
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase()
  if (GZIP.test(type) && encoding === 'identity') return true
  if (LINES.test(type) && (encoding === 'identity' || encoding === 'gzip')) return encoding === 'gzip'
  throw new Refusal(
    'request.unsupported_media_type',
    'The file of a tenant is application/gzip, as an export writes it, or application/x-ndjson in UTF-8.',
  )
}

export interface OpenFile extends FileUpload {
  /** Reads the body of a repeated request, for its digest alone. */
  reread(): Promise<Buffer>
  /** Discards the rest of the body, for DRAIN_MS at most. */
  drain(): Promise<void>
}

/** Throws `request.unsupported_media_type`; reading throws `request.malformed`. */
export function openFile(request: IncomingMessage): OpenFile {
  const compressed = isCompressed(request)
  const hash = createHash('sha256')
  let received = 0
  let digest: Buffer | undefined
  async function* body(): AsyncGenerator<Uint8Array> {
    // the connection stays open when reading stops early: the response needs it
    for await (const bytes of request.iterator({ destroyOnReturn: false })) {
      received += bytes.length
      hash.update(bytes)
      yield bytes
    }
  }
  const digestOnce = () => {
    digest ??= hash.digest()
    return digest
  }
  async function* plain(): AsyncGenerator<Uint8Array> {
    try {
      if (!compressed) return yield* body()
      const gunzip = createGunzip()
      const source = Readable.from(body()).once('error', (error) => gunzip.destroy(error))
      yield* source.pipe(gunzip)
    } catch {
      if (received === 0) return // no bytes are no gzip: what reads the lines says that the file is empty
      throw new Refusal(
        'request.malformed',
        'The upload was interrupted, or it is not gzip to its end. Send the file as it was downloaded.',
      )
    }
  }
  return {
    plain: plain(),
    received: () => received,
    digest: digestOnce,
    async reread() {
      for await (const _bytes of body());
      return digestOnce()
    },
    async drain() {
      if (request.complete || request.destroyed) return
      request.resume()
      await once(request, 'end', { signal: AbortSignal.timeout(DRAIN_MS) }).catch(() => undefined)
    },
  }
}
