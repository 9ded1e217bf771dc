import { createHash } from 'node:crypto'
import type { Reply } from '../../world.ts'
import { type Authorization, dpopProof } from '../authorization.ts'
import { createWalletKey, offerIn, sessionsOf, type WalletKey } from '../wallet.ts'

const PRE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

export interface Token {
  access_token: string
  refresh_token?: string
  token_type: string
  scope?: string
  authorization_details?: { credential_configuration_id: string; credential_identifiers: string[] }[]
}

export interface Reissuance {
  id: string
  sessionId: string
  credentialIds: string[]
  templateIds: string[]
  uses: number
  boundTo: string
  endsAt: string
}

/** How a test changes a request. */
interface Changes {
  /** Of the DPoP proof; null: there is none. */
  key?: WalletKey | null
  headers?: Record<string, string>
}

/** A wallet that is not registered, and proves its key by DPoP, for one platform. */
export function openReissuing({ world, base, form }: Pick<Authorization, 'world' | 'base' | 'form'>) {
  /** One request to the token endpoint, with the nonce that it wants. */
  async function token(members: Record<string, string>, { key = null, headers = {} }: Changes = {}): Promise<Reply> {
    const ask = async (nonce?: string) => {
      const dpop = key && (await dpopProof(key, { htu: `${base}/v1/oauth/token`, ...(nonce && { nonce }) }))
      return form('/v1/oauth/token', members, { ...headers, ...(dpop && { dpop }) })
    }
    const reply = await ask()
    const nonce = reply.headers.get('dpop-nonce')
    return nonce && /use_dpop_nonce/.test(reply.text) ? ask(nonce) : reply
  }

  /** A credential request, with proofs of keys where the template binds. */
  async function credential(template: object, { access_token: given, token_type }: Token, key?: WalletKey | null) {
    const path = '/v1/openid/credential'
    const ath = createHash('sha256').update(given).digest('base64url')
    const { c_nonce: nonce } = (await world.ask('/v1/openid/nonce', { method: 'POST' })).json<{ c_nonce: string }>()
    const holder = await createWalletKey()
    const proof = await holder.sign(
      { typ: 'openid4vci-proof+jwt', jwk: holder.publicJwk },
      { aud: base, iat: Math.floor(Date.now() / 1000), nonce },
    )
    const body = { ...template, proofs: { jwt: [proof] } }
    const ask = async (dpopNonce?: string) => {
      const dpop = key && (await dpopProof(key, { htu: `${base}${path}`, ath, ...(dpopNonce && { nonce: dpopNonce }) }))
      return world.ask(path, { body, headers: { authorization: `${token_type} ${given}`, ...(dpop && { dpop }) } })
    }
    let reply = await ask()
    const wanted = reply.headers.get('dpop-nonce')
    if (wanted && /use_dpop_nonce/.test(reply.text)) reply = await ask(wanted)
    for (let tries = 0; reply.status === 202 && tries < 30; tries += 1)
      reply = await ask(reply.headers.get('dpop-nonce') ?? wanted ?? undefined)
    return reply
  }

  const offered = async (credentials: string[], claims: object, more: object = {}) => {
    const { id, uri } = await sessionsOf(world).offer({ credentials, claims, ...more })
    return {
      id,
      members: { grant_type: PRE, 'pre-authorized_code': offerIn(uri).grants[PRE]?.['pre-authorized_code'] ?? '' },
    }
  }

  const list = async (query = '') =>
    (await world.ask(`/v1/openid/reissuances${query}`, { token: world.token })).json<{ data: Reissuance[] }>().data

  return {
    token,
    credential,
    offered,
    list,
    refresh: (refresh_token: string, changes: Changes, more: Record<string, string> = {}) =>
      token({ grant_type: 'refresh_token', refresh_token, ...more }, changes),
    /** From the offer to the credentials, with a refresh token. */
    async issued(templates: string[], claims: object, more: Record<string, string> = {}) {
      const key = await createWalletKey()
      const { id, members } = await offered(templates, claims)
      const reply = await token({ ...members, ...more }, { key })
      if (reply.status !== 200) throw new Error(`no token: ${reply.text}`)
      const first = reply.json<Token>()
      for (const template of templates) {
        const identifier = first.authorization_details?.find((each) => each.credential_configuration_id === template)
        const wanted = identifier
          ? { credential_identifier: identifier.credential_identifiers[0] }
          : { credential_configuration_id: template }
        const answer = await credential(wanted, first, key)
        if (answer.status !== 200) throw new Error(`no credential: ${answer.text}`)
      }
      return { key, sessionId: id, first, refreshToken: first.refresh_token ?? '' }
    },
    async revoke(id: string, isRevoked = true): Promise<void> {
      const path = `/v1/credentials/web-semantic/${id}/revocation-status`
      const reply = await world.ask(path, { token: world.token, body: { is_revoked: isRevoked } })
      if (reply.status >= 300) throw new Error(`not revoked: ${reply.text}`)
    },
  }
}

export type Reissuing = ReturnType<typeof openReissuing>
