import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openDependencies } from '../activities/index.ts'
import { createTokenKeyRotation } from '../activities/tokens-logs/keys.ts'
import { createWebhookKeyRotation } from '../activities/webhooks/keys.ts'
import { asCommand } from './command.ts'
import { LOCAL, withInstallation } from './local/installation.ts'

const SAID = {
  tokens: {
    rotate: 'A new token key is published and signs in ten minutes. Tokens of the old key stay valid.',
    replace: 'Every access token issued so far ends within a minute; clients get new ones.',
  },
  webhooks: {
    rotate: 'A new webhook key is published and signs in an hour. Signatures of the old key stay valid.',
    replace: 'Another webhook key signs within a minute; signatures of the former keys cannot be checked any more.',
  },
}

/**
 * For an operator: `rotate` adds a key that signs ten minutes from now, `replace` ends every token that was issued, for
 * when a key may be known to somebody. With `webhooks` behind it: the key that signs deliveries, of which a new one signs
 * in an hour.
 */
await asCommand(async () => {
  const { values, positionals } = parseArgs({
    options: { local: { type: 'string', default: LOCAL } },
    allowPositionals: true,
  })
  const [verb, kind = 'tokens', ...more] = positionals
  if (verb !== 'rotate' && verb !== 'replace') throw new Error('Name the action: rotate or replace.')
  if ((kind !== 'tokens' && kind !== 'webhooks') || more.length > 0)
    throw new Error('Name the keys: tokens (default) or webhooks.')
  await withInstallation(process.env, { local: resolve(values.local) }, async (config) => {
    const { systemSql, keys, close } = await openDependencies(config, { patient: true })
    try {
      const tokens = createTokenKeyRotation({ systemSql, keys, config })
      const webhooks = createWebhookKeyRotation({ systemSql, keys, config })
      const actions = {
        tokens: { rotate: tokens.addTokenKey, replace: tokens.replaceTokenKeys },
        webhooks: { rotate: webhooks.addWebhookKey, replace: webhooks.replaceWebhookKeys },
      }
      await actions[kind][verb](randomUUID())
      process.stdout.write(`${SAID[kind][verb]}\n`)
    } finally {
      await close()
    }
  })
})
