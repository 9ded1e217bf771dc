import type { Dependencies } from '../dependencies.ts'
import { createClients } from './clients.ts'
import { createTokenKeyRotation } from './keys.ts'
import { composeLogs, logActivities } from './logs/index.ts'
import { createTokens } from './tokens.ts'

/** Operations of access tokens and of the log. */
export const composeTokensLogs = (dependencies: Dependencies) => ({
  clients: createClients(dependencies),
  tokens: createTokens(dependencies),
  tokensLogs: composeLogs(dependencies),
})

/** Activities of the workflows of tokens and of the log. */
export function tokenActivities(dependencies: Dependencies) {
  const { rotateTokenKeys } = createTokenKeyRotation(dependencies)
  return { rotateTokenKeys, ...logActivities(dependencies) }
}
