import test from 'ava'
import { createLogin } from '../../../activities/administration/accounts/login.ts'
import { Refusal, TooMany } from '../../../protocol/errors.ts'
import { addAccount, browserAt, newEmail } from '../../support/accounts.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const change = (text: string, ...values: unknown[]) =>
  world.dependencies.systemSql.query<Record<string, unknown>>({ text, values })

const told = ({ status, headers, text }: Reply) => ({
  status,
  text: text.replace(/"instance":"[^"]+"/, ''),
  headers: [...headers.keys()].filter((name) => !['x-request-id', 'date', 'ratelimit'].includes(name)).sort(),
})

const guess = (email: string) => browserAt(world).login({ email, password: 'a wrong password' })

/** As if so many seconds had gone by. */
const later = (seconds: number) =>
  change(
    'update account_attempts set next_at = next_at - make_interval(secs => $1), last_at = last_at - make_interval(secs => $1)',
    seconds,
  )

test.serial(
  '1,000 wrong passwords against one account: five are looked at, and then one after each pause',
  async (t) => {
    const account = await addAccount(world)
    const owner = browserAt(world)
    t.is((await owner.login(account)).status, 200, 'the browser of the owner is known from here on')
    const statuses = new Map<number, number>()
    for (let nth = 0; nth < 50; nth++) {
      const replies = await Promise.all(Array.from({ length: 20 }, () => guess(account.email)))
      for (const { status, headers } of replies) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 429) t.true(Number(headers.get('retry-after')) >= 1)
      }
    }
    t.deepEqual([...statuses.keys()].sort(), [401, 429])
    t.true((statuses.get(401) ?? 0) < 20, `${statuses.get(401)} passwords were looked at`)
    const right = await browserAt(world).login(account)
    t.is(right.status, 429, 'from a strange browser the right password waits as well')
    t.is((await owner.login(account)).status, 200, 'the owner is not kept out')
    await later(900)
    t.is((await browserAt(world).login(account)).status, 200, 'and from anywhere after 15 minutes')
    t.is((await guess(account.email)).status, 401, 'which forgets what was before')
  },
)

test.serial('pauses double up to 15 minutes, and a day forgets them', async (t) => {
  const email = newEmail()
  const pauses: number[] = []
  for (let nth = 1; nth <= 18; nth++) {
    t.is((await guess(email)).status, 401, `attempt ${nth}`)
    if (nth < 5) continue
    const refused = await guess(email)
    t.is(refused.status, 429, `after attempt ${nth}`)
    const seconds = Number(refused.headers.get('retry-after'))
    pauses.push(seconds)
    await later(seconds)
  }
  t.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900])
  await later(86_400)
  for (let nth = 1; nth <= 5; nth++) t.is((await guess(email)).status, 401)
})

test.serial('an address without an account is slowed down like one with an account, word for word', async (t) => {
  const account = await addAccount(world)
  const seen: ReturnType<typeof told>[][] = []
  for (const email of [account.email, newEmail()]) {
    const answers: ReturnType<typeof told>[] = []
    for (let nth = 0; nth < 8; nth++) answers.push(told(await guess(email)))
    seen.push(answers)
  }
  t.deepEqual(seen[0], seen[1])
  t.is(seen[0]?.at(-1)?.status, 429)
})

test.serial('a mark of another account’s browser helps nobody', async (t) => {
  const [account, other] = [await addAccount(world), await addAccount(world)]
  const browser = browserAt(world)
  t.is((await browser.login(other)).status, 200)
  for (let nth = 0; nth < 5; nth++) await guess(account.email)
  t.is((await browser.login(account)).status, 429)
})

test.serial('a known browser that guesses is slowed down as well', async (t) => {
  const account = await addAccount(world)
  const browser = browserAt(world)
  t.is((await browser.login(account)).status, 200)
  const statuses: number[] = []
  for (let nth = 0; nth < 8; nth++)
    statuses.push((await browser.login({ ...account, password: 'a wrong password' })).status)
  t.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429])
})

const undecided = {
  'login.too_busy': new TooMany('login.too_busy', 'Too many.', 5),
  'login.code_required': new Refusal('login.code_required', 'The code is missing.'),
}

for (const [code, given] of [
  ['login.too_busy', ['attempt', 'address']],
  ['login.code_required', ['address']],
] as const)
  test(`${code} decides nothing: what was counted for it is given back`, async (t) => {
    const back: string[] = []
    const refuse = async () => Promise.reject(undecided[code])
    const login = createLogin({
      systemSql: { query: async () => ({ rows: [{ id: 'account', passwordHash: 'hash' }] }) },
      people: { indexOf: () => Buffer.alloc(32) },
      passwords: { isPassword: code === 'login.too_busy' ? refuse : async () => true },
      devices: { deviceOf: () => undefined },
      attempts: {
        keyOf: () => Buffer.alloc(32),
        reserve: async () => {},
        giveBack: async () => void back.push('attempt'),
      },
      addressLimits: { attempt: async () => {}, succeeded: async () => void back.push('address') },
      sessions: { open: refuse },
    } as never)
    const attempt = login.login(
      { address: '192.0.2.1', requestId: 'r' },
      { email: 'a@b.example', password: 'x' },
      { deviceMark: undefined, refreshToken: undefined } as never,
      () => undefined,
    )
    t.is(await attempt.catch((error: unknown) => error), undecided[code])
    t.deepEqual(back, given)
  })
