import { useRef, useState } from 'preact/hooks'
import { Arrival } from '../../frame/arrival.tsx'
import { CheckEntry, Form, SelectEntry, TextEntry } from '../../frame/form.tsx'
import { useAttempt } from '../../frame/forms/attempt.ts'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown } from '../../frame/parts.tsx'
import { QrCode } from '../../frame/qr.tsx'
import { go, Link, pathOf, useAddress, withQuery } from '../../frame/router.tsx'
import type { Standing } from '../../frame/session.ts'
import { Empty } from '../../frame/table.tsx'
import { useSay, useTexts } from '../../texts/index.ts'
import { definitionIn } from '../templates/claims.ts'
import { EXAMPLES } from '../templates/examples.ts'
import { allTemplates, FORMAT_NAMES, type Format, isFormat, TEMPLATES, type Template } from '../templates/formats.ts'
import { IssuerEntry } from '../templates/issuer.tsx'
import { ClaimFields } from './fields.tsx'
import { Offer } from './offer.tsx'
import { Preview } from './preview.tsx'
import { type Question, questionOf, type Result, send, type Way } from './send.ts'
import { shownIn } from './values.ts'

/** The member `id` of the claims is the subject's, whether or not a mapping takes it. */
const takesSubject = ({ format, claims }: Template) =>
  format === 'web-semantic' && !claims.some(({ path }) => path === 'id')

/** A beginning for the claims of a template without mappings: the terms of its own contexts. */
function skeletonOf({ source }: Template): string {
  const contexts: unknown[] = 'contexts' in source ? [source.contexts].flat() : []
  const names = contexts.flatMap((context) =>
    typeof context === 'object' && context !== null
      ? Object.keys(context).filter((name) => /^[a-z]/.test(name) && definitionIn(context, name))
      : [],
  )
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, ''])), null, 2)
}

function Signed({ result }: { result: Extract<Result, { kind: 'signed' }> }) {
  const { issue } = useTexts()
  const { id, encoded } = result
  return (
    <Arrival class="success">
      <strong>{issue.signed}</strong>
      <p>
        <Link href={pathOf('credentials', id)}>{issue.open}</Link>
      </p>
      {encoded && <QrCode text={encoded} label={issue.credentialCode} />}
    </Arrival>
  )
}

function Issuing({ template, standing }: { template: Template; standing: Standing }) {
  const { issue, batches, credential, frame } = useTexts()
  const { format } = template
  const mayOffer = standing.scopes.has('openid:write')
  const maySign = format !== 'mobile' && standing.scopes.has(`${TEMPLATES[format].scope}:write`)
  const [way, setWay] = useState<Way>(maySign ? 'sign' : 'offer')
  const [form, setForm] = useState<FormData>()
  const [result, setResult] = useState<Result>()
  const [question, setQuestion] = useState<Question>()
  const place = useRef<HTMLDivElement>(null)
  const attempt = useAttempt()
  const show = () => {
    const own = place.current?.querySelector('form')
    if (own) setForm(new FormData(own))
  }
  const submit = async (values: FormData) => {
    setResult(undefined)
    const { notNumber, notBoolean, notJson: rule } = issue
    const asked = questionOf(template, way, values, { notNumber, notBoolean, rule, inexact: frame.inexact })
    setQuestion(asked)
    setResult(await attempt(asked, (key) => send(template, way, asked, key)))
  }
  const ways: [Way, string][] = [
    ...(maySign ? [['sign', issue.ways.sign] as [Way, string]] : []),
    ...(mayOffer ? [['offer', issue.ways.offer] as [Way, string]] : []),
  ]
  if (ways.length === 0) return <p>{issue.mayNot}</p>
  return (
    <div class="beside">
      <div ref={place} onInput={show}>
        <Form submit={way === 'sign' ? issue.sign : issue.makeOffer} onSubmit={submit}>
          <SelectEntry
            label={issue.way}
            name="way"
            value={way}
            choices={ways}
            hint={format === 'mobile' ? issue.mobileHint : way === 'offer' ? issue.offerHint : issue.signHint}
            onChange={(name) => {
              setWay(name === 'offer' ? 'offer' : 'sign')
              setResult(undefined)
            }}
          />
          {takesSubject(template) && way === 'sign' && (
            <TextEntry label={issue.subject} name="claims.id" hint={issue.subjectHint} />
          )}
          <ClaimFields claims={template.claims} />
          {template.takesAll && (
            <TextEntry
              label={issue.claims}
              name="claims"
              lines={6}
              value={skeletonOf(template)}
              hint={issue.claimsHint}
            />
          )}
          {way === 'sign' && (
            <>
              <IssuerEntry name="issuer_did" standing={standing} />
              <TextEntry label={batches.tag} name="tag" hint={batches.tagHint} />
            </>
          )}
          {way === 'offer' && <CheckEntry label={issue.withCode} name="txCode" hint={issue.withCodeHint} />}
          {format === 'web-semantic' && template.revocable && (
            <CheckEntry label={credential.suspendable} name="suspendable" hint={batches.suspendableHint} />
          )}
        </Form>
        {result?.kind === 'signed' && <Signed key={result.id} result={result} />}
        {result?.kind === 'offered' && (
          <Arrival key={result.offer.id}>
            <Offer offer={result.offer} />
          </Arrival>
        )}
        {question && <Curl method="POST" path={question.path} body={question.body} />}
      </div>
      <Preview display={template.display} type={template.type} values={shownIn(form, template.claims)} />
    </div>
  )
}

/** From a template to a credential, or to an offer for a wallet. */
export function IssuePage({ standing }: { standing: Standing }) {
  const { issue, templates: words, batches } = useTexts()
  const say = useSay()
  const { query } = useAddress()
  const named = query.get('format') ?? undefined
  const format: Format = isFormat(named) ? named : 'web-semantic'
  const loaded = useLoad(format, () => allTemplates(format))
  const choose = (asked: { format: string; template?: string }) => go(withQuery(pathOf('issue'), asked))
  return (
    <>
      <Heading title={issue.heading}>{issue.heading}</Heading>
      <div class="form">
        <SelectEntry
          key={format}
          label={words.format}
          name="format"
          value={format}
          choices={FORMAT_NAMES.map((name) => [name, words.formats[name]])}
          onChange={(name) => choose({ format: name })}
        />
      </div>
      <Shown loaded={loaded}>
        {(all) => {
          const known = all.filter((each) => each.format === format)
          const template = known.find(({ id }) => id === query.get('template')) ?? known[0]
          if (!template && loaded.isLoading) return null
          if (!template)
            return (
              <Empty title={say(words.empty, { format: words.formats[format] })} hint={words.emptyHint}>
                <p>
                  <Link href={pathOf('templates', format, 'new')}>{words.create}</Link>
                </p>
                <Curl open method="POST" path={TEMPLATES[format].path} body={EXAMPLES[format]} />
              </Empty>
            )
          return (
            <>
              <div class="form">
                <SelectEntry
                  key={`${format} ${template.id}`}
                  label={batches.template}
                  name="template"
                  value={template.id}
                  choices={known.map(({ id, name, version }) => [id, say(words.choice, { name, version })])}
                  onChange={(id) => choose({ format, template: id })}
                />
              </div>
              <Issuing key={`${template.id} ${template.version}`} template={template} standing={standing} />
            </>
          )
        }}
      </Shown>
    </>
  )
}
