import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import type { Upload } from '../../../activities/credentials/batches/upload.ts'
import { type BatchOptions, rowKindOf } from '../../../protocol/credentials/batches.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { csvRows, jsonRows, measured } from './rows.ts'

const TYPES: [RegExp, Upload['source']][] = [
  [/^application\/(x-ndjson|jsonl|x-jsonlines)\s*(;\s*charset="?utf-8"?\s*)?$/i, 'jsonl'],
  [/^text\/csv\s*(;\s*(charset="?utf-8"?|header=present)\s*)*$/i, 'csv'],
]

/** An upload that is refused is read on for so long, so that its sender sees why. */
const DRAIN_MS = 5_000

const sourceOf = ({ headers }: IncomingMessage): Upload['source'] => {
  const [, source] = TYPES.find(([pattern]) => pattern.test(headers['content-type'] ?? '')) ?? []
  if (source) return source
  throw new Refusal('request.unsupported_media_type', 'Send application/x-ndjson or text/csv, in UTF-8.')
}

/** The body as it arrives, unpacked. The connection stays open when it is not read to its end: the answer needs it. */
async function* bytesOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw new Refusal('request.unsupported_media_type', 'Use Content-Encoding gzip or none.')
  const gunzip = encoding === 'gzip' ? createGunzip() : undefined
  const broken = (error: Error) => gunzip?.destroy(error)
  request.once('error', broken).once('aborted', () => broken(new Error('aborted')))
  try {
    yield* gunzip ? request.pipe(gunzip) : request.iterator({ destroyOnReturn: false })
  } catch {
    throw new Refusal('request.malformed', 'The upload broke off, or it is not what its Content-Encoding says.')
  } finally {
    request.off('error', broken)
  }
}

export interface OpenUpload extends Upload {
  /** Reads a body that was uploaded before, for its digest alone. */
  reread(): Promise<Buffer>
  /** Lets what nobody reads any more pass by, for a while. */
  drain(): Promise<void>
}

/** Throws `Refusal('request.unsupported_media_type')`; reading throws what jsonRows and csvRows do. */
export function openUpload(request: IncomingMessage, options: BatchOptions, delimiter: string): OpenUpload {
  const source = sourceOf(request)
  const kind = rowKindOf(options)
  const hash: Hash = createHash('sha256')
  const bytes = () => measured(bytesOf(request), hash)
  let digest: Buffer | undefined
  const digestOnce = () => {
    digest ??= hash.digest()
    return digest
  }
  return {
    source,
    options,
    rows: source === 'csv' ? csvRows(bytes(), delimiter, kind) : jsonRows(bytes(), kind),
    digest: digestOnce,
    async reread() {
      for await (const _bytes of bytes());
      return digestOnce()
    },
    async drain() {
      if (request.complete || request.destroyed) return
      request.resume()
      await once(request, 'end', { signal: AbortSignal.timeout(DRAIN_MS) }).catch(() => undefined)
    },
  }
}
