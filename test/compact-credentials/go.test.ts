import test from 'ava'
import { fromText, PREFIXES } from '../../protocol/compact-credentials/text.ts'
import { signCompact } from '../support/credentials/compact.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { verifyWithGoCose as verify } from '../support/parts/go-cose.ts'
import { needs } from '../support/parts.ts'
import { openWorld, type World } from '../support/world.ts'

const withGo = needs('Go')

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))

withGo('go-cose verifies our credentials and their status list, and refuses a changed one (RFC 9052)', async (t) => {
  t.timeout(300_000)
  const iss = await createDid(world, 'P-256')
  const { encoded, decoded } = await signCompact(world, { iss, name: 'Ada Lovelace' }, { revocable: true })
  const credential = fromText(PREFIXES.compact, encoded)
  const published = async (accept: string) =>
    new Uint8Array(await (await fetch(decoded.status?.url ?? '', { headers: { accept } })).arrayBuffer())
  const lists = [await published('application/cwt'), await published('application/statuslist+cwt')]
  for (const message of [credential, ...lists]) {
    const read = await verify(iss, message)
    if (typeof read === 'string') return t.fail(read)
    t.is(read.kid, iss.slice('did:key:'.length))
    t.true(read.payload.includes(iss))
    t.is(await verify(iss, flipped(message, Buffer.from(message).indexOf(iss))), 'refused: verification error')
  }
  t.is(await verify(await createDid(world, 'P-256'), credential), 'refused: verification error')
})
