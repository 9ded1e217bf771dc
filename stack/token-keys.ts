import { randomUUID } from 'node:crypto'
import { openDependencies } from '../activities/index.ts'
import { createTokenKeyRotation } from '../activities/tokens-logs/keys.ts'
import { loadConfig } from '../config.ts'
import { asCommand } from './command.ts'

/**
 * For an operator, with the platform's environment: `rotate` adds a key that signs ten minutes from now, `replace` ends
 * every token that was issued, for when a key may be known to somebody.
 */
await asCommand(async () => {
  const config = loadConfig(process.env)
  const verb = process.argv[2]
  if (verb !== 'rotate' && verb !== 'replace') throw new Error('Name the action: rotate or replace.')
  const { systemSql, keys, close } = await openDependencies(config)
  try {
    const { addTokenKey, replaceTokenKeys } = createTokenKeyRotation({ systemSql, keys, config })
    await (verb === 'rotate' ? addTokenKey : replaceTokenKeys)(randomUUID())
    const said = {
      rotate: 'A new token key is published and signs in ten minutes. Tokens of the old key stay valid.',
      replace: 'Every access token issued so far ends within a minute; clients get new ones.',
    }
    process.stdout.write(`${said[verb]}\n`)
  } finally {
    await close()
  }
})
