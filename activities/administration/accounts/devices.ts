import { createHmac, randomBytes } from 'node:crypto'
import type { Dependencies } from '../../dependencies.ts'
import { isSame, keyFor } from '../../frame/secrets.ts'

const DAYS = 180
const FORM = /^([\w-]{22})\.(\d{10,12})\.([\w-]{43})$/

export interface DeviceMark {
  value: string
  seconds: number
}

/**
 * Marks of browsers from which the owner of an account has logged in (OWASP, Device cookies): their attempts are counted
 * apart, so that strangers who try out passwords do not keep the owner out. A mark opens nothing.
 */
export function createDevices({ config, now }: Pick<Dependencies, 'config' | 'now'>) {
  const key = keyFor(config.masterKey, 'account-devices')
  const mac = (emailIndex: Buffer, device: string, expires: string) =>
    createHmac('sha256', key)
      .update(`${emailIndex.toString('hex')} ${device} ${expires}`)
      .digest('base64url')
  return {
    /** The device of a mark that was made for this address; undefined for none, and for one that is not good. */
    deviceOf(emailIndex: Buffer, mark: string | undefined): string | undefined {
      const [, device = '', expires = '', digest = ''] = FORM.exec(mark ?? '') ?? []
      if (!isSame(digest, mac(emailIndex, device, expires))) return undefined
      return Number(expires) * 1000 > now().getTime() ? device : undefined
    },

    mark(emailIndex: Buffer): DeviceMark {
      const [device, seconds] = [randomBytes(16).toString('base64url'), DAYS * 86_400]
      const expires = String(Math.floor(now().getTime() / 1000) + seconds)
      return { value: `${device}.${expires}.${mac(emailIndex, device, expires)}`, seconds }
    },
  }
}

export type Devices = ReturnType<typeof createDevices>
