import test from 'ava'
import { createDid, payload, type Signed, sign, verify } from '../../support/credentials/credentials.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const AREA = '/v1/credentials/web-semantic'
const ask = (path: string, body: unknown) => world.ask(`${AREA}${path}`, { token: world.token, body })

/** The API runs in this process: what it does to the prototype of all objects shows here. */
const members = () => [...Reflect.ownKeys(Object.prototype), ...Reflect.ownKeys(Object)].map(String)
const ours = members()

const TERMS = {
  course: 'https://schema.org/courseCode',
  school: { '@id': 'https://schema.org/provider', '@type': '@id' },
  level: { '@id': 'https://schema.org/level', '@type': '@vocab' },
}

/** Members of a subject that name a node so, by what they are. */
const hostile = (name: string): [what: string, subject: object, terms?: object][] => [
  ['a reference', { school: name }],
  ['a word of a vocabulary', { level: name }],
  [
    'a reference in a list',
    { schools: ['https://a.example/', name] },
    { schools: { ...TERMS.school, '@container': '@list' } },
  ],
  ['an id', { school: { '@id': name, course: 'x' } }],
  ['two halves', { level: name.slice(5) }, { '@vocab': name.slice(0, 5) }],
]

const withSubject = (issuer: string, subject: object, terms: object = {}) =>
  payload(issuer, {
    '@context': ['https://www.w3.org/ns/credentials/v2', { ...TERMS, ...terms }],
    credentialSubject: { id: 'did:example:holder', ...subject },
  })

const convert = (data: unknown, input_format: string, output_format: string) =>
  ask('/linkeddata/convert', { data, options: { input_format, output_format, output_encoding: 'base64' } })

const reasons = async (credential: unknown) => {
  const { verified, reason } = await verify(world, credential)
  return verified ? ['verified'] : reason.map(({ type }) => type)
}

for (const name of ['__proto__', 'constructor', 'toString'])
  for (const [what, subject, terms] of hostile(name))
    test.serial(
      `${what} that is called ${name} is refused, and changes no object of the process (D-144)`,
      async (t) => {
        const dids = { 'eddsa-rdfc-2022': await createDid(world), 'bbs-2023': await createDid(world, 'bls12381g2') }
        for (const [proofType, did] of Object.entries(dids)) {
          const body = { payload: withSubject(did, subject, terms), proofType, revocable: false }
          const signed = await ask('/sign', body)
          t.is(refusal(signed, 400), 'credential.invalid')
          t.deepEqual(members(), ours)

          const { credential } = await sign(world, did, {
            proofType,
            more: { '@context': withSubject(did, {})['@context'] },
          })
          const altered = { ...credential, ...withSubject(did, subject, terms) }
          t.deepEqual(await reasons(altered), ['Context'])
          if (proofType === 'bbs-2023') {
            const derived = await ask('/derive', { credential: altered, selectivePointers: 'everything' })
            t.is(refusal(derived, 400), 'credential.invalid')
          }
          t.deepEqual(members(), ours)
        }
        const data = { '@context': { ...TERMS, ...terms }, '@id': 'https://a.example/', ...subject }
        for (const format of ['n-quads', 'cborld', 'jsonld'])
          t.is(refusal(await convert(data, 'jsonld', format), 400), 'credential.invalid', format)
        t.deepEqual(members(), ours)
        for (const [proofType, did] of Object.entries(dids)) t.truthy((await sign(world, did, { proofType })).id)
      },
    )

const PROOF_MEMBERS = {
  previousProof: ['Proof'],
  proofPurpose: ['Proof'],
  verificationMethod: ['Issuer', 'Issuer'],
  id: ['Syntax'],
  type: ['Proof'],
  cryptosuite: ['Proof'],
}

for (const [member, expected] of Object.entries(PROOF_MEMBERS))
  test.serial(
    `a proof whose ${member} is called __proto__ does not verify, and changes no object of the process (D-144)`,
    async (t) => {
      for (const [keyType, proofType] of [
        ['ed25519', 'eddsa-rdfc-2022'],
        ['bls12381g2', 'bbs-2023'],
      ] as const) {
        const did = await createDid(world, keyType)
        const { credential }: Signed = await sign(world, did, { proofType })
        const proof = { ...(credential.proof as object), [member]: '__proto__' }
        t.deepEqual(await reasons({ ...credential, proof }), expected)
        t.deepEqual(members(), ours)
        t.truthy((await sign(world, did, { proofType })).id)
      }
    },
  )
