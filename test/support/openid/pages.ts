import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions } from 'playwright-core'
import { openPage } from '../console/browser.ts'
import type { World } from '../world.ts'
import { encrypted, keyOf, type WalletRequest, wallet } from './presenting.ts'

/** What a browser's Digital Credentials API gives to a page; `undefined`: its person closed the dialog. */
export type InBrowser = (request: WalletRequest) => Promise<object | undefined>

/** A page without what a wallet would do: its script, in which nothing of a request is. */
const SCRIPT = '/v1/openid4vp/pages/page.js'

const WITHOUT = 'delete globalThis.DigitalCredential'
const WITH = `globalThis.DigitalCredential = class DigitalCredential {
  static userAgentAllowsProtocol(protocol) { return protocol === 'openid4vp-v1-signed' }
}
navigator.credentials.get = async ({ digital }) => {
  if (!navigator.userActivation.isActive) throw new DOMException('no activation', 'NotAllowedError')
  const data = await askWallet(location.origin, digital.requests)
  if (!data) throw new DOMException('closed', 'NotAllowedError')
  return { data }
}`

/**
 * The page of a request in Chromium. `wallet`: the browser has the Digital Credentials API, and behind it a wallet by
 * another author, which checks the signature of the request and the origin of the page; without, it has none.
 */
export async function openRequestPage(
  world: World,
  pageUri: string,
  { inBrowser, ...options }: BrowserContextOptions & { inBrowser?: InBrowser } = {},
) {
  const opened = await openPage(world, SCRIPT, options)
  const { context, page } = opened
  await context.exposeFunction('askWallet', async (origin: string, requests: { data: { request: string } }[]) => {
    const [first] = requests
    return first && inBrowser?.(await wallet.readBrowserRequest(first.data, origin))
  })
  await context.addInitScript(inBrowser ? WITH : WITHOUT)
  await page.goto(pageUri)
  return opened
}

/** The verifier's own site, which is another one than the platform's. */
export async function openShop() {
  const server = createServer((_request, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end('<title>The shop</title><link rel="icon" href="data:"><h1>The shop</h1>')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    redirectUri: `http://127.0.0.1:${port}/done?order=42`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** As a wallet answers through the browser. */
export const inBrowserAnswer = async (request: WalletRequest, vpToken: object): Promise<object> => ({
  response: await encrypted({ vp_token: vpToken }, keyOf(request)),
})
