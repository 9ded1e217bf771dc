import { randomUUID } from 'node:crypto'
import test from 'ava'
import {
  type Account,
  addAccount,
  addMember,
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
const told = ({ status, text }: Reply) => ({ status, text: text.replace(/"instance":"[^"]+"/, '') })
const { invite, accept, member } = membershipsOf(() => ({ ask: world.ask, token }))

test.serial('a person is invited by mail, accepts, is listed, gets another role and is removed', async (t) => {
  const id = await createOrganization(world, token, { name: 'Evil https://evil.example/ <b>University</b>' })
  const guest = await addAccount(world)
  const invited = await invite(id, guest.email.toUpperCase())
  t.is(invited.status, 201, invited.text)
  t.like(invited.json(), { email: guest.email, role: 'issuer' })
  const mail = await smtp.mailTo(guest.email)
  t.notRegex(mail.text, /evil\.example|<b>/, 'what a name says cannot be clicked')
  t.regex(mail.text, /"Evil https evil example b University b"/)
  const guestToken = await tokenOfPerson(world, guest)
  const accepted = await accept(guestToken, tokenIn(mail))
  t.deepEqual(accepted.json(), { organization_id: id, role: 'issuer' }, accepted.text)
  t.deepEqual(problem(await accept(guestToken, tokenIn(mail))), [400, 'invitation.invalid'], 'once')
  const list = await world.ask(`${ORGANIZATIONS}/${id}/members`, { token: guestToken })
  const { data, total_count } = list.json<{
    data: { account_id: string; role: string; email: string }[]
    total_count: number
  }>()
  t.is(total_count, 2)
  t.deepEqual(
    data.map(({ account_id, role, email }) => [account_id, role, email]),
    [
      [admin.id, 'admin', admin.email],
      [guest.id, 'issuer', guest.email],
    ],
  )
  t.deepEqual((await member(id, guest.id, 'PUT', { role: 'auditor' })).json(), {
    account_id: guest.id,
    role: 'auditor',
  })
  t.is((await member(id, guest.id, 'DELETE')).status, 204)
  t.is((await world.ask(`${ORGANIZATIONS}/${id}`, { token: guestToken })).status, 404)
  t.deepEqual(problem(await member(id, guest.id, 'DELETE')), [404, 'member.not_found'])
})

test.serial('an invitation is for its address alone, for 7 days, and the newest counts', async (t) => {
  const id = await createOrganization(world, token)
  const [guest, other] = [await addAccount(world), await addAccount(world)]
  await invite(id, guest.email)
  const first = tokenIn(await smtp.mailTo(guest.email))
  t.deepEqual(problem(await accept(await tokenOfPerson(world, other), first)), [400, 'invitation.invalid'])
  await world.dependencies.systemSql.query({
    text: `update account_mails set created_at = created_at - interval '2 minutes'`,
    values: [],
  })
  t.is((await invite(id, guest.email, 'verifier')).status, 201)
  const second = tokenIn(await smtp.mailTo(guest.email, 2))
  const guestToken = await tokenOfPerson(world, guest)
  t.deepEqual(problem(await accept(guestToken, first)), [400, 'invitation.invalid'])
  const ages = (set: string) =>
    world.dependencies.systemSql.query({ text: `update organization_invitations set expires_at = ${set}`, values: [] })
  await ages(`now() - interval '1 second'`)
  t.deepEqual(problem(await accept(guestToken, second)), [400, 'invitation.invalid'])
  await ages(`now() + interval '1 day'`)
  t.like((await accept(guestToken, second)).json(), { role: 'verifier' })
})

test.serial('with 50 invitations an address that has one gets another one, and no other address does', async (t) => {
  const id = await createOrganization(world, token)
  const { systemSql } = world.dependencies
  const email = newEmail()
  t.is((await invite(id, email)).status, 201)
  await systemSql.query({
    text: `insert into organization_invitations (id, organization_id, email_index, content, role, token_digest, invited_by, expires_at)
      select gen_random_uuid(), organization_id, sha256(n::text::bytea), content, role, sha256((n || $1::text)::bytea), invited_by, expires_at
      from organization_invitations, generate_series(1, 49) n where organization_id = $1::uuid`,
    values: [id],
  })
  await systemSql.query({ text: `update account_mails set created_at = created_at - interval '2 minutes'`, values: [] })
  t.deepEqual(problem(await invite(id, newEmail())), [409, 'invitation.too_many'])
  const again = await invite(id, email, 'verifier')
  t.is(again.status, 201, again.text)
})

test.serial('one address gets one invitation in a minute', async (t) => {
  const [one, other] = [await createOrganization(world, token), await createOrganization(world, token)]
  const email = newEmail()
  t.is((await invite(one, email)).status, 201)
  const refused = await invite(other, email)
  t.deepEqual(problem(refused), [429, 'invitation.too_soon'])
  const seconds = Number(refused.headers.get('retry-after'))
  t.true(seconds > 0 && seconds <= 60, String(seconds))
})

test.serial('the last administrator neither goes nor gets another role, also when two go at once', async (t) => {
  const id = await createOrganization(world, token)
  t.deepEqual(problem(await member(id, admin.id, 'DELETE')), [409, 'member.last_admin'])
  t.deepEqual(problem(await member(id, admin.id, 'PUT', { role: 'auditor' })), [409, 'member.last_admin'])
  const second = await addAccount(world)
  await world.dependencies.systemSql.query({
    text: `insert into organization_members (organization_id, account_id, role) values ($1, $2, 'admin')`,
    values: [id, second.id],
  })
  const secondToken = await tokenOfPerson(world, second)
  const replies = await Promise.all([
    member(id, admin.id, 'DELETE'),
    member(id, second.id, 'DELETE', undefined, secondToken),
  ])
  t.deepEqual(replies.map(({ status }) => status).sort(), [204, 409])
})

test.serial('of two administrators who take the role from each other at once one keeps it', async (t) => {
  for (let nth = 0; nth < 5; nth++) {
    const id = await createOrganization(world, token)
    const second = await addAccount(world)
    await world.dependencies.systemSql.query({
      text: `insert into organization_members (organization_id, account_id, role) values ($1, $2, 'admin')`,
      values: [id, second.id],
    })
    const secondToken = await tokenOfPerson(world, second)
    const replies = await Promise.all([
      member(id, second.id, 'PUT', { role: 'auditor' }),
      member(id, admin.id, 'PUT', { role: 'auditor' }, secondToken),
    ])
    const [one, other] = replies.map(({ status }) => status).sort()
    t.is(one, 200)
    t.true(other === 403 || other === 409, String(other))
    const { rows } = await world.dependencies.systemSql.query({
      text: `select 1 from organization_members where organization_id = $1 and role = 'admin'`,
      values: [id],
    })
    t.is(rows.length, 1)
  }
})

test.serial('who lost the role while they waited for another one changes nobody any more', async (t) => {
  const { systemSql } = world.dependencies
  for (let nth = 0; nth < 5; nth++) {
    const id = await createOrganization(world, token)
    const [second, third] = [await addAccount(world), await addAccount(world)]
    for (const each of [second, third])
      await systemSql.query({
        text: `insert into organization_members (organization_id, account_id, role) values ($1, $2, 'admin')`,
        values: [id, each.id],
      })
    const secondToken = await tokenOfPerson(world, second)
    const replies = await Promise.all([
      member(id, second.id, 'PUT', { role: 'auditor' }),
      member(id, admin.id, 'PUT', { role: 'auditor' }, secondToken),
    ])
    t.deepEqual(replies.map(({ status }) => status).sort(), [200, 403])
    const [count] = (
      await systemSql.query<{ left: number }>({
        text: `select count(*)::int as left from organization_members where organization_id = $1 and role = 'admin'`,
        values: [id],
      })
    ).rows
    t.is(count?.left, 2, 'the third administrator and one of the two')
  }
})

test.serial('members who are no administrators change nobody, and leave by themselves', async (t) => {
  const id = await createOrganization(world, token)
  const account = await addAccount(world)
  await world.dependencies.systemSql.query({
    text: `insert into organization_members (organization_id, account_id, role) values ($1, $2, 'issuer')`,
    values: [id, account.id],
  })
  const other = await addMember(world, id)
  const issuer = await tokenOfPerson(world, account)
  t.deepEqual(problem(await invite(id, newEmail(), 'admin', issuer)), [403, 'organization.admin_required'])
  t.deepEqual(problem(await member(id, account.id, 'PUT', { role: 'admin' }, issuer)), [
    403,
    'organization.admin_required',
  ])
  t.deepEqual(problem(await member(id, other, 'DELETE', undefined, issuer)), [403, 'organization.admin_required'])
  t.is((await member(id, account.id, 'DELETE', undefined, issuer)).status, 204)
})

test.serial('members and invitations of an organization of others are as of a missing one', async (t) => {
  const id = await createOrganization(world, token)
  const stranger = await tokenOfPerson(world, await addAccount(world))
  const asks: ((which: string) => Promise<Reply>)[] = [
    (which) => world.ask(`${ORGANIZATIONS}/${which}/members`, { token: stranger }),
    (which) => invite(which, newEmail(), 'issuer', stranger),
    (which) => member(which, admin.id, 'PUT', { role: 'auditor' }, stranger),
    (which) => member(which, admin.id, 'DELETE', undefined, stranger),
  ]
  for (const ask of asks) {
    const foreign = await ask(id)
    t.deepEqual(problem(foreign), [404, 'organization.not_found'])
    t.deepEqual(told(foreign), told(await ask(randomUUID())))
  }
})

test.serial('a wrong role or address is refused with what was expected, and no mail goes out', async (t) => {
  const id = await createOrganization(world, token)
  const before = smtp.mails.length
  for (const [email, role, path] of [
    ['nobody', 'issuer', 'email'],
    ['a@b.example\r\nBcc: c@d.example', 'issuer', 'email'],
    [newEmail(), 'operator', 'role'],
    [newEmail(), 'ADMIN', 'role'],
    [newEmail(), '__proto__', 'role'],
  ] as const) {
    const reply = await invite(id, email, role)
    t.is(reply.status, 400)
    t.like(reply.json(), { errors: [{ path }] }, `${email} ${role}`)
  }
  t.is(smtp.mails.length, before)
})
