import { Refusal } from '../../errors.ts'

/** Refused as OAuth's `invalid_request`; the wallet sees the message. */
export const invalidAnswer = (code: string, message: string) => new Refusal(`sign_in.${code}`, message)
