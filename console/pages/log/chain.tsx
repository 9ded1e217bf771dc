import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Copy, Curl, Facts, Shown, Time } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { useSay, useTexts } from '../../texts/index.ts'

type Verdict = Schemas['VerdictOut']

interface Checked {
  /** Entries that are right, in all answers. */
  count: number
  verdict: Verdict
}

const countOf = ({ checked }: Verdict): number => (checked ? checked.to - checked.from + 1 : 0)

/** One answer checks a part of a long log, and says where to go on. */
async function verify(head: string | undefined, onPart: (part: Checked) => void): Promise<Checked> {
  let [count, from]: [number, number | undefined] = [0, undefined]
  for (;;) {
    const body: Schemas['LogCheckIn'] = { ...(from !== undefined && { from }), ...(head && { head }) }
    const verdict: Verdict = await api.post('/v1/analytics/verify', { body })
    count += countOf(verdict)
    if (verdict.next === null) return { count, verdict }
    onPart({ count, verdict })
    from = verdict.next
  }
}

function Result({ checked: { count, verdict } }: { checked: Checked }) {
  const { log } = useTexts()
  const say = useSay()
  const { fault, intact, keptHead, next, signedTo, waiting, checked } = verdict
  if (next !== null) return <p class="quiet">{say(log.checked, { count })}</p>
  const unsigned = checked ? checked.to - Math.max(signedTo ?? 0, checked.from - 1) : 0
  const kind = fault ? log.faults[fault.kind] : ''
  return (
    <div class={intact && keptHead !== 'differs' ? 'success' : 'failure'}>
      <strong>{intact ? say(log.intact, { count }) : log.altered}</strong>
      {fault && (
        <p>
          {fault.position === null
            ? say(log.faultUnplaced, { kind })
            : say(log.faultAt, { position: fault.position, kind })}{' '}
          {fault.id && <code>{fault.id}</code>}
        </p>
      )}
      {keptHead && <p>{log.kept[keptHead]}</p>}
      {intact && unsigned > 0 && <p class="quiet">{say(log.unsigned, { count: unsigned })}</p>}
      {waiting > 0 && <p class="quiet">{say(log.waiting, { count: waiting })}</p>}
    </div>
  )
}

function Head({ head, checkpoint }: Schemas['LogHeadOut']) {
  const { log } = useTexts()
  const say = useSay()
  if (!head) return <p class="quiet">{log.noHead}</p>
  return (
    <Facts
      facts={[
        [log.head, <span class="wrap">{say(log.headAt, { position: head.position, hash: head.hash })}</span>],
        [log.signed, <Time at={head.signedAt} />],
        [log.checkpoint, checkpoint?.position],
        [log.copyHead, <Copy text={head.jws} />],
      ]}
    />
  )
}

/** Where the log's chain ends, and whether somebody has changed it. */
export function Chain() {
  const { log } = useTexts()
  const head = useLoad('', () => api.get('/v1/analytics/head'))
  const [checked, setChecked] = useState<Checked>()
  const submit = async (form: FormData) => {
    setChecked(undefined)
    setChecked(await verify(textOf(form, 'head'), setChecked))
    head.reload()
  }
  return (
    <section aria-labelledby="log-chain">
      <h2 id="log-chain">{log.chain}</h2>
      <Shown loaded={head}>{(answer) => <Head {...answer} />}</Shown>
      <Form submit={log.verify} onSubmit={submit}>
        <TextEntry label={log.keptHead} name="head" lines={2} hint={log.keptHeadHint} />
      </Form>
      <div role="status">{checked && <Result checked={checked} />}</div>
      <Curl method="POST" path="/v1/analytics/verify" body={{}} />
      <Curl path="/v1/analytics/head" />
    </section>
  )
}
