import type { Schemas } from '../../../client/index.ts'
import { CheckEntry, certificatesIn, Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useTexts } from '../../texts/index.ts'

function bodyOf(form: FormData): Schemas['ParticipantIn'] {
  const mobile = textOf(form, 'identifiers.mobile')
  return {
    name: textOf(form, 'name') ?? '',
    identifiers: {
      webSemantic: textOf(form, 'identifiers.webSemantic') ?? null,
      compact: textOf(form, 'identifiers.compact') ?? null,
      compactSemantic: textOf(form, 'identifiers.compactSemantic') ?? null,
      mobile: mobile === undefined ? null : certificatesIn(mobile),
      sdJwtVc: textOf(form, 'identifiers.sdJwtVc') ?? null,
    },
    isIssuer: form.has('isIssuer'),
    isIssuerConstrained: form.has('isIssuerConstrained'),
    isVerifier: form.has('isVerifier'),
    isVerifierConstrained: form.has('isVerifierConstrained'),
  }
}

interface ParticipantFormProps {
  submit: string
  value?: Schemas['ParticipantOut']
  onSubmit: (body: Schemas['ParticipantIn']) => Promise<void>
}

/** How credentials name a participant, and what it is. */
export function ParticipantForm({ submit, value, onSubmit }: ParticipantFormProps) {
  const { ecosystems } = useTexts()
  const { identifiers } = value ?? {}
  return (
    <Form submit={submit} onSubmit={(form) => onSubmit(bodyOf(form))}>
      <TextEntry label={ecosystems.name} name="name" value={value?.name} required />
      <TextEntry
        label={ecosystems.webSemantic}
        name="identifiers.webSemantic"
        value={identifiers?.webSemantic ?? ''}
        hint={ecosystems.didHint}
      />
      <TextEntry label={ecosystems.compact} name="identifiers.compact" value={identifiers?.compact ?? ''} />
      <TextEntry
        label={ecosystems.compactSemantic}
        name="identifiers.compactSemantic"
        value={identifiers?.compactSemantic ?? ''}
      />
      <TextEntry
        label={ecosystems.mobile}
        name="identifiers.mobile"
        value={identifiers?.mobile.join('\n') ?? ''}
        lines={4}
        hint={ecosystems.mobileHint}
      />
      <TextEntry
        label={ecosystems.sdJwtVc}
        name="identifiers.sdJwtVc"
        value={identifiers?.sdJwtVc ?? ''}
        hint={ecosystems.sdJwtVcHint}
      />
      <CheckEntry label={ecosystems.isIssuer} name="isIssuer" isChecked={value?.isIssuer ?? true} />
      <CheckEntry
        label={ecosystems.isIssuerConstrained}
        name="isIssuerConstrained"
        isChecked={value?.isIssuerConstrained ?? true}
      />
      <CheckEntry label={ecosystems.isVerifier} name="isVerifier" isChecked={value?.isVerified ?? false} />
      <CheckEntry
        label={ecosystems.isVerifierConstrained}
        name="isVerifierConstrained"
        isChecked={value?.isVerifierConstrained ?? false}
      />
    </Form>
  )
}
