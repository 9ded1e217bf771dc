import { randomUUID } from 'node:crypto'
import test from 'ava'
import { OPERATOR_SCOPES } from '../../../protocol/tokens-logs/index.ts'
import {
  addAccount,
  addInvitation,
  addMember,
  browserAt,
  createOrganization,
  newEmail,
  organization,
  type SessionToken,
  tokenOfPerson,
} from '../../support/accounts.ts'
import { loggedAbout } from '../../support/credentials/dids.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
let token: string
let operator: string
test.before(async () => {
  world = await openWorld()
  token = await tokenOfPerson(world, await addAccount(world))
  const { tenantId } = world.first
  operator = await world.tokenOf(await addClient(world.dependencies.systemSql, { tenantId, scopes: OPERATOR_SCOPES }))
})
test.after.always(() => world?.close())

const PATH = '/v1/organizations'
const create = (more: object = {}, asker = token) => world.ask(PATH, { token: asker, body: organization(more) })
const problem = (reply: Reply) => [reply.status, reply.json<{ type: string }>().type.replace('/problems#', '')]
const told = ({ status, text }: Reply) => ({ status, text: text.replace(/"instance":"[^"]+"/, '') })
type Page = { data: { id: string; role: string | null }[]; total_count: number }

test('an organization is created, read, listed, updated and in the log (specification, Other records)', async (t) => {
  const reply = await create()
  t.is(reply.status, 201, reply.text)
  const created = reply.json<{ id: string; created_at: string }>()
  t.is(reply.headers.get('location'), `${PATH}/${created.id}`)
  t.like(created, { ...organization(), role: 'admin' })
  t.deepEqual((await world.ask(`${PATH}/${created.id}`, { token })).json<object>(), created)
  const { data, total_count } = (await world.ask(PATH, { token })).json<Page>()
  t.true(data.some(({ id, role }) => id === created.id && role === 'admin'))
  t.true(total_count >= 1)
  const changed = organization({ name: 'Another University', duns_number: null, website: null })
  const updated = await world.ask(`${PATH}/${created.id}`, { method: 'PUT', token, body: changed })
  t.is(updated.status, 200, updated.text)
  t.like(updated.json(), { ...changed, id: created.id, role: 'admin', created_at: created.created_at })
  t.is((await loggedAbout(world, world.token, 'ORGANIZATION_CREATE_SUCCESS', created.id)).length, 1)
  t.is((await loggedAbout(world, world.token, 'ORGANIZATION_UPDATE_SUCCESS', created.id)).length, 1)
})

test('a country is a code or a name, a website a URL, and what may be absent is null', async (t) => {
  for (const [given, code] of [
    ['de', 'DE'],
    ['Germany', 'DE'],
    ['united states', 'US'],
    ["Cote d'Ivoire", undefined],
    ['Côte d’Ivoire', 'CI'],
    ['Curacao', 'CW'],
    ['XX', undefined],
    ['EU', undefined],
    ['constructor', undefined],
  ] as const) {
    const reply = await create({ country: given })
    if (code === undefined) t.like(reply.json(), { errors: [{ path: 'country', code: 'country' }] }, given)
    else t.like(reply.json(), { country: code }, given)
  }
  const reply = await create({ duns_number: undefined, website: undefined })
  t.like(reply.json(), { duns_number: null, website: null })
  t.like((await create({ website: 'HTTP://University.Example' })).json(), { website: 'http://university.example/' })
})

test.serial('each wrong member is named, all of them in one answer, and nothing is created', async (t) => {
  const before = (await world.ask(PATH, { token: operator })).json<Page>().total_count
  const cases: [more: object, path: string][] = [
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 'a\r\nb' }, 'name'],
    [{ address: ' ' }, 'address'],
    [{ city: '\u202e' }, 'city'],
    [{ state: 'a\u0007' }, 'state'],
    [{ zip_code: 'x'.repeat(65) }, 'zip_code'],
    [{ registration_number: '' }, 'registration_number'],
    [{ email: 'office' }, 'email'],
    [{ email: 'office@localhost' }, 'email'],
    [{ phone: '12' }, 'phone'],
    [{ phone: '+49 30 90182 extension' }, 'phone'],
    [{ phone: '1'.repeat(16) }, 'phone'],
    [{ duns_number: '12345678' }, 'duns_number'],
    [{ duns_number: '12-345-6789' }, 'duns_number'],
    [{ duns_number: '１２３４５６７８９' }, 'duns_number'],
    [{ website: 'ftp://university.example' }, 'website'],
    [{ website: 'university.example' }, 'website'],
    [{ website: 'javascript:alert(1)' }, 'website'],
    [{ website: 'https://user:pass@university.example' }, 'website'],
    [{ website: 'https://localhost' }, 'website'],
    [{ website: '' }, 'website'],
  ]
  for (const [more, path] of cases) {
    const reply = await create(more)
    t.is(reply.status, 400, JSON.stringify(more))
    t.like(reply.json(), { type: '/problems#organization.invalid', errors: [{ path }] }, JSON.stringify(more))
  }
  const all = await create({ name: '', email: '', phone: '', website: 'x' })
  t.deepEqual(
    all.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path),
    ['name', 'email', 'phone', 'website'],
  )
  for (const name of Object.keys(organization()).filter((each) => !['duns_number', 'website'].includes(each))) {
    t.like((await create({ [name]: undefined })).json(), { status: 400, errors: [{ path: name }] }, name)
    t.like((await create({ [name]: null })).json(), { status: 400, errors: [{ path: name }] }, name)
    t.like((await create({ [name]: 7 })).json(), { status: 400, errors: [{ path: name }] }, name)
  }
  t.is((await create({ id: randomUUID() })).status, 400, 'what is not in the contract is refused')
  t.is((await create({ role: 'admin' })).status, 400)
  t.is((await world.ask(PATH, { token: operator })).json<Page>().total_count, before)
})

test('an organization of others is as a missing one, to read and to change', async (t) => {
  const id = await createOrganization(world, token)
  const stranger = await tokenOfPerson(world, await addAccount(world))
  for (const method of ['GET', 'PUT'] as const) {
    const body = method === 'PUT' ? organization({ name: 'Taken over' }) : undefined
    const ask = (which: string) => world.ask(`${PATH}/${which}`, { method, token: stranger, body })
    const foreign = await ask(id)
    t.deepEqual(problem(foreign), [404, 'organization.not_found'])
    t.deepEqual(told(foreign), told(await ask(randomUUID())))
  }
  t.deepEqual((await world.ask(PATH, { token: stranger })).json<Page>().data, [])
  t.like((await world.ask(`${PATH}/${id}`, { token })).json(), { name: 'Example University' })
})

test('a member who is no administrator reads and does not change', async (t) => {
  const account = await addAccount(world)
  const id = await createOrganization(world, token)
  await world.dependencies.systemSql.query({
    text: `insert into organization_members (organization_id, account_id, role) values ($1, $2, 'auditor')`,
    values: [id, account.id],
  })
  const auditor = await tokenOfPerson(world, account)
  t.like((await world.ask(`${PATH}/${id}`, { token: auditor })).json(), { id, role: 'auditor' })
  const body = organization({ name: 'Taken over' })
  t.deepEqual(problem(await world.ask(`${PATH}/${id}`, { method: 'PUT', token: auditor, body })), [
    403,
    'organization.admin_required',
  ])
})

test('an operator creates organizations without being a member, and sees and changes all; a tenant’s client none', async (t) => {
  const own = await createOrganization(world, token)
  const created = await create({}, operator)
  t.is(created.status, 201, created.text)
  t.like(created.json(), { role: null })
  t.like((await world.ask(`${PATH}/${own}`, { token: operator })).json(), { id: own, role: null })
  const body = organization({ city: 'Potsdam' })
  t.like((await world.ask(`${PATH}/${own}`, { method: 'PUT', token: operator, body })).json(), { city: 'Potsdam' })
  t.deepEqual(problem(await create({}, world.token)), [403, 'token.insufficient_scope'])
  t.deepEqual(problem(await world.ask(PATH, { token: world.token })), [403, 'token.insufficient_scope'])
})

test('the token of a session that has ended changes no organization (D-612)', async (t) => {
  const browser = browserAt(world)
  const account = await addAccount(world)
  const own = (await browser.login(account)).json<SessionToken>().access_token
  const id = await createOrganization(world, own)
  const [memberId, invitationId] = [await addMember(world, id), await addInvitation(world, id)]
  const read = async (token = own) => {
    const replies = ['', '/members', '/invitations'].map((path) => world.ask(`${PATH}/${id}${path}`, { token }))
    return (await Promise.all(replies)).map(told)
  }
  const before = await read()
  t.true(before.every(({ status }) => status === 200))
  t.is((await browser.logout()).status, 204)
  const member = `/members/${memberId}`
  for (const [method, path, body] of [
    ['PUT', '', organization({ city: 'Potsdam' })],
    ['PUT', member, { role: 'admin' }],
    ['DELETE', member, undefined],
    ['POST', '/invitations', { email: newEmail(), role: 'admin' }],
    ['DELETE', `/invitations/${invitationId}`, undefined],
  ] as const) {
    const reply = await world.ask(`${PATH}/${id}${path}`, { method, token: own, body })
    t.deepEqual(problem(reply), [401, 'session.invalid'], `${method} ${path}`)
  }
  const again = (await browser.login(account)).json<SessionToken>().access_token
  t.deepEqual(await read(again), before, 'nothing was changed')
})

test('the same Idempotency-Key creates one organization', async (t) => {
  const headers = { 'idempotency-key': randomUUID() }
  const ask = () => world.ask(PATH, { token, body: organization(), headers })
  const [one, other] = [await ask(), await ask()]
  t.is(one.status, 201)
  t.deepEqual(one.json<object>(), other.json<object>())
})

test.serial('what is known of an organization but its name is encrypted, each row for itself', async (t) => {
  const ids = [await createOrganization(world, token), await createOrganization(world, token)]
  const { systemSql } = world.dependencies
  const { rows } = await systemSql.query<{ content: Buffer }>({
    text: 'select content from organizations where id = any($1)',
    values: [ids],
  })
  for (const { content } of rows) t.false(content.includes('office@university.example'))
  await systemSql.query({
    text: 'update organizations set content = (select content from organizations where id = $2) where id = $1',
    values: ids,
  })
  t.is((await world.ask(`${PATH}/${ids[0]}`, { token })).status, 500, 'a swapped row does not open')
  t.is((await world.ask(`${PATH}/${ids[1]}`, { token })).status, 200)
  await systemSql.query({ text: 'delete from organizations where id = $1', values: [ids[0]] })
})
