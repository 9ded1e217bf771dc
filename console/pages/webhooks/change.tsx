import type { Schemas } from '../../../client/index.ts'
import { Outcome, useActs } from '../../frame/acts.tsx'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { TextEntry, textOf } from '../../frame/form.tsx'
import { daysAgo, fieldOf, momentOf } from '../../frame/moments.ts'
import { Curl } from '../../frame/parts.tsx'
import { go, Link, pathOf } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { useSay, useTexts } from '../../texts/index.ts'

const REDELIVERED_DAYS = 7

interface ChangeProps {
  webhook: Schemas['WebhookOut']
  /** The webhook, or its deliveries, are other ones now. */
  reload: () => void
}

/** What may be done with a webhook: try it, deliver again, switch it off and on, edit, delete. */
export function Actions({ webhook: { id, disabled }, reload }: ChangeProps) {
  const { webhooks } = useTexts()
  const say = useSay()
  const acts = useActs(reload)
  const { run, isBusy, done } = acts
  const path = { params: { path: { id } } }
  const sendTest = () =>
    void run(async () => {
      await api.post('/v1/webhooks/{id}/test', path)
      done(webhooks.testSent)
    })
  const enable = async (isEnabled: boolean) => {
    await api.put('/v1/webhooks/{id}', { ...path, body: { disabled: !isEnabled } })
    done(isEnabled ? webhooks.nowEnabled : webhooks.nowDisabled)
  }
  /** The platform takes some at a time: as many times as there are more. */
  const redeliver = async (form: FormData) => {
    const since = momentOf(textOf(form, 'since')) ?? daysAgo(REDELIVERED_DAYS).toISOString()
    const until = momentOf(textOf(form, 'until'))
    const body = { since, ...(until && { until }) }
    let count = 0
    for (let isMore = true; isMore; ) {
      const { redelivered, more } = await api.post('/v1/webhooks/{id}/redeliver', { ...path, body })
      count += redelivered
      isMore = more
      done(count === 0 ? webhooks.redeliveredNone : say(webhooks.redelivered, { count }))
    }
  }
  const remove = async () => {
    await api.delete('/v1/webhooks/{id}', path)
    go(pathOf('webhooks'))
  }
  return (
    <>
      <div class="actions">
        {disabled ? (
          <button type="button" aria-disabled={isBusy} onClick={() => void run(() => enable(true))}>
            {webhooks.enable}
          </button>
        ) : (
          <>
            <button type="button" aria-disabled={isBusy} onClick={sendTest}>
              {webhooks.test}
            </button>
            <Confirm
              action={webhooks.redeliverFailed}
              question={webhooks.redeliverAsk}
              text={webhooks.redeliverText}
              run={redeliver}
            >
              <TextEntry
                label={webhooks.since}
                name="since"
                type="datetime-local"
                value={fieldOf(daysAgo(REDELIVERED_DAYS))}
                hint={webhooks.sinceHint}
                required
              />
              <TextEntry label={webhooks.until} name="until" type="datetime-local" hint={webhooks.untilHint} />
            </Confirm>
            <Confirm
              action={webhooks.disable}
              question={webhooks.disableAsk}
              text={webhooks.disableText}
              run={() => enable(false)}
            />
          </>
        )}
        <Link href={pathOf('webhooks', id, 'edit')}>{webhooks.edit}</Link>
        <Confirm
          isDangerous
          action={webhooks.delete}
          question={webhooks.deleteAsk}
          text={webhooks.deleteText}
          run={remove}
        />
      </div>
      <Outcome acts={acts} />
      <Curl method="POST" path={`/v1/webhooks/${id}/test`} />
    </>
  )
}
