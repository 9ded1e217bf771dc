import { createDid, sign } from '../credentials/credentials.ts'
import { type Holder, makeHolder } from '../credentials/holders.ts'
import type { World } from '../world.ts'
import { presentJsonLd, wallet } from './presenting.ts'
import {
  courseQuery,
  createTemplate,
  createVerifier,
  createVerifierClient,
  openRelyingParty,
  qrLink,
} from './verifiers.ts'

/** A verifier that trusts one issuer, its client, and people who sign in there. */
export async function openSignIns(world: World) {
  const issuer = await createDid(world, 'ed25519', world.token, true)
  const trusting = courseQuery({ trustedIssuer: [{ required: true, issuer }] })
  const verifier = await createVerifier(world, { presentation_template_id: await createTemplate(world, trusting) })
  const client = await createVerifierClient(world, verifier.id)
  const party = await openRelyingParty(verifier, client)

  const credentialFor = async (holder: Holder, by = issuer, revocable = false) =>
    sign(world, by, { revocable, more: { credentialSubject: { id: holder.did, course: 'CS-101' } } })

  /** A browser on the page of a sign-in, and what the wallet reads there. */
  async function asked() {
    const begun = await party.begin()
    return { begun, request: await wallet.readRequest(qrLink(begun.page)) }
  }

  return {
    issuer,
    verifier,
    client,
    party,
    credentialFor,
    asked,
    /** Up to the redirect to the client. */
    async signedIn() {
      const { begun, request } = await asked()
      const holder = makeHolder()
      const { credential } = await credentialFor(holder)
      await wallet.answer(request, await presentJsonLd(holder, credential, request))
      return { begun, back: await party.back(begun, begun.page.url) }
    },
  }
}

export type SignIns = Awaited<ReturnType<typeof openSignIns>>
