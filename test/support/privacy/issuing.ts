import { randomUUID } from 'node:crypto'
import { MOBILE_SIGN_EXAMPLE } from '../../../api/mobile-credentials/answers.ts'
import { COMPACT, COMPACT_SEMANTIC } from '../credentials/compact.ts'
import { createDid, payload } from '../credentials/credentials.ts'
import { createIaca, createSigner, SIGN } from '../credentials/mobile.ts'
import { SD_JWT } from '../sd-jwt/credentials.ts'
import type { World } from '../world.ts'

export const SEMANTIC = '/v1/credentials/web-semantic'

export const newHolder = () => `did:example:holder-${randomUUID()}`

/** Credentials with somebody's data, of every format. */
export async function openIssuing(world: World) {
  const issuer = await createDid(world, 'ed25519', world.token, true)
  await createIaca(world)
  await createSigner(world)

  async function sign(path: string, body: object): Promise<{ id: string; text: string }> {
    const reply = await world.ask(path, { token: world.token, body })
    if (reply.status !== 200) throw new Error(reply.text)
    return { id: reply.json<{ id: string }>().id, text: reply.text }
  }

  /** A credential about somebody; `more`: further claims. */
  const about = async (did: string, more: object = {}): Promise<string> =>
    (
      await sign(`${SEMANTIC}/sign`, {
        payload: { ...payload(issuer), credentialSubject: { id: did, course: 'CS-101', ...more } },
        ...{ proofType: 'eddsa-rdfc-2022', revocable: true, suspendable: true, tag: 'secret-tag' },
      })
    ).id

  /** A marker in the claims of each format, by which it is found. */
  const FORMATS: [name: string, area: string, make: (marker: string) => Promise<string>][] = [
    ['web-semantic', SEMANTIC, async (marker) => about(newHolder(), { course: marker })],
    [
      'compact',
      COMPACT,
      async (marker) =>
        (await sign(`${COMPACT}/sign`, { payload: { iss: issuer, type: 'Course', course: marker }, revocable: true }))
          .id,
    ],
    [
      'compact-semantic',
      COMPACT_SEMANTIC,
      async (marker) =>
        (
          await sign(`${COMPACT_SEMANTIC}/sign`, {
            payload: {
              '@context': ['https://www.w3.org/2018/credentials/v1', { course: 'https://schema.org/courseCode' }],
              type: ['VerifiableCredential', 'CourseCredential'],
              issuer: { id: issuer, name: 'Example University' },
              issuanceDate: '2026-01-01T00:00:00Z',
              credentialSubject: { id: `did:example:${marker}`, course: marker },
            },
            revocable: true,
          })
        ).id,
    ],
    [
      'sd-jwt-vc',
      SD_JWT,
      async (marker) =>
        (
          await sign(`${SD_JWT}/sign`, {
            payload: { vct: 'https://credentials.example/course', sub: `did:example:${marker}`, course: marker },
            ...{ issuer_did: issuer, revocable: true },
          })
        ).id,
    ],
    [
      'mobile',
      '/v1/credentials/mobile',
      async (marker) => {
        const items = MOBILE_SIGN_EXAMPLE.payload.itemsToSign['org.iso.18013.5.1']
        const itemsToSign = { 'org.iso.18013.5.1': { ...items, given_name: marker } }
        const more = { ...MOBILE_SIGN_EXAMPLE.payload, itemsToSign }
        return (await sign(SIGN, { ...MOBILE_SIGN_EXAMPLE, payload: more, revocable: true })).id
      },
    ],
  ]

  const read = (id: string, area = SEMANTIC) => world.ask(`${area}/${id}`, { token: world.token })

  return { issuer, sign, about, FORMATS, read }
}

export type Issuing = Awaited<ReturnType<typeof openIssuing>>
