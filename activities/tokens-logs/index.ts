import type { Dependencies } from '../dependencies.ts'
import { createClients } from './clients.ts'
import { createTokenKeyRotation } from './keys.ts'
import { composeLogs, logActivities } from './logs/index.ts'
import type { SessionScopes } from './standing.ts'
import { createTokens } from './tokens.ts'

/** Operations of access tokens and of the log. `sessionScopes`: what the area of people says of their sessions. */
export const composeTokensLogs = (dependencies: Dependencies & { sessionScopes: SessionScopes }) => ({
  clients: createClients(dependencies),
  tokens: createTokens(dependencies),
  tokensLogs: composeLogs(dependencies),
})

/** Activities of the workflows of tokens and of the log. */
export function tokenActivities(dependencies: Dependencies) {
  const { rotateTokenKeys } = createTokenKeyRotation(dependencies)
  return { rotateTokenKeys, ...logActivities(dependencies) }
}
