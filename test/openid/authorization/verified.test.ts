import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { type Authorization, openAuthorization } from '../../support/openid/authorization.ts'
import { collectAfterLogin } from '../../support/openid/collecting.ts'
import { readCwtByCoseKit, readCwtByPython, readLdp, readMdoc } from '../../support/openid/verifying.ts'
import {
  createTemplates,
  createWalletKey,
  openWallet,
  sessionsOf,
  type WalletKey,
} from '../../support/openid/wallet.ts'
import { needs } from '../../support/parts.ts'

const withPython = needs('Python')

let authorization: Authorization
let templates: Awaited<ReturnType<typeof createTemplates>>
let root: Uint8Array
test.before(async () => {
  authorization = await openAuthorization({ workflows: true })
  const { world } = authorization
  await createDid(world, 'ed25519', world.token, true)
  const { certificatePem } = await makeIaca(world)
  root = new Uint8Array(Buffer.from(certificatePem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64'))
  await makeSigner(world, { active: true })
  templates = await createTemplates(world)
})
test.after.always(() => authorization?.close())

type Format = keyof typeof templates

interface Collected {
  credentials: readonly unknown[]
  key: WalletKey
}

/** From an offer to the credential, by each grant; the holder is called "ada". */
const GRANTS: Record<string, (format: Format) => Promise<Collected>> = {
  authorization_code: (format) => collectAfterLogin(authorization, templates[format], 'plain'),
  'pre-authorized_code': async (format) => {
    const claims = { given_name: 'grace', ...(format === 'mso_mdoc' && { family_name: 'Lovelace' }) }
    const { uri } = await sessionsOf(authorization.world).offer({ credentials: [templates[format]], claims })
    const key = await createWalletKey()
    return { ...(await openWallet([key]).collect(uri)), key }
  },
}

const only = ({ credentials }: Collected): unknown => {
  if (credentials.length !== 1) throw new Error(`${credentials.length} credentials`)
  return credentials[0]
}

/** The same credential with one character changed in what is signed. */
const changed = (credential: unknown, from: string, to: string): unknown =>
  JSON.parse(JSON.stringify(credential).replace(from, to))

/** A CWT in which a byte of the payload is another one. */
function changedCwt(text: unknown): string {
  const [prefix = '', version = '', body = ''] = String(text).split('/')
  const middle = Math.floor(body.length / 2)
  const other = body[middle] === 'A' ? 'B' : 'A'
  return [prefix, version, body.slice(0, middle) + other + body.slice(middle + 1)].join('/')
}

for (const [grant, collect] of Object.entries(GRANTS)) {
  test(`ldp_vc by ${grant}: what the foreign wallet got, @digitalbazaar/vc verifies`, async (t) => {
    const credential = only(await collect('ldp_vc'))
    const { given_name, id } = await readLdp(credential)
    t.is(given_name, 'grace')
    t.regex(String(id), /^did:key:/, 'the subject is the key that the wallet proved')
    await t.throwsAsync(readLdp(changed(credential, 'grace', 'Grace')), { message: /refuses/ })
  })

  test(`mso_mdoc by ${grant}: what the foreign wallet got, @owf/mdoc verifies, with the wallet's key as device key`, async (t) => {
    const collected = await collect('mso_mdoc')
    const said = await readMdoc(only(collected), root, collected.key)
    t.like(said, { given_name: 'grace', family_name: 'Lovelace' })
    await t.throwsAsync(readMdoc(only(collected), root, await createWalletKey()), { message: /another one/ })
  })

  for (const [format, profile] of [
    ['cwt', 'compact'],
    ['cwt_vc', 'compact-semantic'],
  ] as const) {
    test(`${format} by ${grant}: what the foreign wallet got, cose-kit verifies`, async (t) => {
      const credential = only(await collect(format))
      t.regex(JSON.stringify(await readCwtByCoseKit(credential, profile)), /grace/)
      await t.throwsAsync(readCwtByCoseKit(changedCwt(credential), profile))
    })

    withPython(`${format} by ${grant}: what the foreign wallet got, Python's cwt verifies`, async (t) => {
      const credential = only(await collect(format))
      t.regex(JSON.stringify(await readCwtByPython(credential, profile)), /grace/)
      await t.throwsAsync(readCwtByPython(changedCwt(credential), profile))
    })
  }
}
