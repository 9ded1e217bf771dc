import type { OpenIdPresentation } from '../../../entities/openid/presentations.ts'
import { walletLink } from '../../../protocol/openid/verifiers/requests.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { SignInSecrets, WalletDevice } from '../verifiers/secrets.ts'
import { PAGE_PATH, WALLET_PATH } from './wallet-requests.ts'

/** Addresses that lead to a request. */
export interface RequestLinks {
  /** Opens a wallet on another device: for a QR code. */
  uri: string
  /** Opens a wallet on the device of the browser. */
  sameDeviceUri: string | null
}

interface Parts {
  tenants: Pick<Tenants, 'byId'>
  secrets: SignInSecrets
}

/** Addresses of requests, which are made of the id of the request: no row has them in clear. */
export function createRequestLinks({ tenants, secrets }: Parts) {
  const pageUriOf = async (tenantId: string, id: string): Promise<string> =>
    `${(await tenants.byId(tenantId)).baseUrl}${PAGE_PATH}/${secrets.pageName(id)}`

  return {
    pageUriOf,

    async linksOf(
      tenantId: string,
      {
        id,
        clientIdentifier,
        redirectUri,
        requestUriMethod,
      }: Pick<OpenIdPresentation, 'id' | 'clientIdentifier' | 'redirectUri' | 'requestUriMethod'>,
    ): Promise<RequestLinks> {
      const { baseUrl } = await tenants.byId(tenantId)
      const linkOf = (device: WalletDevice) => {
        const requestUri = `${baseUrl}${WALLET_PATH}/requests/${secrets.requestName(id, device)}`
        return walletLink(clientIdentifier, requestUri, requestUriMethod ?? 'get')
      }
      return { uri: linkOf('other'), sameDeviceUri: redirectUri ? linkOf('same') : null }
    },

    responseUriOf: async (tenantId: string, name: string): Promise<string> =>
      `${(await tenants.byId(tenantId)).baseUrl}${WALLET_PATH}/answers/${name}`,

    /** Where the wallet leads its holder (OpenID4VP 1.0, section 8.2): to the page of the request, or to the verifier. */
    async returnUriOf(row: OpenIdPresentation): Promise<string> {
      if (!row.pageDigest) return backTo(row, secrets.responseCode(row.id))
      const back = new URLSearchParams({ return_code: secrets.returnCode(row.id) })
      return `${await pageUriOf(row.tenantId, row.id)}/done?${back}`
    },
  }
}

export type Links = ReturnType<typeof createRequestLinks>

/** The verifier's address, with the code that its client redeems. */
export function backTo({ redirectUri }: Pick<OpenIdPresentation, 'redirectUri'>, responseCode: string): string {
  if (!redirectUri) throw new Error('a request on the same device has a redirect URI')
  const url = new URL(redirectUri)
  url.searchParams.set('response_code', responseCode)
  return url.href
}
