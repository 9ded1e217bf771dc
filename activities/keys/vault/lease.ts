import { type Fields, fields, text } from './answers.ts'
import type { Credentials } from './credentials.ts'

/** The calls that a session makes; `token` is empty for a login. */
export interface SessionCalls {
  read(path: string, token: string): Promise<Fields>
  write(path: string, data: object, token: string): Promise<Fields>
}

/** A token of Vault. */
export interface Lease {
  token: string
  /** 0 for one that is not renewed. */
  seconds: number
  renewable: boolean
}

const leaseOf = (auth: Fields): Lease => ({
  token: text(auth.client_token),
  seconds: Number(auth.lease_duration ?? 0),
  renewable: auth.renewable === true,
})

/** Logs in by AppRole, or looks up a configured token. */
export async function logIn(calls: SessionCalls, credentials: Credentials): Promise<Lease> {
  if ('roleId' in credentials) {
    const { roleId, secretId } = credentials
    const answer = await calls.write('auth/approle/login', { role_id: roleId, secret_id: secretId }, '')
    return leaseOf(fields(answer.auth))
  }
  const { ttl, renewable } = fields((await calls.read('auth/token/lookup-self', credentials.token)).data)
  return { token: credentials.token, seconds: renewable === true ? Number(ttl) : 0, renewable: renewable === true }
}

export const renew = async (calls: SessionCalls, { token }: Lease): Promise<Lease> =>
  leaseOf(fields((await calls.write('auth/token/renew-self', {}, token)).auth))
