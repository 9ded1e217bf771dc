import { Refusal, Unavailable } from '../../protocol/errors.ts'

export const isKeyMissing = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code === 'key.not_found'

/** The key store lacks a key that a row names: a fault of the platform, which lasts until an operator acts. */
export class KeyLost extends Unavailable {
  readonly refusal: Refusal

  /** @param what Which key, for people. */
  constructor(what: string, refusal: Refusal) {
    super('keys', `The key store has lost ${what}. An operator must act.`, 30, { cause: refusal })
    this.refusal = refusal
  }
}

/** Handler of errors of the key store, for a key that the caller did not name: throws `KeyLost` where it is missing. */
export const orLost =
  (what: string) =>
  (error: unknown): never => {
    throw isKeyMissing(error) ? new KeyLost(what, error) : error
  }
