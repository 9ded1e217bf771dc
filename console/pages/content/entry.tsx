import { useState } from 'preact/hooks'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { useLoad } from '../../frame/load.ts'
import { Code, Curl, Heading, Shown, State } from '../../frame/parts.tsx'
import { go, Link, pathOf } from '../../frame/router.tsx'
import type { Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { ContentForm } from './form.tsx'
import { CONTENT, type KindName } from './kinds.ts'
import { Versions } from './versions.tsx'

interface EntryPageProps {
  kind: KindName
  id: string
  standing: Standing
}

/** One entry: its Markdown as text, its changes, its end. */
export function EntryPage({ kind, id, standing }: EntryPageProps) {
  const { content } = useTexts()
  const { path, fields, read, update, remove } = CONTENT[kind]
  const [turn, setTurn] = useState(0)
  const loaded = useLoad(id, () => read(id))
  const mayWrite = standing.scopes.has('platform:write')
  const title = String(loaded.data?.title ?? loaded.data?.name ?? content.kinds[kind])
  const save = async (form: FormData) => {
    await update(id, form)
    setTurn(turn + 1)
    loaded.reload()
  }
  return (
    <>
      <p>
        <Link href={pathOf('content', kind)}>{content.kinds[kind]}</Link>
      </p>
      <Heading title={title}>
        <bdi class="wrap cut">{title}</bdi>
      </Heading>
      <Shown loaded={loaded}>
        {(entry) => (
          <>
            {entry.is_published !== undefined && (
              <p>
                <State name={entry.is_published === 1 ? 'active' : 'draft'}>
                  {entry.is_published === 1 ? content.published : content.draft}
                </State>
              </p>
            )}
            <p role="status">{turn > 0 && content.saved}</p>
            {mayWrite ? (
              <ContentForm
                key={turn}
                fields={fields.edit}
                entry={entry}
                submit={kind === 'policies' ? content.newVersion : content.save}
                onSubmit={save}
              />
            ) : (
              <Code text={String(entry.content ?? entry.description ?? '')} label={title} />
            )}
            <Curl path={`${path}/${id}`} />
            {mayWrite && remove && (
              <>
                <div class="actions">
                  <Confirm
                    action={content.delete}
                    question={content.deleteAsk}
                    text={content.deleteText}
                    run={async () => {
                      await remove(id)
                      go(pathOf('content', kind))
                    }}
                    isDangerous
                  />
                </div>
                <Curl method="DELETE" path={`${path}/${id}`} />
              </>
            )}
          </>
        )}
      </Shown>
      {kind === 'policies' && <Versions slug={id} turn={turn} />}
    </>
  )
}
