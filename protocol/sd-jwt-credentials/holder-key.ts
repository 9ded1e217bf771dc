import { fromJwk, isPrivateJwk, type PublicJwk } from '../dids/jwk.ts'
import { type FieldError, Refusal } from '../errors.ts'

const isHolderKey = (jwk: PublicJwk): boolean => {
  try {
    return !isPrivateJwk(jwk) && ['p256', 'ed25519'].includes(fromJwk(jwk).keyType)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return false
  }
}

/** What forbids that a credential is bound to a key. */
export const holderKeyErrors = (jwk: PublicJwk | undefined, path: string): FieldError[] =>
  jwk === undefined || isHolderKey(jwk)
    ? []
    : [{ path, code: 'holder_key', message: 'expected a public JSON Web Key of P-256 or Ed25519' }]

/** The members of a holder's key that say which key it is, as `cnf` has them (RFC 7800, section 3.2). */
export const confirmationOf = ({ kty, crv, x, y }: PublicJwk): { jwk: PublicJwk } => ({
  jwk: {
    kty,
    ...(crv !== undefined && { crv }),
    ...(x !== undefined && { x }),
    ...(y !== undefined && { y }),
  },
})
