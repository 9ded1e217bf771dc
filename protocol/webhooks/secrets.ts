import { createHmac } from 'node:crypto'
import { Refusal } from '../errors.ts'

const PREFIX = 'whsec_'
/** Of the key of a secret with the prefix (Standard Webhooks, Signature scheme). */
const KEY_BYTES = { least: 24, most: 64 }
/** Of a secret without it. */
const CHARACTERS = { least: 16, most: 255 }

const refuse = (message: string): never => {
  throw new Refusal('webhook.invalid_secret', 'The secret of the webhook cannot be used; see errors.', [
    { path: 'secret', code: 'secret', message },
  ])
}

/**
 * Returns the HMAC key of a secret: the bytes after `whsec_`, in base64, or any other text itself, in UTF-8. Throws
 * `Refusal('webhook.invalid_secret')`, which does not repeat it.
 */
export function secretKey(secret: string): Buffer {
  if (secret.startsWith(PREFIX)) {
    const text = secret.slice(PREFIX.length)
    const key = Buffer.from(text, 'base64')
    const full = key.toString('base64') // a sender may leave out the padding
    if (text !== full && text !== full.split('=', 1)[0]) return refuse(`expected base64 after ${PREFIX}`)
    if (key.length >= KEY_BYTES.least && key.length <= KEY_BYTES.most) return key
    return refuse(`expected ${KEY_BYTES.least} to ${KEY_BYTES.most} bytes in base64 after ${PREFIX}`)
  }
  if (secret.length < CHARACTERS.least || secret.length > CHARACTERS.most || !/^[\x21-\x7e]+$/.test(secret))
    return refuse(
      `expected ${CHARACTERS.least} to ${CHARACTERS.most} characters of ASCII without spaces, or ${PREFIX} and ${KEY_BYTES.least} to ${KEY_BYTES.most} bytes in base64`,
    )
  return Buffer.from(secret)
}

/** The headers of Standard Webhooks besides `webhook-id`: time in seconds, and HMAC-SHA-256 of id, time and body. */
export function standardHeaders(secret: string, id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const mac = createHmac('sha256', secretKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` }
}
