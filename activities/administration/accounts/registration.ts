import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { takeTurn } from '../../../entities/orm.ts'
import { EMAIL_EXPECTED, readEmail } from '../../../protocol/administration/accounts/emails.ts'
import { PASSWORD_EXPECTED, passwordFault } from '../../../protocol/administration/accounts/passwords.ts'
import { type FieldError, Refusal } from '../../../protocol/errors.ts'
import { isLabel, LABEL_EXPECTED } from '../../../protocol/names.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Operations } from '../../frame/operations.ts'
import { digestOf, newSecret } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { MailQueue } from '../mails/queue.ts'
import type { AddressLimits } from './attempts.ts'
import { asCall, type StrangerCall } from './calls.ts'
import type { DeviceMark, Devices } from './devices.ts'
import type { Passwords } from './passwords.ts'
import { accountPlace, type People, type Person, registrationPlace } from './people.ts'

export const VERIFICATION_HOURS = 24

export interface NewUser {
  email: string
  firstName: string
  middleName?: string | null | undefined
  lastName: string
  password: string
}

const FIELDS = { email: 'email', firstName: 'first_name', middleName: 'middle_name', lastName: 'last_name' } as const

/** Names of a person, with the errors of those that are none. */
export function namesOf({ firstName, middleName, lastName }: Omit<NewUser, 'email' | 'password'>) {
  const names = { firstName, middleName: middleName ?? null, lastName }
  const wrong = (['firstName', 'middleName', 'lastName'] as const).filter((field) => {
    const name = names[field]
    return name !== null && !isLabel(name)
  })
  const errors: FieldError[] = wrong.map((field) => ({ path: FIELDS[field], code: 'label', message: LABEL_EXPECTED }))
  return { names, errors }
}

/** The error of a password that must not be an account's, if it is one. */
export const passwordErrors = (password: string, path: string, own: readonly string[]): FieldError[] => {
  const code = passwordFault(password, own)
  return code === undefined ? [] : [{ path, code, message: PASSWORD_EXPECTED }]
}

/** What others know of a person, which a password must not be. */
export const knownOf = ({ email, firstName, lastName }: Pick<Person, 'email' | 'firstName' | 'lastName'>): string[] => [
  email,
  email.split('@', 1)[0] ?? '',
  firstName,
  lastName,
  `${firstName}${lastName}`,
  'countersign',
]

/** Throws `account.invalid` with every wrong member. */
function readUser(user: NewUser): Person {
  const email = readEmail(user.email)
  const { names, errors } = namesOf(user)
  const all: FieldError[] = [
    ...(email === undefined ? [{ path: FIELDS.email, code: 'email', message: EMAIL_EXPECTED }] : []),
    ...errors,
    ...passwordErrors(user.password, 'password', knownOf({ ...names, email: email ?? user.email })),
  ]
  if (email === undefined || all.length > 0)
    throw new Refusal('account.invalid', 'Members of the account are not valid; see errors.', all)
  return { email, ...names }
}

interface Parts extends Pick<Dependencies, 'systemSql' | 'now' | 'uuid'> {
  operations: Operations
  tenants: Tenants
  people: People
  passwords: Passwords
  devices: Devices
  mails: MailQueue
  addressLimits: AddressLimits
}

const INSERT = `insert into account_registrations (id, email_index, content, password_hash, token_digest, is_mailed, expires_at)
values (?, ?, ?, ?, ?, ?, ?)`

/** Of one address beside those that have a mail: anybody registers any address. */
const MOST_WITHOUT_MAIL = 5

const PRUNE = `delete from account_registrations where id in (select id from account_registrations
  where email_index = ? and not is_mailed order by created_at desc, id offset ${MOST_WITHOUT_MAIL})`

const BY_TOKEN = `select email_index as "emailIndex" from account_registrations where token_digest = $1 and expires_at > now()`

const OF_ADDRESS = `select id, content, password_hash as "passwordHash" from account_registrations
where email_index = $1 and expires_at > now() order by token_digest = $2 desc, created_at desc, id limit ${MOST_WITHOUT_MAIL + 1}`

/** The link, and the registration that it confirms, which may be another one of the address. */
const TAKE = `with taken as (delete from account_registrations where email_index = ? returning id, token_digest)
select 1 from taken having bool_or(token_digest = ?) and bool_or(id = ?::uuid)`

const CREATE = 'insert into accounts (id, email_index, content, password_hash) values (?, ?, ?, ?)'

interface Registered {
  id: string
  content: Buffer
  passwordHash: string
}

const badToken = () =>
  new Refusal('account.token_invalid', 'The token is not good: it was used, has expired, or was altered.')

/**
 * Registration: an account begins when its address is confirmed, with what the confirmed registration said. Nobody learns whether
 * an address has an account: answer, work and number of mails are the same (D-621).
 */
export function createRegistration({ now, uuid, tenants, people, passwords, devices, ...parts }: Parts) {
  const { systemSql, operations, mails, addressLimits } = parts

  /** Whether somebody has an account with this address; registrations of it wait for each other. */
  async function isTaken(em: SqlEntityManager, emailIndex: Buffer): Promise<boolean> {
    await takeTurn(em, `account ${emailIndex.toString('hex')}`)
    return (await em.execute('select 1 from accounts where email_index = ?', [emailIndex])).length > 0
  }

  /** The registration of the token, or another one of its address, with this password. Throws `account.password_wrong`. */
  async function registeredWith(emailIndex: Buffer, digest: Buffer, password: string): Promise<Registered> {
    const { rows } = await systemSql.query<Registered>({ text: OF_ADDRESS, values: [emailIndex, digest] })
    for (const row of rows) if (await passwords.isPassword(password, row.passwordHash)) return row
    throw new Refusal('account.password_wrong', 'No registration of the address has this password.', [
      { path: 'password', code: 'password', message: 'expected the password of the registration' },
    ])
  }

  return {
    /** Throws `account.invalid`, `login.too_many`, `login.too_busy`, `Unavailable('mail')`. */
    async registerUser(call: StrangerCall, user: NewUser): Promise<void> {
      const person = readUser(user)
      mails.assertCanSend()
      await addressLimits.request(call.address)
      const passwordHash = await passwords.hashPassword(user.password)
      const { id: tenantId } = await tenants.first()
      const [id, token, recipientIndex] = [uuid(), newSecret(), people.indexOf(person.email)]
      await operations.changePlatform(asCall(call, tenantId), 'registerUser', {}, async (em) => {
        const taken = await isTaken(em, recipientIndex)
        const kind = taken ? 'ALREADY_REGISTERED' : 'VERIFY_EMAIL'
        const content = { to: person.email, ...(taken ? {} : { token }) }
        const { requestId } = call
        const pauseSeconds = await mails.enqueue(em, { kind, recipientIndex, content, tenantId, requestId })
        // of a taken address too, which takes as long; the token of such a one, and of one without a mail, is nowhere
        const sealed = people.seal(person, registrationPlace(id))
        const expires = new Date(now().getTime() + VERIFICATION_HOURS * 3_600_000)
        await em.execute(INSERT, [
          id,
          recipientIndex,
          sealed,
          passwordHash,
          digestOf(token),
          pauseSeconds === undefined,
          expires,
        ])
        await em.execute(PRUNE, [recipientIndex])
      })
    },

    /**
     * Begins the account of an address: the token proves that the caller reads its mail, and the password says which
     * registration is theirs, because strangers register other people's addresses (D-619). Returns the account and the
     * mark of its owner's browser. Throws `account.token_invalid`, `account.password_wrong`, `login.too_many`.
     */
    async verifyEmail(
      call: StrangerCall,
      { token, password }: { token: string; password: string },
    ): Promise<{ accountId: string; mark: DeviceMark }> {
      await addressLimits.attempt(call.address)
      const digest = digestOf(token)
      const [found] = (await systemSql.query<{ emailIndex: Buffer }>({ text: BY_TOKEN, values: [digest] })).rows
      if (!found) throw badToken()
      const { emailIndex } = found
      const registered = await registeredWith(emailIndex, digest, password)
      const { id: tenantId } = await tenants.first()
      const accountId = uuid()
      await operations.changePlatform(asCall(call, tenantId), 'verifyEmail', { id: accountId }, async (em) => {
        if (await isTaken(em, emailIndex)) throw badToken()
        if ((await em.execute(TAKE, [emailIndex, digest, registered.id])).length === 0) throw badToken()
        const content = people.seal(
          people.open(registered.content, registrationPlace(registered.id)),
          accountPlace(accountId),
        )
        await em.execute(CREATE, [accountId, emailIndex, content, registered.passwordHash])
      })
      await addressLimits.succeeded(call.address)
      return { accountId, mark: devices.mark(emailIndex) }
    },
  }
}

export type Registration = ReturnType<typeof createRegistration>
