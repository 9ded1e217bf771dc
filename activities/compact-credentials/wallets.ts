import { type CompactTemplate, payloadFromTemplate, takenPaths } from '../../protocol/compact-credentials/templates.ts'
import type { Profile } from '../../protocol/compact-credentials/text.ts'
import { memberAt } from '../../protocol/credentials/claim-paths.ts'
import { overDocument } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import type { WalletFormat } from '../credentials/format.ts'
import { jsonOf } from '../credentials/read.ts'
import type { Dependencies } from '../dependencies.ts'
import type { CompactSigning } from './sign.ts'
import { requestFrom } from './templates.ts'

interface Parts extends Pick<Dependencies, 'now'> {
  signing: CompactSigning
}

/** Names of the formats on the wire (OpenID4VCI leaves them to profiles; api.md, 2.13). */
const WIRE: Readonly<Record<Profile, string>> = { compact: 'cwt', 'compact-semantic': 'cwt_vc' }

/** The claims that a template takes, under their paths: what a source gives besides is left out. */
function takenOf(template: CompactTemplate, claims: Json): Json {
  const values = takenPaths(template).map((path) => [path, memberAt(claims, path)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** Compact credentials for wallets: they are bound to no key, because readers know them by their text alone (D-467). */
export const createCompactWallets = (profile: Profile, { signing, now }: Parts): WalletFormat => ({
  configurationOf({ definition }) {
    const { type } = definition as CompactTemplate
    return {
      format: WIRE[profile],
      types: [type],
      name: type,
      bindingMethods: [],
      members: profile === 'compact' ? { type } : { types: [type] },
      specifiedMembers: profile === 'compact' ? { type } : { types: [type] },
    }
  },

  claimSourceOf: ({ definition }) => (definition as CompactTemplate).claimSourceId,

  checkClaims({ definition }, claims) {
    payloadFromTemplate(profile, definition as CompactTemplate, { claims, now: now() })
  },

  async sign(tenantId, id, template, { claims, userClaims }, together) {
    const definition = template.definition as CompactTemplate
    const request = await overDocument(() =>
      requestFrom(profile, { definition }, { claims: takenOf(definition, { ...userClaims, ...claims }) }, now()),
    )
    return signing.sign(profile, tenantId, id, request, together)
  },

  documentOf(credential) {
    const { encoded } = jsonOf(credential)
    return encoded
  },
})
