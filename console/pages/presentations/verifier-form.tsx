import type { Schemas } from '../../../client/index.ts'
import { CheckEntry, Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { useJson } from '../../frame/forms/json.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

type VerifierIn = Schemas['OidcVerifierIn']

const MOST = 100
const VERIFIERS = '/v1/oidc/verifiers'
/** The example of docs/sign-in.md. */
const MAPPINGS = [{ json_ld_fqn: 'https://schema.org/courseCode', oidc_claim: 'course' }]

interface VerifierFormProps {
  value?: Schemas['OidcVerifierOut']
  submit: string
  send: (body: VerifierIn) => Promise<void>
}

/** The tenant's templates to choose from. */
function Templates({ value }: { value?: string | undefined }) {
  const { presentations } = useTexts()
  const loaded = useLoad('', () =>
    api.get('/v1/credentials/web-semantic/presentations/templates', { params: { query: { limit: MOST } } }),
  )
  return (
    <Shown loaded={loaded}>
      {({ data }) => (
        <SelectEntry
          label={presentations.template}
          name="presentation_template_id"
          value={value ?? ''}
          choices={data.map(({ id, name }) => [id, name] as const)}
        />
      )}
    </Shown>
  )
}

export function VerifierForm({ value, submit, send }: VerifierFormProps) {
  const { presentations } = useTexts()
  const jsonOf = useJson()
  const read = (form: FormData): VerifierIn => {
    const chain = textOf(form, 'certificate_chain')
    return {
      verifier_did: textOf(form, 'verifier_did') ?? '',
      presentation_template_id: textOf(form, 'presentation_template_id') ?? '',
      include_presentation: form.has('include_presentation'),
      claim_mappings: jsonOf(form, 'claim_mappings', presentations.noJson) as VerifierIn['claim_mappings'],
      ...(chain && { certificate_chain: chain }),
      request_uri_method: form.has('request_uri_method') ? 'post' : 'get',
    }
  }
  return (
    <Form submit={submit} onSubmit={(form) => send(read(form))}>
      <TextEntry
        label={presentations.did}
        name="verifier_did"
        value={value?.verifierDid ?? ''}
        hint={presentations.verifierDidHint}
        required
      />
      <Templates value={value?.presentationTemplateId} />
      <TextEntry
        label={presentations.mappings}
        name="claim_mappings"
        value={JSON.stringify(value?.claimMappings ?? MAPPINGS, null, 2)}
        hint={presentations.mappingsHint}
        lines={8}
        required
      />
      <CheckEntry
        label={presentations.include}
        name="include_presentation"
        isChecked={value?.includePresentation ?? false}
      />
      <CheckEntry
        label={presentations.posted}
        name="request_uri_method"
        isChecked={value?.requestUriMethod === 'post'}
      />
      <TextEntry
        label={presentations.chain}
        name="certificate_chain"
        value={value?.certificateChain ?? ''}
        hint={presentations.chainHint}
        lines={4}
      />
    </Form>
  )
}

export function NewVerifierPage() {
  const { presentations } = useTexts()
  const attempt = useAttempt()
  return (
    <>
      <Heading title={presentations.newVerifier}>{presentations.newVerifier}</Heading>
      <VerifierForm
        submit={presentations.create}
        send={async (body) => {
          const { id } = await attempt(body, (headers) => api.post(VERIFIERS, { body, headers }))
          go(pathOf('presentations', 'verifiers', id))
        }}
      />
      <Curl
        method="POST"
        path={VERIFIERS}
        body={{
          verifier_did: 'did:key:…',
          presentation_template_id: '3f2a1b0c-9d8e-4f7a-8b6c-5d4e3f2a1b0c',
          claim_mappings: MAPPINGS,
          include_presentation: false,
        }}
      />
    </>
  )
}
