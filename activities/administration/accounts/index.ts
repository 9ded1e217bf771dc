import type { Frame } from '../../frame/index.ts'
import { createSealer } from '../../frame/sealing.ts'
import type { Tokens } from '../../tokens-logs/tokens.ts'
import { createMailQueue } from '../mails/queue.ts'
import { createAddressLimits, createAttempts } from './attempts.ts'
import { createCodes } from './codes.ts'
import { createDevices } from './devices.ts'
import { createLogin } from './login.ts'
import { createOwnAccounts } from './own.ts'
import { createOwnPassword } from './own-password.ts'
import { createPasswordChanges } from './password.ts'
import { createPasswords } from './passwords.ts'
import { createPeople } from './people.ts'
import { createRefreshTokens } from './refresh-tokens.ts'
import { createRegistration } from './registration.ts'
import { createSessions } from './sessions.ts'

/** Operations of accounts: registration, login, sessions. */
export function composeAccounts(frame: Frame & { tokens: Tokens }) {
  const { masterKey } = frame.config
  const parts = {
    ...frame,
    people: createPeople(masterKey),
    passwords: createPasswords(),
    devices: createDevices(frame),
    mails: createMailQueue(frame),
    attempts: createAttempts(frame),
    addressLimits: createAddressLimits(frame),
    refreshTokens: createRefreshTokens(masterKey),
  }
  const ownPassword = createOwnPassword(parts)
  const more = { ...parts, ownPassword, codeSealer: createSealer(masterKey, 'account-authenticators') }
  const sessions = createSessions(parts)
  const codes = createCodes(more)
  const { origin, protocol } = frame.config.publicUrl
  return {
    /** Where browsers reach the platform. */
    site: { origin, isSecure: protocol === 'https:' },
    registration: createRegistration(parts),
    sessions,
    codes,
    passwordChanges: createPasswordChanges(more),
    login: createLogin({ ...parts, sessions, codes }),
    ownAccounts: createOwnAccounts(more),
  }
}
