import { contexts as credentials } from '@digitalbazaar/credentials-context'
import { contexts as dataIntegrity } from '@digitalbazaar/data-integrity-context'
import { contexts as multikey } from '@digitalbazaar/multikey-context'
import { contexts as security } from '@digitalbazaar/security-context'
import { contexts as bitstringStatusList } from '@digitalbazaar/vc-bitstring-status-list-context'
import { contexts as statusList2021 } from '@digitalbazaar/vc-status-list-context'
import { contexts as did } from 'did-context'
import { contexts as ed25519Signature2018 } from 'ed25519-signature-2018-context'
import { contexts as ed25519Signature2020 } from 'ed25519-signature-2020-context'
import { contexts as revocationList2020 } from 'vc-revocation-list-context'
import { didConfigurationV1, didConfigurationV02 } from './did-configuration.ts'
import { extensions, person } from './extensions.ts'
import { CONTEXT } from './urls.ts'

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}

const packages = [
  credentials,
  dataIntegrity,
  multikey,
  security,
  bitstringStatusList,
  statusList2021,
  did,
  ed25519Signature2018,
  ed25519Signature2020,
  revocationList2020,
]

const documents = new Map<string, object>([
  ...packages.flatMap((contexts) => [...contexts]),
  [CONTEXT.didConfigurationV1, didConfigurationV1],
  [CONTEXT.didConfigurationV02, didConfigurationV02],
  [CONTEXT.extensions, extensions],
  [CONTEXT.person, person],
])

/** The contexts compiled into the platform, by URL: copies of their own, deeply frozen. */
export const bundledContexts: ReadonlyMap<string, object> = new Map(
  [...documents].map(([url, document]) => [url, freeze(structuredClone(document))]),
)
