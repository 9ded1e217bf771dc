import anyTest from 'ava'
import { formatOf } from '../../../console/pages/verify/kind.ts'
import { looksRight } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole } from '../../support/console/browser.ts'
import { signCompact } from '../../support/credentials/compact.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { needs } from '../../support/parts.ts'
import { signSdJwt } from '../../support/sd-jwt/credentials.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

let world: World
anyTest.before(async () => {
  world = await openWorld()
  await createDid(world, 'ed25519', world.token, true)
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

anyTest('the form of a text says which format a credential has', (t) => {
  for (const [text, format] of [
    ['{"@context":[]}', 'web-semantic'],
    ['CSC:/1/ABC', 'compact'],
    ['css:/1/ABC', 'compact-semantic'],
    ['e30.e30.c2ln~WyJhIl0~', 'sd-jwt-vc'],
    ['omppc3N1ZXJBdXRo', 'mobile'],
    ['what is this?', undefined],
  ] as const)
    t.is(formatOf(text), format, text)
})

test('a verifier verifies what somebody hands over, in every format, and learns what is wrong with it', async (t) => {
  const did = await createDid(world, 'P-256')
  const { credential } = await sign(world, await createDid(world, 'ed25519'))
  const { encoded: compact } = await signCompact(world, { iss: did, type: 'Course', course: 'CS-101' })
  const { encoded: sdJwt } = await signSdJwt(world, {
    payload: { vct: 'https://types.example/course', course: 'CS-101' },
    issuer_did: did,
  })
  const { page, complaints, close } = await openConsole(world, await memberOf(world, 'verifier'), '/console/verify')
  const say = async (text: string, outcome: string) => {
    await page.fill('textarea[name=payload]', text)
    await page.click('button:text-is("Verify")')
    await page.waitForSelector(outcome)
  }
  await say(JSON.stringify(credential), 'main .success:has-text("Verified")')
  await say(JSON.stringify({ ...Object(credential), name: 'Another' }), 'main .failure:has-text("Not verified")')
  await say(compact, 'main .success')
  await say(sdJwt, 'main .success')
  t.true((await page.textContent('main [role=status]'))?.includes('sd-jwt-vc'))
  await say(sdJwt.replace(/~[^~]*~$/, '~WyJhIiwiYiIsImMiXQ~'), 'main .failure:has-text("Disclosures")')
  await say('{"half":', '[role=alert]:has-text("This begins as JSON and is none")')
  await say('what is this?', '[role=alert]:has-text("This text has the form of no credential")')
  t.deepEqual(complaints, [])
  await close()
})

looksRight(
  test,
  () => world,
  () => [['verify', '/verify']],
)
