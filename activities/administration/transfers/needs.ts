import { type KindName, NEEDS, type Need, type NeedKind } from '../../../protocol/administration/transfers/kinds.ts'
import type { Json } from '../../../protocol/json.ts'

/** Needs that a report lists one by one; it counts the further ones (D-686). */
export const MOST_NEEDS = 1_000

const isGiven = (value: unknown) => value !== null && value !== undefined

/** Whether a row lacks something here, and its name for people. */
const LACKING: Readonly<Record<NeedKind, { when?(row: Json): boolean; name: string }>> = {
  dids: { name: 'did' },
  domains: { name: 'domain' },
  iacas: { when: ({ deletedAt }) => !isGiven(deletedAt), name: 'id' },
  documentSigners: { when: (row) => !isGiven(row.deletedAt) && !isGiven(row.revokedAt), name: 'id' },
  webhooks: { name: 'url' },
  claimSources: { when: ({ auth }) => isGiven(auth), name: 'name' },
  authenticationProviders: { when: ({ authMethod }) => authMethod !== 'none', name: 'url' },
  interactionHooks: { name: 'url' },
  verifiers: { name: 'verifierDid' },
  verifierClients: { when: (row) => row.tokenEndpointAuthMethod !== 'none', name: 'name' },
  clients: { name: 'name' },
}

const hasNeeds = (kind: KindName): kind is NeedKind => Object.hasOwn(NEEDS, kind)

/** What a row needs that did not come with it; undefined where it is as it was. */
export function needOf(kind: KindName, row: Json, id: string): Need | undefined {
  if (!hasNeeds(kind)) return undefined
  const { when, name } = LACKING[kind]
  if (when && !when(row)) return undefined
  return { kind, id, name: String(row[name]).slice(0, 2_048), ...NEEDS[kind] }
}
