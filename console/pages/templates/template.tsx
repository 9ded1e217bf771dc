import { useState } from 'preact/hooks'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { SelectEntry } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Json, Shown } from '../../frame/parts.tsx'
import { go, Link, pathOf, useAddress, withQuery } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { Table } from '../../frame/table.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import { Editor } from './editor.tsx'
import { EXAMPLES } from './examples.ts'
import { type Format, TEMPLATES, type Template } from './formats.ts'

function About({ template }: { template: Template }) {
  const { templates, credential, frame } = useTexts()
  const { format, id, version, name, type, revocable } = template
  return (
    <Facts
      facts={[
        [templates.name, <bdi>{name}</bdi>],
        [templates.type, <bdi>{type}</bdi>],
        [templates.format, templates.formats[format]],
        [templates.version, version],
        [credential.revocable, revocable ? frame.yes : frame.no],
        [templates.id, <code>{id}</code>],
      ]}
    />
  )
}

/** For those who may not change it. */
function ReadOnly({ template }: { template: Template }) {
  const { templates, frame } = useTexts()
  return (
    <>
      <h2>{templates.claims}</h2>
      <Table
        label={templates.claims}
        columns={[
          [templates.claim, ({ name }) => <bdi>{name}</bdi>],
          [templates.required, ({ isRequired }) => (isRequired ? frame.yes : frame.no)],
          template.format === 'sd-jwt-vc'
            ? [templates.always, ({ isSelective }) => (isSelective ? frame.no : frame.yes)]
            : [templates.meaning, ({ meaning, namespace }) => <bdi>{meaning ?? namespace ?? ''}</bdi>],
        ]}
        rows={template.claims}
        keyOf={({ name, namespace }) => `${namespace} ${name}`}
      />
    </>
  )
}

interface TemplatePageProps {
  format: Format
  id: string
  standing: Standing
}

/** A template in its versions. */
export function TemplatePage({ format, id, standing }: TemplatePageProps) {
  const { templates, frame } = useTexts()
  const say = useSay()
  const { query } = useAddress()
  const [saved, setSaved] = useState(0)
  const asked = Number(query.get('version') ?? '0')
  const path = pathOf('templates', format, id)
  const loaded = useLoad(`${id} ${asked} ${saved}`, async () => {
    const current = await TEMPLATES[format].read(id)
    const isOld = format === 'web-semantic' && asked > 0 && asked !== current.version
    return { current, shown: isOld ? await TEMPLATES[format].read(id, asked) : current }
  })
  const mayWrite = standing.scopes.has(`${TEMPLATES[format].scope}:write`)
  const done = (version: number) => {
    setSaved(version)
    go(path)
  }
  const remove = async () => {
    const params = { path: { id } }
    await (format === 'sd-jwt-vc'
      ? api.delete('/v1/credentials/sd-jwt-vc/configurations/{id}', { params })
      : api.delete('/v1/credentials/web-semantic/configurations/{id}', { params }))
    go(withQuery(pathOf('templates'), { format }))
  }
  return (
    <>
      <Heading title={`${templates.template} ${id}`}>{templates.template}</Heading>
      <Shown loaded={loaded}>
        {({ current, shown }) => (
          <>
            <About template={shown} />
            <div class="actions">
              {mayWrite && <Link href={withQuery(pathOf('issue'), { format, template: id })}>{templates.issue}</Link>}
              <Link href={withQuery(pathOf('credentials'), { templateId: id })}>{templates.credentials}</Link>
              {mayWrite && (format === 'web-semantic' || format === 'sd-jwt-vc') && (
                <Confirm
                  isDangerous
                  action={templates.remove}
                  question={templates.removeAsk}
                  text={templates.removeText}
                  run={remove}
                />
              )}
            </div>
            {format === 'web-semantic' && current.version > 1 && (
              <div class="form">
                <SelectEntry
                  key={`${current.version} ${shown.version}`}
                  label={templates.version}
                  name="version"
                  value={String(shown.version)}
                  hint={templates.versionHint}
                  choices={Array.from({ length: Math.min(current.version, 100) }, (_, at) => {
                    const version = String(current.version - at)
                    return [version, version] as const
                  })}
                  onChange={(version) => go(withQuery(path, { version }))}
                />
              </div>
            )}
            <p role="status">{saved > 0 && say(templates.saved, { version: saved })}</p>
            {mayWrite ? (
              <Editor
                key={`${shown.id} ${shown.version} ${current.version}`}
                format={format}
                source={{ ...shown.source }}
                known={current}
                onSaved={({ version }) => done(version)}
              />
            ) : (
              <ReadOnly template={shown} />
            )}
            <Json value={shown.source} summary={frame.json} />
            <Curl path={`${TEMPLATES[format].path}/${id}`} />
          </>
        )}
      </Shown>
    </>
  )
}

/** A new template, which begins with an example. */
export function NewTemplatePage({ format }: { format: Format }) {
  const { templates } = useTexts()
  return (
    <>
      <Heading title={templates.create}>{templates.create}</Heading>
      <p>{templates.newHint}</p>
      <Editor format={format} source={EXAMPLES[format]} onSaved={({ id }) => go(pathOf('templates', format, id))} />
    </>
  )
}
