import type { Schemas } from '../../../client/index.ts'
import { CheckEntry, SelectEntry, TextEntry, textOf, wordsOf } from '../../frame/form.tsx'
import type { Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import type { Format } from '../templates/formats.ts'
import { IssuerEntry } from '../templates/issuer.tsx'

const PROOF_TYPES = [
  'eddsa-rdfc-2022',
  'ecdsa-rdfc-2019',
  'bbs-2023',
  'Ed25519Signature2018',
  'BbsSignature2022',
] as const satisfies Schemas['ProofType'][]

interface OptionsProps {
  format: Format
  hasTemplate: boolean
  isCsv: boolean
  standing: Standing
}

/** What applies to every row that does not say otherwise, as the format has it. */
export function Options({ format, hasTemplate, isCsv, standing }: OptionsProps) {
  const { batches, templates, credential } = useTexts()
  const isSemantic = format === 'web-semantic'
  if (format === 'mobile')
    return (
      <>
        <TextEntry label={batches.documentSigner} name="documentSignerId" hint={batches.documentSignerHint} />
        <CheckEntry label={credential.revocable} name="revocable" />
      </>
    )
  return (
    <>
      <IssuerEntry name={hasTemplate ? 'issuerDid' : 'issuer'} standing={standing} required={!hasTemplate && isCsv} />
      {format === 'sd-jwt-vc' && (
        <TextEntry label={batches.documentSigner} name="documentSignerId" hint={batches.eitherSigner} />
      )}
      <TextEntry label={batches.tag} name="tag" hint={batches.tagHint} />
      {!hasTemplate && <CheckEntry label={credential.revocable} name="revocable" isChecked />}
      {isSemantic && <CheckEntry label={credential.suspendable} name="suspendable" hint={batches.suspendableHint} />}
      {isSemantic && !hasTemplate && (
        <>
          <SelectEntry
            label={templates.proofType}
            name="proofType"
            choices={[
              ...(isCsv ? [] : [['', batches.ofRow] as const]),
              ...PROOF_TYPES.map((each) => [each, each] as const),
            ]}
          />
          <TextEntry label={batches.types} name="type" hint={batches.typesHint} />
          <TextEntry label={templates.contexts} name="context" lines={4} hint={batches.contextsHint} />
        </>
      )}
    </>
  )
}

type Query = NonNullable<import('../../../client/index.ts').operations['createCredentialBatch']['parameters']['query']>

const linesOf = (text: string | undefined): string[] =>
  text
    ?.split('\n')
    .map((line) => line.trim())
    .filter(Boolean) ?? []

/** The query of the upload, without what is empty: the API refuses options that a format does not have. */
export function queryOf(form: FormData, fixed: Pick<Query, 'format' | 'templateId' | 'delimiter'>): Query {
  const proofType = PROOF_TYPES.find((each) => each === form.get('proofType'))
  const own = {
    issuer: textOf(form, 'issuer'),
    issuerDid: textOf(form, 'issuerDid'),
    documentSignerId: textOf(form, 'documentSignerId'),
    tag: textOf(form, 'tag'),
  }
  const [types, contexts] = [wordsOf(textOf(form, 'type')), linesOf(textOf(form, 'context'))]
  return {
    ...fixed,
    ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)),
    ...(proofType && { proofType }),
    ...(form.has('revocable') && { revocable: true }),
    ...(form.has('suspendable') && { suspendable: true }),
    ...(types.length > 0 && { type: types }),
    ...(contexts.length > 0 && { context: contexts }),
  }
}
