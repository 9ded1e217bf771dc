import test from 'ava'
import { createCompactTemplate } from '../../support/credentials/compact.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import {
  type Authorization,
  CALLBACK,
  errorOf,
  openAuthorization,
  parametersFor,
  pkce,
  queryOf,
} from '../../support/openid/authorization.ts'
import { connected } from '../../support/stack/backup.ts'

let authorization: Authorization
let template: string
test.before(async () => {
  authorization = await openAuthorization()
  const { world } = authorization
  await createDid(world, 'ed25519', world.token, true)
  const mapping = { given_name: { map_from: 'claims.given_name' } }
  template = (await createCompactTemplate(world, { credential_mappings: mapping })).id
})
test.after.always(() => authorization?.close())

/** A pushed request of a wallet without keys, and the address that opens it. */
async function pushedUrl() {
  const { authorizeUrl, form, offered } = authorization
  const { issuerState } = await offered([template])
  const pushed = await form('/v1/oauth/par', parametersFor(pkce().challenge, issuerState) as Record<string, string>)
  const { request_uri } = pushed.json<{ request_uri: string }>()
  return authorizeUrl({ client_id: 'wallet', request_uri })
}

test.serial(
  'a request_uri can be opened again until somebody has logged in with it (FAPI 2.0, section 5.3.2.2)',
  async (t) => {
    const { browser } = authorization
    const url = await pushedUrl()
    const [early, other] = [browser(), browser()]
    const { location: begun = '' } = await early.open(url)
    t.true(begun.startsWith('https://login.test'))
    t.truthy(queryOf((await other.follow(url, CALLBACK)).location).code)
    t.is(queryOf((await early.follow(begun, CALLBACK)).location).error, 'invalid_request_uri', 'two codes')
    t.is((await other.open(url)).status, 400)
  },
)

test.serial('of browsers that log in with one request_uri at the same time one gets a code', async (t) => {
  const url = await pushedUrl()
  const all = Array.from({ length: 5 }, async () => (await authorization.browser().follow(url, CALLBACK)).location)
  const ended = (await Promise.all(all)).filter((location) => queryOf(location).code !== undefined)
  t.is(ended.length, 1)
})

test.serial('a request_uri is not opened later than 90 seconds after it was pushed', async (t) => {
  const { browser, world } = authorization
  const url = await pushedUrl()
  await connected(world.superuserUrl, (client) =>
    client.query(`update openid_wallet_logins set created_at = created_at - interval '91 seconds'`),
  )
  t.is((await browser().open(url)).status, 400)
})

test.serial('a code without the code_verifier of its request is invalid_grant, and is not used by it', async (t) => {
  const { browser, exchange, authorizeUrl, offered } = authorization
  const { issuerState } = await offered([template])
  const { verifier, challenge } = pkce()
  const url = authorizeUrl(parametersFor(challenge, issuerState) as Record<string, string>)
  const { code = '' } = queryOf((await browser().follow(url, CALLBACK)).location)
  const members = { code, redirect_uri: CALLBACK, client_id: 'wallet' }
  t.is(errorOf(await exchange(members)), '400 invalid_grant')
  t.is((await exchange({ ...members, code_verifier: verifier })).status, 200)
})
