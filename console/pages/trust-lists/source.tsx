import type { ComponentProps } from 'preact'
import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { CheckEntry, FileEntry, SelectEntry, TextEntry } from '../../frame/form.tsx'
import { useTexts } from '../../texts/index.ts'
import { PIVOTS_FORMAT, SIGNED_BY, SOURCE_FORMATS } from './read.ts'

type Source = NonNullable<Schemas['TrustListOut']['source']>
type From = 'url' | 'file'

/** What was typed into fields, by their names: one that another choice takes away has it when it is there again. */
export type Typed = Map<string, string>

interface Props {
  from: From
  source: Source | undefined
  typed: Typed
}

type KeptProps = ComponentProps<typeof TextEntry> & { typed: Typed }

function KeptEntry({ typed, ...its }: KeptProps) {
  const value = typed.get(its.name) ?? its.value ?? ''
  return <TextEntry {...its} value={value} onInput={(text) => typed.set(its.name, text)} />
}

/** A choice that is kept alike. */
function useChoice(typed: Typed, name: string, first: string): [chosen: string, choose: (value: string) => void] {
  const [chosen, setChosen] = useState<string>(() => typed.get(name) ?? first)
  const choose = (value: string) => {
    typed.set(name, value)
    setChosen(value)
  }
  return [chosen, choose]
}

/** A list of ETSI: where it is, who signs it, and what of it counts. */
export function SourceFields({ from, source, typed }: Props) {
  const { 'trust-lists': texts } = useTexts()
  const [format, setFormat] = useChoice(typed, 'source.format', source?.format ?? SOURCE_FORMATS[0])
  const hours = { type: 'number' } as const
  return (
    <>
      <SelectEntry
        label={texts.standard}
        name="source.format"
        value={format}
        choices={SOURCE_FORMATS.map((each) => [each, texts.standards[each]] as const)}
        onChange={setFormat}
      />
      {from === 'url' ? (
        <KeptEntry
          typed={typed}
          label={texts.url}
          name="source.url"
          type="url"
          value={source?.url ?? ''}
          hint={texts.urlHint}
          required
        />
      ) : (
        <FileEntry
          label={texts.file}
          name="source.document"
          accept=".jwt,.jws,.jose,.json,.xml,.xtsl"
          hint={texts.fileHint}
          required
        />
      )}
      <SignedBy from={from} source={source} typed={typed} format={format} />
      <KeptEntry
        typed={typed}
        label={texts.serviceTypes}
        name="source.serviceTypes"
        value={source?.serviceTypes.join('\n') ?? ''}
        hint={texts.serviceTypesHint}
        lines={3}
        required
      />
      {from === 'url' && (
        <KeptEntry
          typed={typed}
          {...hours}
          label={texts.refreshHours}
          name="source.refreshHours"
          value={String(source?.refreshHours ?? 6)}
          hint={texts.refreshHint}
        />
      )}
      <KeptEntry
        typed={typed}
        {...hours}
        label={texts.graceHours}
        name="source.graceHours"
        value={String(source?.graceHours ?? 24)}
        hint={texts.graceHint}
      />
    </>
  )
}

function Signers({ from, source, typed }: Props) {
  const { 'trust-lists': texts } = useTexts()
  return (
    <KeptEntry
      typed={typed}
      label={texts.signers}
      name="source.signers"
      value={source?.signers.join('\n') ?? ''}
      hint={from === 'url' ? texts.signersHint : texts.signersOfFileHint}
      lines={6}
      required={from === 'url'}
    />
  )
}

/** Signers that are typed, or those whom a list of lists names. */
function SignedBy({ from, source, typed, format }: Props & { format: string }) {
  const { 'trust-lists': texts } = useTexts()
  const lists = source?.listOfLists
  const [by, setBy] = useChoice(typed, 'source.signedBy', lists ? 'lists' : 'signers')
  const [follows, setFollows] = useChoice(typed, 'source.followPivots', String(lists?.followPivots ?? false))
  return (
    <>
      <SelectEntry
        label={texts.signedBy}
        name="source.signedBy"
        value={by}
        choices={SIGNED_BY.map((each) => [each, texts.signedByOf[each]] as const)}
        onChange={setBy}
      />
      {by === 'lists' ? (
        <>
          <KeptEntry
            typed={typed}
            label={texts.lists}
            name="source.listOfLists.url"
            type="url"
            value={lists?.url ?? ''}
            hint={texts.listsHint}
            required
          />
          <KeptEntry
            typed={typed}
            label={texts.listsSigners}
            name="source.listOfLists.signers"
            value={lists?.signers.join('\n') ?? ''}
            hint={texts.listsSignersHint}
            lines={6}
            required
          />
          <KeptEntry
            typed={typed}
            label={texts.location}
            name="source.listOfLists.location"
            value={lists?.location ?? ''}
            hint={from === 'url' ? texts.locationHint : texts.locationOfFileHint}
            required={from === 'file'}
          />
          {format === PIVOTS_FORMAT && (
            <CheckEntry
              label={texts.followPivots}
              name="source.listOfLists.followPivots"
              hint={texts.followPivotsHint}
              isChecked={follows === 'true'}
              onChange={(isChecked) => setFollows(String(isChecked))}
            />
          )}
        </>
      ) : (
        <Signers from={from} source={source} typed={typed} />
      )}
    </>
  )
}
