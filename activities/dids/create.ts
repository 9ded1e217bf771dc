import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Did } from '../../entities/dids.ts'
import { Key } from '../../entities/keys.ts'
import { inTenant, takeTurn } from '../../entities/orm.ts'
import { didKeyMethodId, didKeyOf, resolveDidKey } from '../../protocol/dids/key.ts'
import { webDidFromUrl } from '../../protocol/dids/web.ts'
import { Refusal, within } from '../../protocol/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'
import { assertCallable } from '../frame/outbound/url.ts'
import { assertNoDefaultIssuer } from '../frame/tenants/default-issuer.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import type { KeyType } from '../keys/index.ts'
import { createKeyRows } from '../keys/rows.ts'
import { hostFault } from './looks.ts'
import { type DidRecord, toRecord } from './records.ts'

const KEY_TYPES: readonly string[] = ['ed25519', 'p256', 'p384', 'bls12381g2', 'x25519'] satisfies KeyType[]
const WEB_KEYS: readonly KeyType[] = ['ed25519', 'p256', 'p384', 'bls12381g2', 'x25519']

/** Registrations of a tenant's did:webs of other hosts that are under way: each reads its host again and again. */
const MAX_UNDER_WAY = 200
/** Those that the platform hosts itself cost nobody anything. */
const UNDER_WAY = { registrationStatus: 'PROCESSING', hosting: 'caller', deletedAt: null } as const

/** Returns the one option that the method has; any other is refused. */
function option(options: Record<string, string>, name: string): string | undefined {
  const unknown = Object.keys(options).filter((member) => member !== name)
  if (unknown.length > 0)
    throw new Refusal('request.invalid', `The only option of this DID method is ${name}.`, [
      { path: within('options', String(unknown[0]).slice(0, 60)), code: 'unknown', message: `expected only ${name}` },
    ])
  return Object.hasOwn(options, name) ? options[name] : undefined
}

function keyTypeOf(options: Record<string, string>): KeyType {
  const name = (option(options, 'keyType') ?? 'ed25519').toLowerCase().replace('-', '')
  if (KEY_TYPES.includes(name)) return name as KeyType
  throw new Refusal('did.key_type_unsupported', 'The key type is not supported; see errors.', [
    { path: 'options.keyType', code: 'enum', message: `expected ${KEY_TYPES.join(', ')}` },
  ])
}

/** Turns a refusal of the address into one that names `options.url`. */
function namingUrl<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal('did.invalid_url', error.message, [
      {
        path: 'options.url',
        code: error.code,
        message: 'expected a public domain, or an https URL with an allowed port',
      },
    ])
  }
}

export interface DidRequest {
  method: 'KEY' | 'WEB'
  options: Record<string, string>
  /** The DID becomes the tenant's default issuer. */
  isDefaultIssuer: boolean
}

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'keys' | 'uuid' | 'now' | 'outbox'> {
  operations: Operations
  tenants: Tenants
}

/** A did:key is complete at once; a did:web is completed by its workflow (specification, DID record). */
export function createDidCreation(parts: Parts) {
  const { config, uuid, now, outbox, operations, tenants } = parts

  const { createKey } = createKeyRows(parts)

  async function createKeyDid(call: Call, { options, isDefaultIssuer }: DidRequest): Promise<DidRecord> {
    const { tenantId, idempotency } = call
    // an earlier attempt made the DID: make no second key
    if (idempotency && 'effect' in idempotency) return idempotency.effect as DidRecord
    const keyType = keyTypeOf(options)
    if (isDefaultIssuer && keyType === 'x25519')
      throw new Refusal('request.invalid', 'A DID whose only key is of key agreement signs nothing; see errors.', [
        { path: 'issuer', code: 'enum', message: 'expected false with options.keyType x25519' },
      ])
    // before the key as well, or refused requests would make keys that belong to nobody
    if (isDefaultIssuer) await inTenant(parts.database.tenants, tenantId, (em) => assertNoDefaultIssuer(em, tenantId))
    const { keyId, publicKey, custody } = await createKey(tenantId, keyType)
    const did = didKeyOf(keyType, publicKey)
    const record: DidRecord = {
      id: uuid(),
      did,
      registrationStatus: 'COMPLETED',
      failureReason: null,
      hosting: 'none',
      isDefaultIssuer,
      document: resolveDidKey(did),
      keys: [{ didDocumentKeyId: didKeyMethodId(did, { keyType, publicKey }), kmsKeyId: keyId, custody }],
    }
    const { id, document } = record
    const metadata = { id, method: 'KEY', keyType, ...(isDefaultIssuer && { isDefaultIssuer }) }
    return operations.change(call, 'createDID', metadata, async (em) => {
      if (isDefaultIssuer) await assertNoDefaultIssuer(em, tenantId)
      const row = { id, tenantId, did, method: 'KEY', registrationStatus: 'COMPLETED', hosting: 'none' } as const
      em.create(Did, { ...row, isDefaultIssuer, document, createdAt: now() })
      await em.flush()
      const didUrl = record.keys[0]?.didDocumentKeyId
      await em.nativeUpdate(Key, { id: keyId }, { didId: id, publicKey: Buffer.from(publicKey), custody, didUrl })
      return record
    })
  }

  async function assertMayRegister(em: SqlEntityManager, tenantId: string): Promise<void> {
    await takeTurn(em, `registrations of ${tenantId}`)
    if ((await em.count(Did, UNDER_WAY)) < MAX_UNDER_WAY) return
    throw new Refusal(
      'did.too_many',
      `At most ${MAX_UNDER_WAY} DIDs of a tenant on other hosts can be PROCESSING at a time. Publish their documents, or delete one.`,
    )
  }

  async function createWebDid(call: Call, { options, isDefaultIssuer }: DidRequest): Promise<DidRecord> {
    const { tenantId } = call
    const url = option(options, 'url')
    if (!url)
      throw new Refusal('request.invalid', 'A did:web needs options.url.', [
        { path: 'options.url', code: 'required', message: 'expected a domain or an https URL' },
      ])
    const { did, host, port, path, url: address } = namingUrl(() => webDidFromUrl(url))
    // a domain that was verified a moment ago decides who serves the document for as long as the DID lives
    const owner = await tenants.byHost(host, { fresh: true })
    const hosting = owner?.id === tenantId ? 'platform' : 'caller'
    // an address that cannot be called would stay PROCESSING for a week (D-165)
    if (hosting === 'caller') namingUrl(() => assertCallable(address, config.outbound))
    const fault = hosting === 'platform' ? hostFault(address, config.outbound) : undefined
    const id = uuid()
    const authority = port === undefined ? host : `${host}:${port}`
    const metadata = { id, method: 'WEB', hosting, ...(isDefaultIssuer && { isDefaultIssuer }) }
    const work = async (em: SqlEntityManager): Promise<DidRecord> => {
      if (isDefaultIssuer) await assertNoDefaultIssuer(em, tenantId)
      if (hosting === 'caller') await assertMayRegister(em, tenantId)
      const row = { id, tenantId, did, method: 'WEB', registrationStatus: 'PROCESSING', hosting } as const
      const place = { host: authority, path: path.join('/') }
      const why = fault ? { waitingCode: fault.code, waitingReason: fault.reason } : {}
      const created = { ...row, ...place, ...why, isDefaultIssuer, document: { id: did }, createdAt: now() }
      const entity = em.create(Did, created)
      await em.flush()
      for (const keyType of WEB_KEYS) em.create(Key, { id: uuid(), tenantId, keyType, didId: id, createdAt: now() })
      await outbox.start(em, 'registerWebDid', { tenantId, didId: id, ...config.didWeb }, { did })
      return toRecord(entity, [])
    }
    return operations.change(call, 'createDID', metadata, work).catch((error: unknown) => {
      // of two concurrent requests the unique index lets one pass (dids_live)
      if (!(error instanceof UniqueConstraintViolationException)) throw error
      throw new Refusal('did.taken', 'This tenant has this DID already.')
    })
  }

  return {
    createDid: (call: Call, request: DidRequest): Promise<DidRecord> =>
      request.method === 'KEY' ? createKeyDid(call, request) : createWebDid(call, request),
  }
}
