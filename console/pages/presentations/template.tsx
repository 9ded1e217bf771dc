import type { Schemas } from '../../../client/index.ts'
import { Outcome, useActs } from '../../frame/acts.tsx'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { useJson } from '../../frame/forms/json.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Json, Shown } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { EXAMPLE } from './example.ts'
import { TryIt } from './try.tsx'

type TemplateIn = Schemas['PresentationTemplateIn']
type Template = Schemas['PresentationTemplateOut']

const TEMPLATES = '/v1/credentials/web-semantic/presentations/templates'

interface TemplateFormProps {
  value: { domain: string; name: string; query: unknown }
  submit: string
  send: (body: TemplateIn) => Promise<void>
}

function TemplateForm({ value, submit, send }: TemplateFormProps) {
  const { presentations } = useTexts()
  const jsonOf = useJson()
  return (
    <Form
      submit={submit}
      onSubmit={(form) =>
        send({
          name: textOf(form, 'name') ?? '',
          domain: textOf(form, 'domain') ?? '',
          query: jsonOf(form, 'query', presentations.noJson) as TemplateIn['query'],
        })
      }
    >
      <TextEntry label={presentations.name} name="name" value={value.name} hint={presentations.nameHint} required />
      <TextEntry
        label={presentations.domain}
        name="domain"
        value={value.domain}
        hint={presentations.domainHint}
        required
      />
      <TextEntry
        label={presentations.query}
        name="query"
        value={JSON.stringify(value.query, null, 2)}
        hint={presentations.queryHint}
        lines={18}
        required
      />
    </Form>
  )
}

export function NewTemplatePage() {
  const { presentations } = useTexts()
  const attempt = useAttempt()
  return (
    <>
      <Heading title={presentations.newTemplate}>{presentations.newTemplate}</Heading>
      <TemplateForm
        value={EXAMPLE}
        submit={presentations.create}
        send={async (body) => {
          const { id } = await attempt(body, (headers) => api.post(TEMPLATES, { body, headers }))
          go(pathOf('presentations', 'templates', id))
        }}
      />
      <Curl method="POST" path={TEMPLATES} body={EXAMPLE} />
    </>
  )
}

function Change({ template, done }: { template: Template; done: () => void }) {
  const { presentations } = useTexts()
  const { id, name, domain, query, trustedContexts } = template
  const update = async (body: TemplateIn) => {
    // what the form does not show stays as it is
    await api.put('/v1/credentials/web-semantic/presentations/templates/{id}', {
      params: { path: { id } },
      body: { id, ...body, ...(trustedContexts && { trustedContexts }) },
    })
    done()
  }
  const remove = async () => {
    await api.delete('/v1/credentials/web-semantic/presentations/templates/{id}', { params: { path: { id } } })
    go(pathOf('presentations'))
  }
  return (
    <>
      <details>
        <summary>{presentations.change}</summary>
        <TemplateForm value={{ name, domain, query }} submit={presentations.save} send={update} />
      </details>
      <div class="actions">
        <Confirm
          isDangerous
          action={presentations.remove}
          question={presentations.removeAsk}
          text={presentations.removeText}
          run={remove}
        />
      </div>
      <Curl method="DELETE" path={`${TEMPLATES}/${id}`} />
    </>
  )
}

/** A template, what may be done with it, and a request of it to try. */
export function TemplatePage({ id, standing }: { id: string; standing: Standing }) {
  const { presentations } = useTexts()
  const loaded = useLoad(id, () =>
    api.get('/v1/credentials/web-semantic/presentations/templates/{id}', { params: { path: { id } } }),
  )
  const acts = useActs(loaded.reload)
  const mayWrite = standing.scopes.has('semantic-credentials:write')
  return (
    <>
      <Heading title={`${presentations.template} ${id}`}>{presentations.template}</Heading>
      <Shown loaded={loaded}>
        {(template) => (
          <>
            <Facts
              facts={[
                [presentations.name, <bdi>{template.name}</bdi>],
                [presentations.domain, <bdi>{template.domain}</bdi>],
                [presentations.id, <code>{id}</code>],
              ]}
            />
            <Json value={template.query} summary={presentations.query} />
            {template.trustedContexts && (
              <Json value={template.trustedContexts} summary={presentations.trustedContexts} />
            )}
            {mayWrite && <Change key={acts.count} template={template} done={() => acts.done(presentations.saved)} />}
            <Outcome acts={acts} />
            <Curl path={`${TEMPLATES}/${id}`} />
            <h2>{presentations.tryIt}</h2>
            <TryIt template={template} standing={standing} />
          </>
        )}
      </Shown>
    </>
  )
}
