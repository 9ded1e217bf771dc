import type { Schema } from './schemas.ts'

/**
 * URLs that the platform calls. The pattern takes each one that the platform takes, also with letters outside of ASCII; which
 * hosts and ports can be called is more than a pattern says, and the refusal tells it.
 */
const urlSchema = (path: string, description: string, example: string): Schema => ({
  type: 'string',
  description,
  pattern: `^[hH][tT][tT][pP][sS]?://[^/?#@\\\\\\s]+${path}$`,
  maxLength: 2048,
  example,
})

export const urlWithoutQuery = (description: string, example: string): Schema =>
  urlSchema('(/[^?#\\\\\\s]*)?', description, example)

export const urlWithFragment = (description: string, example: string): Schema =>
  urlSchema('(/[^?#\\\\\\s]*)?(#[^\\\\\\s]*)?', description, example)

export const urlWithQuery = (description: string, example: string): Schema =>
  urlSchema('(/[^?#\\\\\\s]*)?(\\?[^#\\\\\\s]*)?', description, example)
