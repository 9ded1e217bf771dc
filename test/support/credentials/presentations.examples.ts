import type { World } from '../world.ts'
import { createDid, sign } from './credentials.ts'
import { makeHolder } from './holders.ts'

/** What the examples of presentations speak of. */
export interface PresentationSample {
  presentationTemplateId: string
  /** For the operation that deletes it. */
  sparePresentationTemplateId: string
  presentationRequestId: string
  presentation: Record<string, unknown>
  /** With a bbs-2023 base proof. */
  baseCredential: Record<string, unknown>
}

const TEMPLATE = {
  domain: 'verifier.example',
  name: 'Proof of a course',
  query: [
    {
      type: 'QueryByExample',
      credentialQuery: [
        { required: false, reason: 'To go on', example: { type: 'CourseCredential', trustedIssuer: [] } },
      ],
    },
  ],
}

export async function makePresentationSample(world: World, token: string): Promise<PresentationSample> {
  const path = '/v1/credentials/web-semantic/presentations'
  const created = async (what: string) => {
    const reply = await world.ask(`${path}/${what}`, { token, body: TEMPLATE })
    if (reply.status !== 200) throw new Error(`no ${what}: ${reply.text}`)
    return reply.json<{ id: string }>().id
  }
  const issuer = await createDid(world, 'bls12381g2', token)
  return {
    presentationTemplateId: await created('templates'),
    sparePresentationTemplateId: await created('templates'),
    presentationRequestId: await created('requests'),
    presentation: await makeHolder().present(undefined, { challenge: 'the-challenge', domain: 'verifier.example' }),
    baseCredential: (await sign(world, issuer, { token, proofType: 'bbs-2023' })).credential,
  }
}

type Of<Answer> = (sample: PresentationSample) => Answer

export const PRESENTATION_EXAMPLES: Record<
  string,
  { body?: Of<Record<string, unknown>>; path?: Of<Record<string, string>> }
> = {
  createWebSemanticPresentationTemplate: { body: () => TEMPLATE },
  updateWebSemanticPresentationTemplate: {
    body: ({ presentationTemplateId: id }) => ({ ...TEMPLATE, id }),
  },
  deleteWebSemanticPresentationTemplate: { path: ({ sparePresentationTemplateId: id }) => ({ id }) },
  createWebSemanticPresentationRequest: { body: () => ({ ...TEMPLATE, callbackUrl: 'https://verifier.example/' }) },
  verifyWebSemanticPresentationTemplate: {
    body: ({ presentation, presentationTemplateId: templateId }) => ({
      presentation,
      challenge: 'the-challenge',
      domain: 'verifier.example',
      templateId,
    }),
  },
  deriveWebSemanticCredential: {
    body: ({ baseCredential }) => ({ credential: baseCredential, selectivePointers: ['/credentialSubject/course'] }),
  },
}
