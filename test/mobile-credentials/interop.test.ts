import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Verifier } from '@auth0/mdl'
import { CoseKey, DeviceRequest, DocRequest, Holder, IssuerSigned, ItemsRequest, SessionTranscript } from '@owf/mdoc'
import test from 'ava'
import { MOBILE_SIGN_EXAMPLE } from '../../api/mobile-credentials/answers.ts'
import { decodeCbor, encodeCbor, Tag } from '../../protocol/cose/cbor.ts'
import { MDOC } from '../../protocol/mobile-credentials/read.ts'
import { context } from '../support/credentials/mobile.context.ts'
import { makeIaca, makeSigner, signMobile } from '../support/credentials/mobile.ts'
import { needs } from '../support/parts.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let iaca: Awaited<ReturnType<typeof makeIaca>>
test.before(async () => {
  world = await openWorld()
  iaca = await makeIaca(world)
  await makeSigner(world, { active: true })
})
test.after.always(() => world?.close())

const run = promisify(execFile)
const DOC_TYPE = 'org.iso.18013.5.1.mDL'
const NAMESPACE = 'org.iso.18013.5.1'

/** Prints the verdicts of pymdoccbor about an mdoc, without and with a flipped bit in a name. */
const PROGRAM = `
import json, sys
from cryptography import x509
from pymdoccbor.mdoc.verifier import MdocCbor
root = x509.load_pem_x509_certificate(open(sys.argv[1], 'rb').read())
def verdict(data, roots):
    mdoc = MdocCbor()
    mdoc.loads(data)
    try:
        return mdoc.verify(trusted_root_certs=roots)
    except Exception as error:
        return type(error).__name__
data = open(sys.argv[2], 'rb').read()
assert data.count(b'Lovelace') == 1
flipped = data.replace(b'Lovelace', b'Lovelacf')
mdoc = MdocCbor()
mdoc.loads(data)
mdoc.verify(trusted_root_certs=[root])
print(json.dumps({'own': verdict(data, [root]), 'flipped': verdict(flipped, [root]), 'claims': sorted(mdoc.disclosure_map['${NAMESPACE}'])}))
`

needs('Python')('pymdoccbor, which shares no code with the platform, verifies its mdoc', async (t) => {
  t.timeout(300_000)
  const directory = await mkdtemp(join(tmpdir(), 'countersign-pymdoccbor-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  const path = (name: string) => join(directory, name)
  await run('python3', ['-m', 'venv', path('venv')])
  const python = path('venv/bin/python')
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'pymdoccbor==1.4.0'])
  const { mobileId, mobileEncoded } = await signMobile(world)
  t.is(mobileId.charAt(14), '7', 'an id that begins with the time, which stands in no mdoc (D-1035)')
  t.false(Buffer.from(mobileEncoded, 'base64url').includes(mobileId))
  const issuerSigned = decodeCbor(new Uint8Array(Buffer.from(mobileEncoded, 'base64url')), MDOC)
  const document = new Map([
    ['docType', DOC_TYPE],
    ['issuerSigned', issuerSigned],
  ])
  await writeFile(
    path('response.cbor'),
    encodeCbor(
      new Map([
        ['version', '1.0'],
        ['documents', [document]],
        ['status', 0],
      ] as [string, never][]),
    ),
  )
  await writeFile(path('root.pem'), iaca.certificatePem)
  await writeFile(path('verify.py'), PROGRAM)
  const { stdout } = await run(python, [path('verify.py'), path('root.pem'), path('response.cbor')])
  const { own, flipped, claims } = JSON.parse(stdout) as { own: unknown; flipped: unknown; claims: string[] }
  t.deepEqual([own, flipped], [true, false])
  t.deepEqual(claims, Object.keys(MOBILE_SIGN_EXAMPLE.payload.itemsToSign[NAMESPACE]).sort())
})

/** A device with a credential of the platform, and its response in a session. */
async function present(mac: boolean) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const reader = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const deviceKey = pair.publicKey.export({ format: 'jwk' })
  const { payload } = MOBILE_SIGN_EXAMPLE
  const { mobileEncoded } = await signMobile(world, world.token, {
    payload: { ...payload, deviceKeyInfo: { deviceKey } },
  })
  const issuerSigned = IssuerSigned.fromEncodedForOid4Vci(mobileEncoded)
  const root = new Uint8Array(Buffer.from(iaca.certificatePem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64'))
  await Holder.verifyIssuerSigned({ issuerSigned, trustedCertificates: [root] }, context)
  const sessionTranscript = await SessionTranscript.forOid4Vp(
    { clientId: 'verifier', nonce: 'nonce', responseUri: 'https://verifier.example/response' } as never,
    context,
  )
  // the library writes the key's algorithm into the header of either proof
  const signingKey = CoseKey.fromJwk({ ...pair.privateKey.export({ format: 'jwk' }), alg: mac ? 'HS256' : 'ES256' })
  const ephemeralKey = CoseKey.fromJwk({ ...reader.publicKey.export({ format: 'jwk' }) })
  const namespaces = { [NAMESPACE]: { age_over_18: false, birth_date: false } }
  const itemsRequest = ItemsRequest.create({ docType: DOC_TYPE, namespaces })
  const deviceRequest = DeviceRequest.create({ docRequests: [DocRequest.create({ itemsRequest })] })
  const asked = { deviceRequest, sessionTranscript, issuerSigned: [issuerSigned] }
  const key = mac ? { mac: { ephemeralKey, signingKey } } : { signature: { signingKey } }
  const response = await Holder.createDeviceResponseForDeviceRequest({ ...asked, ...key }, context)
  return {
    payload: response.encodedForOid4Vp,
    transcript: Buffer.from(sessionTranscript.encode()).toString('base64url'),
    readerPrivateKey: reader.privateKey.export({ format: 'jwk' }),
  }
}

interface Verdict {
  verified: boolean
  reason: { type: string }[]
  documents: { namespaces: object; warnings: string[] }[]
}

const verify = async (body: object): Promise<Verdict> => {
  const reply = await world.ask('/v1/credentials/mobile/verify', { token: world.token, body })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<Verdict>()
}

for (const mac of [false, true])
  test(`a device response of @owf/mdoc with a device ${mac ? 'MAC' : 'signature'} verifies in its session alone`, async (t) => {
    const { payload, transcript, readerPrivateKey } = await present(mac)
    const session = { transcript, ...(mac && { readerPrivateKey }) }
    const verdict = await verify({ payload, session })
    t.deepEqual([verdict.verified, verdict.reason], [true, []])
    t.deepEqual(verdict.documents[0]?.namespaces, { [NAMESPACE]: { age_over_18: true, birth_date: '1990-12-10' } })
    t.deepEqual(verdict.documents[0]?.warnings, [])
    t.deepEqual((await verify({ payload })).documents[0]?.warnings, ['DeviceNotChecked'])
    const other = await present(mac)
    const elsewhere = mac ? { transcript, readerPrivateKey: other.readerPrivateKey } : { transcript: 'g_b29g' }
    t.deepEqual((await verify({ payload, session: elsewhere })).reason, [
      { type: 'Device', message: 'The device did not authenticate this response in this session.' },
    ])
    if (mac) return // it takes the reader's key in a form of its own
    const transcriptBytes = encodeCbor(new Tag(24, new Uint8Array(Buffer.from(transcript, 'base64url'))))
    const read = await new Verifier([iaca.certificatePem]).verify(Buffer.from(payload, 'base64url'), {
      encodedSessionTranscript: Buffer.from(transcriptBytes),
    })
    t.is(read.documents[0]?.docType, DOC_TYPE)
  })
