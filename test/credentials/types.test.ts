import { randomBytes, randomInt } from 'node:crypto'
import test from 'ava'
import { termsFrom } from '../../activities/sd-jwt-credentials/templates.sign.ts'
import { isRecordableType, MAX_TYPE_BYTES } from '../../protocol/credentials/types.ts'
import { Refusal } from '../../protocol/errors.ts'
import { createCompactTemplate } from '../support/credentials/compact.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { createSdJwtTemplate, SD_JWT, signSdJwt } from '../support/sd-jwt/credentials.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'P-256')
})
test.after.always(() => world?.close())

/** Characters of three bytes, which do not compress. */
const longest = () => {
  const characters = Array.from({ length: 682 }, () => String.fromCodePoint(randomInt(0x4e00, 0x9fa5)))
  return `${characters.join('')}aa`
}
const TOO_LONG = '宇'.repeat(683)

const codesOf = ({ status, text }: { status: number; text: string }) => {
  const { type, errors = [] } = JSON.parse(text) as { type: string; errors?: { path: string; code: string }[] }
  return [status, type.split('#')[1], ...errors.map(({ path, code }) => `${path} ${code}`)]
}

const entries = async () => {
  const { rows } = await world.dependencies.systemSql.query<{ taken: string }>({
    text: 'select coalesce(sum(used), 0) as taken from status_lists',
    values: [],
  })
  return rows[0]?.taken
}

test('the longest type has as many bytes as an index takes, however little it compresses (D-1086)', async (t) => {
  t.true(isRecordableType(longest()))
  t.is(Buffer.byteLength(longest()), MAX_TYPE_BYTES)
  const type = `https://types.example/${randomBytes(2_048).toString('base64url')}`.slice(0, MAX_TYPE_BYTES)
  const signed = await sign(world, issuer, {
    proofType: 'ecdsa-rdfc-2019',
    more: { type: ['VerifiableCredential', type] },
  })
  t.truthy(signed.id)
  t.truthy((await signSdJwt(world, { payload: { vct: longest() }, issuer_did: issuer })).id)
  const compact = { payload: { iss: issuer, type: longest() }, revocable: false }
  t.is((await world.ask('/v1/credentials/compact/sign', { token: world.token, body: compact })).status, 200)
})

test('a longer type is refused in every format before a status entry is taken (D-1086)', async (t) => {
  const ask = (path: string, body: object) => world.ask(path, { token: world.token, body })
  const before = await entries()
  t.deepEqual(
    codesOf(await ask(`${SD_JWT}/sign`, { payload: { vct: TOO_LONG }, issuer_did: issuer, revocable: true })),
    [400, 'credential.invalid', 'payload.vct claim.type'],
  )
  const compact = { payload: { iss: issuer, type: TOO_LONG }, revocable: true }
  t.deepEqual(codesOf(await ask('/v1/credentials/compact/sign', compact)).slice(0, 2), [400, 'credential.invalid'])
  const subject = { credentialSubject: { id: 'did:example:holder', name: 'Ada' } }
  const semantic = { type: ['VerifiableCredential', TOO_LONG], issuer: { id: issuer }, ...subject }
  const profile = '/v1/credentials/compact-semantic/sign'
  t.deepEqual(codesOf(await ask(profile, { payload: semantic, revocable: true })).slice(0, 2), [
    400,
    'credential.invalid',
  ])
  const type = `https://types.example/${TOO_LONG}`
  const web = {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    ...semantic,
    type: ['VerifiableCredential', type],
  }
  const request = { payload: web, proofType: 'ecdsa-rdfc-2019', revocable: true }
  t.deepEqual(codesOf(await ask('/v1/credentials/web-semantic/sign', request)), [
    400,
    'credential.invalid',
    'payload.type.1 credential.type',
  ])
  t.is(await entries(), before)
})

test('templates have no longer type, and one of an earlier release signs nothing (D-1086)', async (t) => {
  const template = (vct: string) => ({ vct, issuedAs: 'did', revocable: true, claims: [], decoys: 0 }) as never
  const made = (vct: string) => termsFrom(template(vct), { claims: {} }, new Date()).vct
  t.is(made('https://types.example/a'), 'https://types.example/a')
  const { errors } = t.throws(() => made(TOO_LONG), { instanceOf: Refusal, code: 'credential.invalid' })
  t.like(errors, [{ path: 'vct', code: 'claim.type' }])
  await t.throwsAsync(createSdJwtTemplate(world, { vct: TOO_LONG }), { message: /template\.invalid/ })
  await t.throwsAsync(createCompactTemplate(world, { type: TOO_LONG }), { message: /template\.invalid/ })
})
