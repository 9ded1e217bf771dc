import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { signSdJwt } from '../sd-jwt/credentials.ts'
import type { World } from '../world.ts'
import type { WalletRequest } from './presenting.ts'

export const VCT = 'https://credentials.example/identity'

const hash = (data: string | ArrayBuffer): Uint8Array =>
  new Uint8Array(
    createHash('sha256')
      .update(typeof data === 'string' ? data : new Uint8Array(data))
      .digest(),
  )

/** An SD-JWT VC in a wallet by another author (OpenWallet Foundation): the holder's key is the wallet's own. */
export async function openSdJwt(world: World, issuer: object, more: object = {}, isBound = true) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const payload = {
    vct: VCT,
    given_name: 'Ada',
    family_name: 'Lovelace',
    nationalities: ['GB', 'NL'],
    address: { locality: 'London', country: 'GB' },
    ...more,
  }
  const signed = await signSdJwt(world, {
    payload,
    ...(isBound && { holder_key: publicKey.export({ format: 'jwk' }) }),
    revocable: true,
    ...issuer,
  })
  const instance = new SDJwtVcInstance({
    hashAlg: 'sha-256',
    hasher: hash,
    saltGenerator: (length: number) => randomBytes(length).toString('hex'),
    kbSignAlg: 'ES256',
    kbSigner: async (data: string) =>
      sign('sha256', Buffer.from(data), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
  })

  type Session = Pick<WalletRequest, 'client_id' | 'nonce' | 'transaction_data'>

  /** A presentation of what `frame` discloses, bound to the request. */
  const presentation = ({ client_id: aud, nonce, transaction_data: data }: Session, frame: object): Promise<string> => {
    const hashes = data?.map((each) => Buffer.from(hash(each)).toString('base64url'))
    const agreed = hashes && { transaction_data_hashes: hashes, transaction_data_hashes_alg: 'sha-256' }
    const kb = { payload: { iat: Math.floor(Date.now() / 1000), aud, nonce, ...agreed } }
    return instance.present(signed.encoded, frame as never, { kb })
  }

  return {
    ...signed,
    presentation,
    /** Without a key binding. */
    unbound: (frame: object): Promise<string> => instance.present(signed.encoded, frame as never),
    async present(request: WalletRequest, frame: object, id = request.dcql_query.credentials[0]?.id ?? '') {
      return { [id]: [await presentation(request, frame)] }
    },
  }
}
