import { Refusal } from '../../../protocol/errors.ts'
import { jsonOf, parseCompactJws, signCompactJws } from '../../../protocol/jws.ts'
import {
  didcommLink,
  type RequestMessage,
  requestHeader,
} from '../../../protocol/semantic-credentials/presentations/requests.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Signers } from '../../dids/signers.ts'
import { bundledOnly } from '../../documents/index.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { refusePresenter } from './signers.ts'
import { checkedTemplate, type PresentationTemplates, type TemplateInput } from './templates.ts'

export interface SignedRequest {
  message: RequestMessage
  jws: string
  /** Public address of the JWS. */
  requestUri: string
  /** Opens a wallet on the same device. */
  didcommUri: string
  /** The public address as a QR code: data: URL of a PNG. */
  qrCode: string
}

/** Wallets support EdDSA for requests. */
const REQUEST_KEYS = ['ed25519']

interface Parts extends Pick<Dependencies, 'documents'> {
  tenants: Tenants
  signers: Signers
  presentationTemplates: PresentationTemplates
}

/** The content of a presentation request, its signature, and how a wallet receives it. */
export function createAsking({ documents, tenants, signers, presentationTemplates }: Parts) {
  return {
    /** Returns the content of the template or of the request; both at once are refused. */
    async whatIsAsked(tenantId: string, request: Partial<TemplateInput> & { templateId?: string }) {
      const { templateId, domain, name, query, trustedContexts } = request
      if (templateId === undefined && domain === undefined && name === undefined && query === undefined)
        throw new Refusal(
          'presentation_request.invalid',
          'The presentation request has neither a template nor a query; see errors.',
          [{ path: 'templateId', code: 'required', message: 'expected templateId, or domain, name and query' }],
        )
      if (templateId === undefined) {
        const input = { domain: domain ?? '', name: name ?? '', query, trustedContexts }
        return { domain: input.domain, name: input.name, ...checkedTemplate(input), templateId: null }
      }
      const ownMembers = { domain, name, query, trustedContexts: trustedContexts ?? undefined }
      const extra = Object.entries(ownMembers).filter(([, value]) => value !== undefined)
      if (extra.length > 0)
        throw new Refusal(
          'presentation_request.invalid',
          'A presentation request with templateId must not have members that the template sets; see errors.',
          extra.map(([path]) => ({
            path,
            code: 'unknown',
            message: 'expected to be absent, because templateId is present',
          })),
        )
      const template = await presentationTemplates.readTemplate(tenantId, templateId)
      return { domain: template.domain, name: template.name, ...checkedTemplate(template), templateId: template.id }
    },

    /**
     * Returns the DID that signs when none is named (D-072); undefined where the tenant has none that can sign. Throws
     * `presentation.signer_not_chosen`.
     */
    askingDid(tenantId: string): Promise<string | undefined> {
      return signers.chosen(tenantId, REQUEST_KEYS, refusePresenter('did'))
    },

    /** Signs the message as a compact JWS with the DID's Ed25519 key. */
    async sign(tenantId: string, message: RequestMessage): Promise<string> {
      const didSigner = await signers.signerOf(tenantId, message.from, refusePresenter('did'))
      const { verificationMethod, sign } = didSigner.withKey({
        keyTypes: REQUEST_KEYS,
        neededBy: 'a presentation request',
      })
      return signCompactJws(requestHeader(verificationMethod), message, sign)
    },

    async handOver(tenantId: string, jws: string): Promise<SignedRequest> {
      const parsed = parseCompactJws(jws)
      if (!parsed) throw new Error('the signed request is not a compact JWS')
      const message = jsonOf(parsed.payload) as RequestMessage
      const { baseUrl } = await tenants.byId(tenantId)
      const requestUri = `${baseUrl}/v1/presentation-requests/${message.id}`
      const qrCode = await documents.qrCode(requestUri, bundledOnly(tenantId))
      return { message, jws, requestUri, didcommUri: didcommLink(jws), qrCode }
    },
  }
}

export type Asking = ReturnType<typeof createAsking>
