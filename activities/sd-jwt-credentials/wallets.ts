import { assertMapped } from '../../protocol/credentials/claim-paths.ts'
import { overDocument } from '../../protocol/errors.ts'
import { issuanceTimeOf } from '../../protocol/mobile-credentials/templates.ts'
import { TYPE } from '../../protocol/sd-jwt-credentials/issue.ts'
import { claimsFromTemplate, type SdJwtTemplate, takenPaths } from '../../protocol/sd-jwt-credentials/templates.ts'
import type { WalletFormat } from '../credentials/format.ts'
import { jsonOf } from '../credentials/read.ts'
import type { Dependencies } from '../dependencies.ts'
import type { SdJwtSigning } from './sign.ts'
import { termsFrom } from './templates.sign.ts'

interface Parts extends Pick<Dependencies, 'now'> {
  sdJwtSigning: SdJwtSigning
}

/** What wallets show (OpenID4VCI 1.0, appendix A.3.2 and section 12.2.4). */
const displayOf = ({ display, name }: SdJwtTemplate) =>
  (display.length > 0 ? display : [{ locale: 'en', name }]).map((each) => ({
    name: each.name,
    locale: each.locale,
    ...('description' in each && each.description !== undefined && { description: each.description }),
    ...('backgroundColor' in each && each.backgroundColor !== undefined && { background_color: each.backgroundColor }),
    ...('textColor' in each && each.textColor !== undefined && { text_color: each.textColor }),
    ...('logoUrl' in each && each.logoUrl !== undefined && { logo: { uri: each.logoUrl } }),
  }))

const claimsOf = ({ claims }: SdJwtTemplate) =>
  claims.map(({ path, required, display }) => ({
    path,
    ...(required && { mandatory: true }),
    ...(display && display.length > 0 && { display: display.map(({ locale, label }) => ({ name: label, locale })) }),
  }))

/** SD-JWT VC credentials for wallets: the key that the wallet proved is in `cnf`. */
export const createSdJwtWallets = ({ sdJwtSigning, now }: Parts): WalletFormat => ({
  configurationOf({ definition }) {
    const template = definition as SdJwtTemplate
    const { vct, name, keyBinding, keyAttestations, issuedAs } = template
    return {
      format: TYPE,
      types: [vct],
      name,
      bindingMethods: keyBinding ? ['jwk', 'did:key', 'did:jwk', 'did:web'] : [],
      ...(keyAttestations && { keyAttestations }),
      ...(issuedAs !== 'x5c' && { lacksCertificate: true as const }),
      signingAlgorithms: issuedAs === 'x5c' ? ['ES256'] : ['ES256', 'EdDSA', 'ES384'],
      members: { vct, credential_metadata: { display: displayOf(template), claims: claimsOf(template) } },
      specifiedMembers: { vct },
    }
  },

  claimSourceOf: ({ definition }) => (definition as SdJwtTemplate).claimSourceId,

  checkClaims({ definition }, claims) {
    const template = definition as SdJwtTemplate
    assertMapped(takenPaths(template), claims)
    claimsFromTemplate(template, { claims, credentialConfiguration: template })
  },

  /** Its times do not tell which credentials were issued together, as those of mobile ones (D-550). */
  async sign(tenantId, id, template, { holder, claims, userClaims, authenticationProvider }, together) {
    const definition = template.definition as SdJwtTemplate
    const at = issuanceTimeOf(definition, now())
    const input = {
      claims: { ...userClaims, ...claims },
      authenticationProvider,
      ...(holder && { holderKey: holder.jwk }),
    }
    const terms = await overDocument(() => termsFrom(definition, input, at))
    return sdJwtSigning.sign(tenantId, id, terms, together, at)
  },

  documentOf: (credential) => jsonOf(credential).encoded,
})
