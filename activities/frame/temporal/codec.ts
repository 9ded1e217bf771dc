import { hkdfSync } from 'node:crypto'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common'
import proto from '@temporalio/proto'
import { createSealer, type Sealer } from '../sealing.ts'

const ENCODING = 'binary/encrypted'
const PURPOSE = 'temporal-payloads'
const PLAIN = 0
const GZIPPED = 1
/** Below this size gzip saves nothing. */
const COMPRESS_FROM_BYTES = 1024
/** Well above Temporal's limit of 2 MiB per payload; bounds gzip bombs. */
const MAX_PLAIN_BYTES = 16 * 1024 * 1024

const text = new TextEncoder()
const payloadMessage = proto.temporal.api.common.v1.Payload

/** Returns one byte for the form, then the bytes, compressed where that makes them fewer. */
export const pack = (bytes: Uint8Array): Buffer => {
  if (bytes.length >= COMPRESS_FROM_BYTES) {
    const smaller = gzipSync(bytes, { level: 1 })
    if (smaller.length < bytes.length) return Buffer.concat([Buffer.from([GZIPPED]), smaller])
  }
  return Buffer.concat([Buffer.from([PLAIN]), bytes])
}

export const unpack = (bytes: Buffer): Buffer =>
  bytes[0] === GZIPPED ? gunzipSync(bytes.subarray(1), { maxOutputLength: MAX_PLAIN_BYTES }) : bytes.subarray(1)

/**
 * Returns an id of a key that reveals nothing of it, so that a reader finds the right key after a rotation (RFC 5869).
 */
const keyIdOf = (masterKey: Uint8Array): string =>
  Buffer.from(hkdfSync('sha256', masterKey, '', `countersign/${PURPOSE}/id`, 8)).toString('base64url')

const metadataText = ({ metadata }: Payload, name: string): string | undefined => {
  const value = metadata?.[name]
  return value ? Buffer.from(value).toString('utf8') : undefined
}

/**
 * Encrypts whole payloads, their own metadata with them, with AES-256-GCM under a key derived from the master key. In
 * clear remain the encoding and the key's id, both authenticated. Former master keys, if given, still read; the first
 * one writes.
 */
export function createPayloadCodec(masterKey: Uint8Array, ...formerMasterKeys: Uint8Array[]): PayloadCodec {
  const keyId = keyIdOf(masterKey)
  const sealers = new Map<string, Sealer>(
    [masterKey, ...formerMasterKeys].map((key) => [keyIdOf(key), createSealer(key, PURPOSE)]),
  )
  const sealerOf = (id: string): Sealer => {
    const sealer = sealers.get(id)
    if (!sealer) throw new Error(`the payload was encrypted with key "${id}", which this process does not hold`)
    return sealer
  }
  const boundTo = (id: string) => `${ENCODING};${id}`
  const metadata = { encoding: text.encode(ENCODING), 'encryption-key-id': text.encode(keyId) }
  return {
    async encode(payloads) {
      return payloads.map((payload) => {
        const plain = payloadMessage.encode(payload).finish()
        return { metadata, data: sealerOf(keyId).seal(pack(plain), boundTo(keyId)) }
      })
    },
    /** Returns an unencrypted payload unchanged. */
    async decode(payloads) {
      return payloads.map((payload) => {
        if (metadataText(payload, 'encoding') !== ENCODING) return payload
        const id = metadataText(payload, 'encryption-key-id') ?? ''
        const plain = sealerOf(id).open(payload.data ?? new Uint8Array(0), boundTo(id))
        const { metadata, data } = payloadMessage.decode(unpack(plain))
        return { metadata, data }
      })
    },
  }
}

/**
 * A path, because the SDK loads the module three times: in the client, in the worker, and inside the workflow bundle.
 */
export const failureConverterPath = fileURLToPath(
  new URL(`./failures${extname(new URL(import.meta.url).pathname)}`, import.meta.url),
)

/** For clients, workers and replay alike: what Temporal stores of arguments, results and errors is encrypted. */
export const createDataConverter = (masterKey: Uint8Array, ...formerMasterKeys: Uint8Array[]): DataConverter => ({
  payloadCodecs: [createPayloadCodec(masterKey, ...formerMasterKeys)],
  failureConverterPath,
})
