import express, { type Request, type Router } from 'express'
import type { Pool } from 'pg'
import type { Platform } from '../../../activities/index.ts'
import { WALLET_PATH } from '../../../activities/openid/presentations/wallet-requests.ts'
import { limitRate } from '../../frame/limits/index.ts'
import { forWallets, walletRoutes } from '../verifiers/wallet.ts'

/**
 * What wallets need of the requests of the API: the signed request, and where they answer. Its errors are those of the
 * standard, so that it is not in the API's document.
 */
export function presentationRoutes({
  platform: { requestAnswers },
  pool,
  perMinute,
}: {
  platform: Platform
  pool: Pool
  perMinute: number
}): Router {
  const tenantOf = ({ headers }: Request) => requestAnswers.tenantAt(headers.host ?? '')
  const router = express.Router({ caseSensitive: true, strict: true })
  router.use(forWallets)
  router.use(limitRate({ pool, perMinute, name: 'openid4vp', by: ({ address }) => address }))
  router.use(
    walletRoutes({
      requestObject: async (request, name, wallet) =>
        requestAnswers.requestObject(await tenantOf(request), name, wallet),
      answerRequest: async (request, name, says) => requestAnswers.answerRequest(await tenantOf(request), name, says),
    }),
  )
  return express.Router({ caseSensitive: true, strict: true }).use(WALLET_PATH, router)
}
