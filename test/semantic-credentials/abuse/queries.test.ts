import test from 'ava'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { meansTheSame } from '../../../protocol/semantic-credentials/presentations/meaning.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { failedIn, verifierIn, verifyPresentation } from '../../support/credentials/presentations.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

/** What the query's names mean, and where the holder has got something to say of itself. */
const DEGREES = { Degree: 'https://edu.example/Degree', degree: 'https://edu.example/degree' }
const CLUB = { nickname: 'https://club.example/nickname', Membership: 'https://club.example/Membership' }

const loader = createDocumentLoader({
  contexts: new Map<string, object>([
    ['https://edu.example/v1', { '@context': DEGREES }],
    ['https://club.example/v1', { '@context': CLUB }],
  ]),
})

const pattern = {
  '@context': ['https://edu.example/v1'],
  type: 'Degree',
  credentialSubject: { degree: 'Doctor' },
}

/** As the club signed it: a member by the name of Doctor. */
const member: Json = {
  '@context': [CONTEXT.credentialsV2, 'https://club.example/v1'],
  type: ['VerifiableCredential', 'Membership'],
  issuer: 'did:example:club',
  credentialSubject: { id: 'did:example:holder', nickname: 'Doctor' },
}

const means = (credential: Json, asked: Json = pattern) =>
  meansTheSame({ pattern: asked, credential }, { documentLoader: loader })

test('a name of a query means what the query’s contexts say, whatever the holder adds to the credential (D-133)', async (t) => {
  const renamed = { Degree: CLUB.Membership, degree: CLUB.nickname }
  const contexts = [...(member['@context'] as string[]), 'https://edu.example/v1']
  const subject = { id: 'did:example:holder', degree: 'Doctor' }
  const type = ['VerifiableCredential', 'Degree']
  const scopedBy = (name: string, of: string) => ({ [name]: { '@id': of, '@context': { degree: CLUB.nickname } } })
  const relabelled: Record<string, Json> = {
    'after the query’s context': { '@context': [...contexts, renamed], type, credentialSubject: subject },
    'in the subject': {
      '@context': [...contexts, { Degree: CLUB.Membership }],
      type,
      credentialSubject: { ...subject, '@context': { degree: CLUB.nickname } },
    },
    'by a type': {
      '@context': [...contexts, { ...renamed, ...scopedBy('Degree', CLUB.Membership) }],
      type,
      credentialSubject: subject,
    },
    'by a type of the subject': {
      '@context': [...contexts, { Degree: CLUB.Membership, ...scopedBy('Person', 'https://club.example/Person') }],
      type,
      credentialSubject: { ...subject, type: 'Person' },
    },
    'by a prefix': {
      '@context': [...contexts, { club: 'https://club.example/', Degree: 'club:Membership', degree: 'club:nickname' }],
      type,
      credentialSubject: subject,
    },
    'the type alone': { '@context': [...contexts, { Degree: CLUB.Membership }], type },
  }
  for (const [how, change] of Object.entries(relabelled)) t.false(await means({ ...member, ...change }), how)
})

test('a credential that means what is asked for is an answer, by whatever names (D-133)', async (t) => {
  const degree: Json = {
    '@context': [CONTEXT.credentialsV2, 'https://edu.example/v1', { further: 'https://x.example/further' }],
    type: ['VerifiableCredential', 'Degree'],
    issuer: { id: 'did:example:university' },
    credentialSubject: [
      { id: 'did:example:other', degree: 'Bachelor' },
      { id: 'did:example:holder', degree: ['Master', 'Doctor'], further: { degree: 'Doctor' } },
    ],
  }
  t.true(await means(degree))
  const withSubject = (credentialSubject: unknown) => means(degree, { ...pattern, credentialSubject })
  t.true(await withSubject({ degree: {} }))
  t.true(await withSubject({ '@id': 'did:example:holder', degree: ['Doctor', 'Master'] }))
  t.false(await withSubject({ id: 'did:example:other', degree: 'Doctor' }))
  t.false(await withSubject({ degree: 'Professor' }))
  t.false(await withSubject({ degree: { '@value': 'Doctor', '@language': 'en' } }))
  t.true(await withSubject({ '@explicit': true, unheardOf: 'x', degree: { '@default': 'none' } }))
  t.false(await means(degree, { ...pattern, issuer: 'did:example:club' }))
  // what the query's contexts do not say anything of is left to the names
  t.true(await means(member, { type: 'Degree', credentialSubject: { degree: 'Doctor' } }))
  t.true(await means(member, { ...pattern, type: 'Unheard', credentialSubject: { unheard: 'x' } }))
  t.false(
    await means({ ...member, '@context': [CONTEXT.credentialsV1] }, { '@context': CONTEXT.credentialsV2 }).catch(
      () => false,
    ),
  )
})

test('a nickname is no degree: over the API, of an issuer that the query trusts (D-133)', async (t) => {
  const { template } = verifierIn(world)
  const [club, holder] = [makeHolder(), makeHolder()]
  const course = { degree: 'https://edu.example/degree' }
  const asked = [
    {
      type: 'QueryByExample',
      credentialQuery: [
        {
          required: true,
          example: {
            '@context': [CONTEXT.credentialsV2, course],
            type: 'VerifiableCredential',
            credentialSubject: { degree: 'Doctor' },
            trustedIssuer: [{ issuer: club.did, required: true }],
          },
        },
      ],
    },
  ]
  const { id: templateId } = await template(asked)
  const signedBy = (contexts: object, subject: object) =>
    club.issue({
      '@context': [CONTEXT.credentialsV2, contexts],
      type: ['VerifiableCredential'],
      credentialSubject: { id: holder.did, ...subject },
    })
  const nickname = await signedBy({ nickname: CLUB.nickname }, { nickname: 'Doctor' })
  const relabelled = {
    ...nickname,
    '@context': [CONTEXT.credentialsV2, course, { degree: CLUB.nickname }],
    credentialSubject: { id: holder.did, degree: 'Doctor' },
  }
  const verdict = async (credential: unknown) =>
    verifyPresentation(world, await holder.present([credential], { challenge: 'c-1', domain: 'verifier.example' }), {
      templateId,
    })
  const refused = await verdict(relabelled)
  t.deepEqual(failedIn(refused), [['query', 'query.0.credentialQuery.0']])
  t.regex(refused.reason, /mean something else/)
  t.true((await verdict(await signedBy(course, { degree: 'Doctor' }))).verified)
})

test('what another subject of the same credential has is not the holder’s (D-076, D-133)', async (t) => {
  const { template } = verifierIn(world)
  const [school, holder, friend] = [makeHolder(), makeHolder(), makeHolder()]
  const ask = async (credentialSubject: Json) => {
    const example = { type: 'VerifiableCredential', credentialSubject }
    const { id } = await template([{ type: 'QueryByExample', credentialQuery: [{ required: true, example }] }])
    return id
  }
  const credential = await school.issue({
    '@context': [CONTEXT.credentialsV2, { degree: DEGREES.degree }],
    type: ['VerifiableCredential'],
    credentialSubject: [
      { id: holder.did, degree: 'Bachelor' },
      { id: friend.did, degree: 'Doctor' },
    ],
  })
  const verdict = async (templateId: string) =>
    verifyPresentation(world, await holder.present([credential], { challenge: 'c-1', domain: 'verifier.example' }), {
      templateId,
    })
  t.deepEqual(failedIn(await verdict(await ask({ degree: 'Doctor' }))), [['query', 'query.0.credentialQuery.0']])
  t.true((await verdict(await ask({ degree: 'Bachelor' }))).verified)
  t.true((await verdict(await ask({ id: friend.did, degree: 'Doctor' }))).verified)
})
