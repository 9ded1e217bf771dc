import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import { normalisedPassword } from '../../../protocol/administration/accounts/passwords.ts'
import { TooMany } from '../../../protocol/errors.ts'
import { newSecret } from '../../frame/secrets.ts'

/** argon2id, the package's default algorithm, at least as OWASP's ASVS 5.0, 11.4.2, has it. */
const COST = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }

/** Each takes 19 MiB and some 30 ms of a thread of libuv, of which others need some. */
const AT_ONCE = 2
/** Some seconds of work; more of them would wait longer than their callers do. */
const MOST_WAITING = 100

/** Hashes and compares passwords, two at a time, off the event loop. */
export function createPasswords() {
  const limited = pLimit(AT_ONCE)
  let ofNobody: Promise<string> | undefined

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (limited.pendingCount < MOST_WAITING) return limited(work)
    throw new TooMany('login.too_busy', 'Too many people log in or register at this moment. Try again shortly.', 5)
  }

  const hashPassword = (password: string): Promise<string> => inTurn(() => hash(normalisedPassword(password), COST))

  return {
    /** Throws `login.too_busy`. */
    hashPassword,

    /** Without a hash it is false, after as much work. Throws `login.too_busy`. */
    async isPassword(password: string, passwordHash: string | null | undefined): Promise<boolean> {
      ofNobody ??= hashPassword(newSecret())
      const compared = passwordHash ?? (await ofNobody.catch(forget))
      const isRight = await inTurn(() => verify(compared, normalisedPassword(password)))
      return isRight && typeof passwordHash === 'string'
    },
  }

  /** The next one tries again. */
  function forget(error: unknown): never {
    ofNobody = undefined
    throw error
  }
}

export type Passwords = ReturnType<typeof createPasswords>
