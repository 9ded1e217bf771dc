import anyTest from 'ava'
import { createPlatform } from '../../../activities/index.ts'
import { AuthenticationProvider } from '../../../entities/openid/providers.ts'
import { inTenant } from '../../../entities/orm.ts'
import { looksRight, type NamedPage } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, settled } from '../../support/console/browser.ts'
import { until } from '../../support/credentials/dids.ts'
import { openWalletProvider } from '../../support/openid/haip/attesting.ts'
import { saveProvider } from '../../support/openid/users.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

let world: World
const saved = new Map<string, string>()
const PAGES: NamedPage[] = [
  ['users', '/users'],
  ['providers', '/users/providers'],
  ['wallets', '/users/wallets'],
  ['wallet-providers', '/users/wallet-providers'],
]
anyTest.before(async () => {
  world = await openWorld()
  const { tenantId } = world.first
  const { users } = createPlatform(world.dependencies)
  const providerId = await saveProvider(world.dependencies, tenantId)
  for (const name of ['ada', 'grace', '<b>markup</b>']) {
    const claims = { email: `${name}@university.example` }
    const id = await inTenant(world.dependencies.database.tenants, tenantId, async (em) => {
      const provider = await em.findOneOrFail(AuthenticationProvider, { id: providerId })
      return users.saveUser(em, provider, { subjectId: name, claims })
    })
    saved.set(name, id)
  }
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

test('a user is found by a claim, which stands in no address, and deleted after a question', async (t) => {
  const { page, asked, complaints, stopped, close } = await openConsole(world, await memberOf(world))
  await page.click('nav.main >> text=Users')
  await page.waitForURL('**/console/users')
  await settled(page)
  t.is(await page.locator('tbody tr').count(), 3)
  t.is(await page.locator('tbody b').count(), 0, 'a claim is text')
  await page.fill('input[name=name]', 'email')
  await page.fill('input[name=value]', 'nobody@university.example')
  await page.click('main form button[type=submit]')
  await page.waitForSelector('text=No user fits')
  await page.fill('input[name=value]', '')
  await page.click('main form button[type=submit]')
  await page.waitForSelector('input[name=value][aria-invalid] ~ .fault')
  await page.fill('input[name=value]', 'ada@university.example')
  await page.click('main form button[type=submit]')
  await page.waitForSelector('tbody tr')
  await settled(page)
  t.is(await page.locator('tbody tr').count(), 1)
  t.regex((await page.textContent('tbody')) ?? '', new RegExp(saved.get('ada') ?? ''))
  t.false(page.url().includes('ada'))
  t.false(asked.some(({ path }) => path.includes('ada')))
  await page.click('td button:text-is("Delete")')
  await page.click('dialog[open] button:text-is("Cancel")')
  await page.selectOption('td select', 'revoke')
  await page.click('td button:text-is("Delete")')
  t.regex((await page.textContent('dialog[open]')) ?? '', /Their credentials are revoked\./)
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=The user is deleted.')
  const left = await world.ask('/v1/users', { token: world.token })
  t.is(left.json<{ totalCount: number }>().totalCount, 2)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('a wallet is registered and the policy is set; what is refused says so at its field', async (t) => {
  const { page, complaints, close } = await openConsole(world, await memberOf(world), '/console/users/wallets')
  await page.fill('input[name=name]', 'University wallet')
  await page.fill('input[name="redirectUris.0"]', 'ftp://wallet.university.example')
  await page.click('button:text-is("Create")')
  await page.waitForSelector('.fault')
  t.is(await page.locator('input[name="redirectUris.0"][aria-invalid]').count(), 1)
  await page.fill('input[name="redirectUris.0"]', 'https://wallet.university.example/callback')
  await page.click('button:text-is("Create")')
  await page.waitForSelector('td:has-text("University wallet")')
  await page.check('input[name=requiresDpop]')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('text=Saved.')
  const policy = await world.ask('/v1/openid/wallet-policy', { token: world.token })
  t.like(policy.json<object>(), { requiresDpop: true, requiresPar: false })
  await page.click('td button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=No wallet is registered')
  t.deepEqual(complaints, [])
  await close()
})

test('the profile, levels, batches and days of the policy are set, and without the profile the rules are as before', async (t) => {
  const { page, complaints, close } = await openConsole(world, await memberOf(world), '/console/users/wallets')
  const policyOf = async () =>
    (await world.ask('/v1/openid/wallet-policy', { token: world.token })).json<Record<string, unknown>>()
  const before = await policyOf()
  const save = async (isSaved: (policy: Record<string, unknown>) => boolean) => {
    await page.click('button:text-is("Save")')
    await until('the policy', async () => isSaved(await policyOf()))
    await settled(page)
  }
  await page.selectOption('select[name=profile]', 'haip')
  await page.fill('input[name=keyStorage]', 'iso_18045_high, iso_18045_moderate')
  await page.fill('input[name=batchSize]', '5')
  await page.fill('input[name=reissueDays]', '90')
  await save(({ profile }) => profile === 'haip')
  t.like(await policyOf(), {
    ...{ keyStorage: ['iso_18045_high', 'iso_18045_moderate'], userAuthentication: [], batchSize: 5, reissueDays: 90 },
    requiresPar: true,
  })
  await page.fill('input[name=batchSize]', '21')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('input[name=batchSize][aria-invalid]')
  await page.fill('input[name=batchSize]', '20')
  await page.fill('input[name=keyStorage]', '')
  await page.fill('input[name=reissueDays]', '0')
  await page.selectOption('select[name=profile]', '')
  await save(({ profile }) => profile === null)
  t.deepEqual(await policyOf(), before)
  t.deepEqual(complaints, [])
  await close()
})

test('a wallet provider is trusted, with its wallets, and trusted no more after a question', async (t) => {
  const { page, complaints, close } = await openConsole(world, await memberOf(world), '/console/users/wallet-providers')
  await page.waitForSelector('text=No wallet provider is trusted')
  const { anchor } = await openWalletProvider()
  await page.fill('input[name=name]', 'Ministry of Wallets')
  await page.fill('input[name=clientIds]', 'https://wallet.example, other')
  await page.fill('input[name=redirectUris]', 'https://wallet.example/callback, wallet:/callback')
  await page.fill('textarea[name=certificates]', 'no certificate')
  await page.click('button:text-is("Create")')
  await page.waitForSelector('.fault, .failure')
  await page.fill('textarea[name=certificates]', `${anchor.pem}\n`)
  await page.click('button:text-is("Create")')
  await page.waitForSelector('td:has-text("Ministry of Wallets")')
  const { data } = (await world.ask('/v1/openid/wallet-providers', { token: world.token })).json<{ data: object[] }>()
  t.like(data[0], { attests: ['wallets', 'keys'], clientIds: ['https://wallet.example', 'other'], issuer: null })
  t.like(data[0], { redirectUris: ['https://wallet.example/callback', 'wallet:/callback'] })
  await page.click('td button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=No wallet provider is trusted')
  t.deepEqual(complaints, [])
  await close()
})

test('a provider that does not answer is refused, and none is stored', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/users/providers')
  await page.fill('input[name=url]', 'https://127.0.0.1')
  await page.fill('input[name=client_id]', 'countersign')
  await page.fill('input[name=client_secret]', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  await page.click('button:text-is("Create")')
  await page.waitForSelector('.failure')
  const stored = await world.ask('/v1/users/authentication-providers', { token: world.token })
  t.is(stored.json<{ total_count: number }>().total_count, 1)
  await close()
})

test('who may only read sees users, and nothing that changes them', async (t) => {
  for (const [name, path] of PAGES) {
    const { page, close } = await openConsole(world, await memberOf(world, 'auditor'), `/console${path}`)
    await page.waitForSelector('nav.main')
    t.is(
      await page.locator('main button.danger, main input[name=clientId], main input[name=client_id]').count(),
      0,
      name,
    )
    await close()
  }
})

looksRight(
  test,
  () => world,
  () => PAGES,
)
