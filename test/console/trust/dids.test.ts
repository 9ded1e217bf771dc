import anyTest from 'ava'
import { looksRight, type NamedPage } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, settled } from '../../support/console/browser.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

// no worker: a did:web waits
let world: World
let pages: NamedPage[]
anyTest.before(async () => {
  world = await openWorld()
  const did = await createDid(world)
  pages = [
    ['did-new', '/dids/new'],
    ['did-key', `/dids/${encodeURIComponent(did)}`],
    ['dids', '/dids'],
  ]
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

const ask = (path: string) => world.ask(path, { token: world.token })
const defaultIssuer = async () => (await ask('/v1/settings')).json<{ defaultIssuer: string | null }>().defaultIssuer

interface Resolved {
  registrationStatus: string
  hosting: string
  localMetadata: { keys: { didDocumentKeyId: string }[] }
  didDocument: { verificationMethod?: { publicKeyMultibase?: string }[] }
}

const resolved = async (did: string) => (await ask(`/v1/dids/${encodeURIComponent(did)}`)).json<Resolved>()

test('a did:key is made, becomes the default issuer and is no longer, and is deleted', async (t) => {
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world), '/console/dids')
  await page.click('text=New DID')
  await page.selectOption('select[name="options.keyType"]', 'p256')
  await page.click('text=Create the DID')
  await page.waitForSelector('h1:has-text("did:key:zDn")')
  await settled(page)
  const did = (await page.textContent('h1'))?.trim() ?? ''
  const keys = (await resolved(did)).localMetadata.keys.map(({ didDocumentKeyId }) => didDocumentKeyId)
  t.deepEqual(await page.locator('tbody code').allTextContents(), keys)

  await page.click('text=Make it the default issuer')
  await page.waitForSelector('text=No longer the default issuer')
  t.is(await defaultIssuer(), did)
  await page.click('button:text-is("Delete")')
  await page.waitForSelector('dialog[open] p:has-text("Its status lists end within 24 hours")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('dialog[open] .failure')
  t.is((await resolved(did)).registrationStatus, 'COMPLETED', 'the default issuer is not deleted')
  await page.click('dialog[open] button:text-is("Cancel")')
  await page.click('text=No longer the default issuer')
  await page.waitForSelector('text=Make it the default issuer')
  t.is(await defaultIssuer(), null)
  await page.click('button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/dids')
  await settled(page)
  t.is((await ask(`/v1/dids/${encodeURIComponent(did)}`)).json<Resolved>().localMetadata?.keys.length ?? 0, 0)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('a did:web shows where its document goes, and why it waits; an address that nobody can read is refused', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/dids/new')
  await page.selectOption('select[name=method]', 'WEB')
  await page.fill('input[name="options.url"]', 'https://192.0.2.1')
  await page.click('text=Create the DID')
  await page.waitForSelector('.entry:has(input[name="options.url"][aria-invalid]) .fault')
  await page.fill('input[name="options.url"]', 'https://university.example/math')
  await page.click('text=Create the DID')
  await page.waitForSelector('h1:has-text("did:web:university.example:math")')
  await settled(page)
  const facts = (await page.textContent('dl')) ?? ''
  t.regex(facts, /in progress/)
  t.regex(facts, /https:\/\/university\.example\/math\/did\.json/)
  t.regex(facts, /did\.registration_pending/)
  await page.waitForSelector('text=Put the DID document below')
  t.is((await resolved('did:web:university.example:math')).hosting, 'caller')
  pages.push(['did-web', `/dids/${encodeURIComponent('did:web:university.example:math')}`])
  await close()
})

test('an x25519 key is no issuer, and every kind of key can be made', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world))
  const made: string[] = []
  for (const keyType of ['ed25519', 'bls12381g2', 'x25519']) {
    await page.goto(`${world.url}/console/dids/new`)
    await page.selectOption('select[name="options.keyType"]', keyType)
    t.is(await page.locator('input[name=issuer]').count(), keyType === 'x25519' ? 0 : 1)
    await page.click('text=Create the DID')
    await page.waitForURL('**/console/dids/did*')
    made.push((await page.textContent('h1'))?.trim().slice(0, 12) ?? '')
  }
  t.deepEqual(made, ['did:key:z6Mk', 'did:key:zUC7', 'did:key:z6LS'])
  await close()
})

test('an issuer makes DIDs but chooses no default issuer, and a verifier only reads', async (t) => {
  const path = `/console${pages[1]?.[1]}`
  const asIssuer = await openConsole(world, await memberOf(world, 'issuer'), path)
  t.is(await asIssuer.page.locator('text=Make it the default issuer').count(), 0)
  t.is(await asIssuer.page.locator('main .actions:not(dialog .actions) > button:text-is("Delete")').count(), 1)
  await asIssuer.close()
  const { page, close } = await openConsole(world, await memberOf(world, 'verifier'), path)
  t.deepEqual([...new Set(await page.locator('main button').allTextContents())], ['Copy'])
  t.false((await page.textContent('dl'))?.includes('Default issuer'), 'the settings are not for this role')
  await page.goto(`${world.url}/console/dids/new`)
  await page.waitForSelector('text=Your role may not open this page')
  await close()
})

looksRight(
  test,
  () => world,
  () => pages,
)
