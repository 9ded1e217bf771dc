import { assertMapped } from '../../protocol/credentials/claim-paths.ts'
import { overDocument } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import {
  issuanceTimeOf,
  type MobileTemplate,
  mobilePayloadFrom,
  takenPaths,
} from '../../protocol/mobile-credentials/templates.ts'
import type { WalletFormat } from '../credentials/format.ts'
import type { Dependencies } from '../dependencies.ts'
import type { MobileSigning } from './sign.ts'

interface Parts extends Pick<Dependencies, 'now'> {
  mobileSigning: Pick<MobileSigning, 'sign'>
}

/** ES256 of COSE (RFC 9053, section 2.1), with which document signers sign. */
const COSE_ES256 = -7

/** Mobile credentials for wallets, as `mso_mdoc`: the key that the wallet proved is the device key. */
export const createMobileWallets = ({ mobileSigning, now }: Parts): WalletFormat => ({
  configurationOf({ definition }) {
    const { type, mappings, keyAttestations } = definition as MobileTemplate
    const paths = Object.entries(mappings).flatMap(([namespace, elements]) =>
      Object.entries(elements).map(([name, { required }]) => ({
        path: [namespace, name],
        ...(required && { mandatory: true }),
      })),
    )
    return {
      format: 'mso_mdoc',
      types: [type],
      name: type,
      bindingMethods: ['cose_key'],
      ...(keyAttestations && { keyAttestations }),
      signingAlgorithms: [COSE_ES256],
      members: { doctype: type, credential_metadata: { display: [{ name: type }], claims: paths } },
      specifiedMembers: { doctype: type },
    }
  },

  claimSourceOf: ({ definition }) => (definition as MobileTemplate).claimSourceId,

  checkClaims({ definition }, claims: Json) {
    const template = definition as MobileTemplate
    assertMapped(takenPaths(template), claims)
    mobilePayloadFrom(template, { claims, now: now() })
  },

  async sign(tenantId, id, template, { holder, claims, userClaims, authenticationProvider }, together) {
    const definition = template.definition as MobileTemplate
    const at = issuanceTimeOf(definition, now())
    const roots = {
      claims: { ...userClaims, ...claims },
      authenticationProvider,
      credentialConfiguration: definition,
      now: at,
    }
    const payload = await overDocument(() => mobilePayloadFrom(definition, roots))
    const bound = { ...payload, ...(holder && { deviceKeyInfo: { deviceKey: holder.jwk } }) }
    return mobileSigning.sign(tenantId, id, { payload: bound, revocable: definition.revocable }, together, at)
  },

  documentOf: ({ id, documentBytes }) => {
    if (!documentBytes) throw new Error(`the document of credential ${id} is not CBOR`)
    return Buffer.from(documentBytes).toString('base64url')
  },
})
