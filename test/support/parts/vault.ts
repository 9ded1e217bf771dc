import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { VaultConfig } from '../../../config.ts'
import { findVaultBinary } from '../../../stack/parts/vault.binary.ts'
import { startVault, type Vault, type VaultOptions } from '../../../stack/parts/vault.ts'

export { createAppRole } from '../../../stack/parts/vault.ts'

/** The real Vault of the tests; undefined where there is neither a program nor Go to build one: skip by name. */
export const vaultBinary = await findVaultBinary(process.env, (line) => console.log(line))

export async function openVault(options: Omit<VaultOptions, 'binary'> = {}): Promise<Vault> {
  if (vaultBinary === undefined) throw new Error('there is no Vault for this test')
  return startVault({ binary: vaultBinary, ...options })
}

/** Settings of a key store on that Vault with its root token, or with whatever is given instead. */
export const vaultConfig = (
  vault: Pick<Vault, 'address' | 'token'>,
  changes: Partial<VaultConfig> = {},
): VaultConfig => ({
  address: vault.address,
  token: vault.token,
  roleId: '',
  secretId: '',
  tokenFile: '',
  secretIdFile: '',
  transitMount: 'transit',
  kvMount: 'secret',
  timeoutMs: 2_000,
  ...changes,
})

export interface Passed {
  /** `POST transit/sign/…` */
  call: string
  body: string
  token: string
}

/** Stands before Vault and keeps what passes. */
export async function openProxy(target: string) {
  const passed: Passed[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      const { method, headers, url = '/' } = incoming
      passed.push({
        call: `${method} ${url.replace('/v1/', '')}`,
        body: body.toString(),
        token: String(headers['x-vault-token']),
      })
      const onward = request(`${target}${url}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      onward.on('error', () => outgoing.destroy())
      onward.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    passed,
    count: (start: string) => passed.filter(({ call }) => call.startsWith(start)).length,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
