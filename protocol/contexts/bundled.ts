import { contexts as citizenship } from '@digitalbazaar/citizenship-context'
import { contexts as credentials } from '@digitalbazaar/credentials-context'
import { contexts as examples } from '@digitalbazaar/credentials-examples-context'
import { contexts as dataIntegrity } from '@digitalbazaar/data-integrity-context'
import { contexts as multikey } from '@digitalbazaar/multikey-context'
import { contexts as odrl } from '@digitalbazaar/odrl-context'
import { contexts as security } from '@digitalbazaar/security-context'
import { contexts as bitstringStatusList } from '@digitalbazaar/vc-bitstring-status-list-context'
import { contexts as statusList2021 } from '@digitalbazaar/vc-status-list-context'
import { contexts as vdl } from '@digitalbazaar/vdl-context'
import { contexts as did } from 'did-context'
import { contexts as ed25519Signature2018 } from 'ed25519-signature-2018-context'
import { contexts as ed25519Signature2020 } from 'ed25519-signature-2020-context'
import { contexts as revocationList2020 } from 'vc-revocation-list-context'
import { freeze } from '../json.ts'
import { didConfigurationV1, didConfigurationV02 } from './did-configuration.ts'
import { CONTEXT } from './urls.ts'

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
  citizenship,
  examples,
  odrl,
  vdl,
]

const documents = new Map<string, object>([
  ...packages.flatMap((contexts) => [...contexts]),
  // the examples of data model 2.0: one vocabulary that defines every term
  [CONTEXT.examplesV2, { '@context': { '@vocab': 'https://www.w3.org/ns/credentials/examples#' } }],
  [CONTEXT.didConfigurationV1, didConfigurationV1],
  [CONTEXT.didConfigurationV02, didConfigurationV02],
])

/** The contexts compiled into the platform, by URL: copies of their own, deeply frozen. */
export const bundledContexts: ReadonlyMap<string, object> = new Map(
  [...documents].map(([url, document]) => [url, freeze(structuredClone(document))]),
)
