import { overDocument } from '../../protocol/errors.ts'
import { isObject, listOf } from '../../protocol/json.ts'
import { isEnvelopeType } from '../../protocol/semantic-credentials/proof-types.ts'
import {
  dataModelOf,
  subjectOf,
  type TemplateDefinition,
  takenBy,
} from '../../protocol/semantic-credentials/templates/index.ts'
import type { WalletFormat } from '../credentials/format.ts'
import { jsonOf } from '../credentials/read.ts'
import type { Signing } from './sign.ts'
import type { TemplateSigning } from './templates.sign.ts'

interface Parts {
  signing: Signing
  templateSigning: Pick<TemplateSigning, 'request'>
}

/** Wallets know contexts by their URLs. */
const contextsOf = ({ contexts }: TemplateDefinition): string[] =>
  listOf(contexts ?? undefined).filter((context) => typeof context === 'string')

/** W3C credentials for wallets, as `ldp_vc`: the subject is the DID of the key that the wallet proved. */
export const createSemanticWallets = ({ signing, templateSigning }: Parts): WalletFormat => ({
  configurationOf({ definition: given }) {
    const definition = given as TemplateDefinition
    const { type, additionalTypes, name, proofType } = definition
    const types = ['VerifiableCredential', type, ...additionalTypes]
    const contexts = contextsOf(definition)
    return {
      format: 'ldp_vc',
      types: [type, ...additionalTypes],
      name,
      bindingMethods: ['jwk', 'did:key', 'did:jwk', 'did:web'],
      ...(proofType && { signingAlgorithms: [proofType] }),
      members: { credential_definition: { '@context': contexts, type: types } },
      specifiedMembers: {
        '@context': contexts,
        type: types,
        ...(proofType && { cryptographicSuitesSupported: [proofType] }),
      },
    }
  },

  // OpenID4VCI 1.0 has no format for envelopes of data model 2.0 (D-947)
  isOffered: ({ definition }) => !isEnvelopeType((definition as TemplateDefinition).proofType),

  claimSourceOf: ({ definition }) => (definition as TemplateDefinition).claimSourceId ?? undefined,

  checkClaims({ definition: given }, claims) {
    const definition = given as TemplateDefinition
    subjectOf(definition, claims, takenBy(definition))
  },

  isSuspendable({ definition: given }) {
    const definition = given as TemplateDefinition
    return definition.revocable && dataModelOf(definition) === '2.0'
  },

  async sign(tenantId, id, template, { claims, userClaims, holder, suspendable }, together) {
    const definition = template.definition as TemplateDefinition
    const isMapped = Object.keys(definition.claimMappings ?? {}).length > 0
    const input = { claims: isMapped ? { ...userClaims, ...claims } : claims, areAccepted: true, suspendable }
    const request = await templateSigning.request(tenantId, { ...template, definition }, input)
    return overDocument(() => {
      const { credentialSubject: subject } = request.payload
      const bound = { ...(isObject(subject) && subject), ...(holder && { id: holder.did }) }
      return signing.sign(
        tenantId,
        id,
        { ...request, payload: { ...request.payload, credentialSubject: bound } },
        together,
      )
    })
  },

  documentOf: jsonOf,
})
