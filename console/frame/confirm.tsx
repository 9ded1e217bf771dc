import { useId, useRef } from 'preact/hooks'
import { useTexts } from '../texts/index.ts'
import { useDoing } from './load.ts'
import { Failure } from './parts.tsx'

interface ConfirmProps {
  action: string
  question: string
  text: string
  isDangerous?: boolean
  run: () => Promise<void>
}

/** A button that asks before it acts, in a dialog of the browser: it holds the focus and gives it back. */
export function Confirm({ action, question, text, isDangerous = false, run }: ConfirmProps) {
  const { frame } = useTexts()
  const dialog = useRef<HTMLDialogElement>(null)
  const doing = useDoing()
  const heading = useId()
  const act = (event: Event) => {
    event.preventDefault()
    void doing.run(async () => {
      await run()
      dialog.current?.close()
    })
  }
  return (
    <>
      <button type="button" class={isDangerous ? 'danger' : ''} onClick={() => dialog.current?.showModal()}>
        {action}
      </button>
      <dialog ref={dialog} aria-labelledby={heading}>
        <form onSubmit={act}>
          <h2 id={heading}>{question}</h2>
          <p>{text}</p>
          <Failure error={doing.error} />
          <div class="actions">
            <button type="button" onClick={() => dialog.current?.close()}>
              {frame.cancel}
            </button>
            <button type="submit" class={isDangerous ? 'danger' : 'primary'} aria-disabled={doing.isBusy}>
              {action}
            </button>
          </div>
        </form>
      </dialog>
    </>
  )
}
