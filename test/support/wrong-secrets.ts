import { randomUUID } from 'node:crypto'
import type { Client } from './world.ts'

/** Token requests with a wrong secret: of a client that is known, of one that is not, and of what is no client id. */
export const wrongSecrets = ({ clientId, clientSecret }: Client) => {
  const grantType = 'client_credentials'
  return [
    { clientId, clientSecret: 'x'.repeat(43), grantType },
    { clientId: randomUUID(), clientSecret, grantType },
    { clientId: "' or 1=1 --", clientSecret, grantType },
  ] as const
}
