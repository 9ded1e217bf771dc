import test from 'ava'
import {
  type Account,
  addAccount,
  addInvitation,
  createOrganization,
  membershipsOf,
  newEmail,
  ORGANIZATIONS,
  tokenOfPerson,
} from '../../support/accounts.ts'
import { type Smtp, startSmtp, tokenIn } from '../../support/smtp.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let smtp: Smtp
let world: World
let token: string
let admin: Account
test.before(async () => {
  smtp = await startSmtp()
  world = await openWorld({ workflows: true, env: { SMTP_URL: smtp.url, MAIL_RETRY_SECONDS: '0.2' } })
  admin = await addAccount(world)
  token = await tokenOfPerson(world, admin)
})
test.after.always(async () => {
  await world?.close()
  await smtp?.close()
})

const problem = (reply: Reply) => [reply.status, reply.json<{ type: string }>().type.replace('/problems#', '')]
const { invite, accept, member } = membershipsOf(() => ({ ask: world.ask, token }))

async function joined(id: string, role: string) {
  const account = await addAccount(world)
  await world.dependencies.systemSql.query({
    text: 'insert into organization_members (organization_id, account_id, role) values ($1, $2, $3)',
    values: [id, account.id, role],
  })
  return { ...account, token: await tokenOfPerson(world, account) }
}

test.serial('administrators and operators see what invitations wait, without tokens, and withdraw them', async (t) => {
  const id = await createOrganization(world, token)
  const [guest, plain] = [await addAccount(world), await joined(id, 'auditor')]
  const invited = (await invite(id, guest.email, 'verifier')).json<{ id: string }>()
  const other = await addInvitation(world, id)
  const list = (asker = token, query = '') => world.ask(`${ORGANIZATIONS}/${id}/invitations${query}`, { token: asker })
  const withdraw = (invitation: string, asker = token, organization = id) =>
    world.ask(`${ORGANIZATIONS}/${organization}/invitations/${invitation}`, { method: 'DELETE', token: asker })

  const { data, total_count } = (await list()).json<{ data: { id: string }[]; total_count: number }>()
  t.is(total_count, 2)
  t.deepEqual(
    data.map((each) => each.id),
    [other, invited.id],
  )
  t.deepEqual(data[1], invited as object, 'as it was answered when it was sent')
  t.deepEqual((await list(token, '?limit=1&page=2')).json<{ data: object[] }>().data, [invited])

  t.deepEqual(problem(await list(plain.token)), [403, 'organization.admin_required'])
  t.deepEqual(problem(await withdraw(invited.id, plain.token)), [403, 'organization.admin_required'])
  const guestToken = await tokenOfPerson(world, guest)
  t.deepEqual(problem(await list(guestToken)), [404, 'organization.not_found'])
  t.deepEqual(problem(await withdraw(invited.id, guestToken)), [404, 'organization.not_found'])
  const elsewhere = await createOrganization(world, token)
  t.deepEqual(problem(await withdraw(invited.id, token, elsewhere)), [404, 'invitation.not_found'])

  t.is((await withdraw(invited.id)).status, 204)
  t.deepEqual(problem(await withdraw(invited.id)), [404, 'invitation.not_found'])
  const secret = tokenIn(await smtp.mailTo(guest.email))
  t.deepEqual(problem(await accept(guestToken, secret)), [400, 'invitation.invalid'])
  await world.dependencies.systemSql.query({
    text: `update organization_invitations set expires_at = now() where id = $1`,
    values: [other],
  })
  t.like((await list()).json(), { data: [], total_count: 0 }, 'an expired one is none')
  t.deepEqual(problem(await withdraw(other)), [404, 'invitation.not_found'])
})

for (const [what, lose] of [
  ['was made an auditor', (id: string, accountId: string) => member(id, accountId, 'PUT', { role: 'auditor' })],
  ['was removed', (id: string, accountId: string) => member(id, accountId, 'DELETE')],
] as const)
  test.serial(`an administrator who ${what} comes back by no invitation, and brings nobody`, async (t) => {
    const id = await createOrganization(world, token)
    const [leaving, friend] = [await joined(id, 'admin'), await addAccount(world)]
    t.is((await invite(id, leaving.email, 'admin', leaving.token)).status, 201)
    t.is((await invite(id, friend.email, 'admin', leaving.token)).status, 201)
    const [own, other] = [tokenIn(await smtp.mailTo(leaving.email)), tokenIn(await smtp.mailTo(friend.email))]
    t.true([200, 204].includes((await lose(id, leaving.id)).status))
    t.deepEqual(problem(await accept(leaving.token, own)), [400, 'invitation.invalid'])
    t.deepEqual(problem(await accept(await tokenOfPerson(world, friend), other)), [400, 'invitation.invalid'])
    t.is(
      (await world.ask(`${ORGANIZATIONS}/${id}/invitations`, { token })).json<{ total_count: number }>().total_count,
      0,
    )
  })

test.serial('an invitation of somebody who lost the role in any other way is void', async (t) => {
  const id = await createOrganization(world, token)
  const [leaving, friend] = [await joined(id, 'admin'), await addAccount(world)]
  await invite(id, friend.email, 'admin', leaving.token)
  const secret = tokenIn(await smtp.mailTo(friend.email))
  const friendToken = await tokenOfPerson(world, friend)
  const role = (name: string) =>
    world.dependencies.systemSql.query({
      text: 'update organization_members set role = $1 where account_id = $2',
      values: [name, leaving.id],
    })
  await role('issuer')
  t.deepEqual(problem(await accept(friendToken, secret)), [400, 'invitation.invalid'])
  await role('admin')
  t.is((await accept(friendToken, secret)).status, 200)
})

test.serial('invitations and acceptances at once wait for each other, and none fails for it', async (t) => {
  for (let nth = 0; nth < 3; nth++) {
    const id = await createOrganization(world, token)
    const guest = await addAccount(world)
    const guestToken = await tokenOfPerson(world, guest)
    await invite(id, guest.email)
    const secret = tokenIn(await smtp.mailTo(guest.email))
    await world.dependencies.systemSql.query({
      text: `update account_mails set created_at = created_at - interval '2 minutes'`,
      values: [],
    })
    const changes = Array.from({ length: 8 }, () => member(id, admin.id, 'PUT', { role: 'admin' }))
    const replies = await Promise.all([accept(guestToken, secret), invite(id, guest.email), ...changes])
    for (const { status, text } of replies) t.true([200, 201, 400, 429].includes(status), text)
  }
})

test.serial(
  'an invitation that another administrator sent again is theirs, and stays when the first one goes',
  async (t) => {
    const id = await createOrganization(world, token)
    const [leaving, guest] = [await joined(id, 'admin'), await addAccount(world)]
    t.is((await invite(id, guest.email, 'issuer', leaving.token)).status, 201)
    await smtp.mailTo(guest.email)
    await world.dependencies.systemSql.query({
      text: `update account_mails set created_at = created_at - interval '2 minutes'`,
      values: [],
    })
    t.is((await invite(id, guest.email, 'verifier')).status, 201)
    const secret = tokenIn(await smtp.mailTo(guest.email, 2))
    t.is((await member(id, leaving.id, 'DELETE')).status, 204)
    const accepted = await accept(await tokenOfPerson(world, guest), secret)
    t.is(accepted.status, 200, accepted.text)
  },
)

test.serial('the last administrator takes no other role by an invitation', async (t) => {
  const founder = await addAccount(world)
  const own = await tokenOfPerson(world, founder)
  const id = await createOrganization(world, own)
  t.is((await invite(id, founder.email, 'auditor', own)).status, 201)
  const secret = tokenIn(await smtp.mailTo(founder.email))
  t.deepEqual(problem(await accept(own, secret)), [409, 'member.last_admin'])
  t.is((await accept(own, secret)).status, 409, 'a refusal uses up no invitation')
  const listed = await world.ask(`${ORGANIZATIONS}/${id}/members`, { token: own })
  t.like(listed.json(), { data: [{ account_id: founder.id, role: 'admin' }] })
})

test.serial('an organization has 50 invitations that wait at most; those whose time is over are none', async (t) => {
  const id = await createOrganization(world, token)
  await world.dependencies.systemSql.query({
    text: `insert into organization_invitations (id, organization_id, email_index, content, role, token_digest, expires_at)
      select gen_random_uuid(), $1, sha256(n::text::bytea), '', 'issuer', sha256(gen_random_uuid()::text::bytea),
        now() + interval '1 day' from generate_series(1, 49) n`,
    values: [id],
  })
  t.is((await invite(id, newEmail())).status, 201)
  const refused = await invite(id, newEmail())
  t.deepEqual(problem(refused), [409, 'invitation.too_many'])
  await world.dependencies.systemSql.query({
    text: `update organization_invitations set expires_at = now() where organization_id = $1`,
    values: [id],
  })
  t.is((await invite(id, newEmail())).status, 201)
})

test.serial('an organization has 500 members at most', async (t) => {
  const id = await createOrganization(world, token)
  const [guest, last] = [await addAccount(world), await addAccount(world)]
  await world.dependencies.systemSql.query({
    text: `with made as (insert into accounts (id, email_index, content)
        select gen_random_uuid(), sha256($1::text::bytea || n::text::bytea), '' from generate_series(1, 498) n returning id)
      insert into organization_members (organization_id, account_id, role) select $1::uuid, id, 'auditor' from made`,
    values: [id],
  })
  const join = async (account: Account) => {
    t.is((await invite(id, account.email)).status, 201)
    return accept(await tokenOfPerson(world, account), tokenIn(await smtp.mailTo(account.email)))
  }
  t.is((await join(guest)).status, 200)
  t.deepEqual(problem(await join(last)), [409, 'invitation.too_many'])
})
