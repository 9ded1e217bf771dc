import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { useTexts } from '../texts/index.ts'
import { useDoing } from './load.ts'
import { Failure } from './parts.tsx'

interface ConfirmProps {
  action: string
  question: string
  text: string
  isDangerous?: boolean
  /** Gets what the fields hold. */
  run: (form: FormData) => Promise<void>
  /** Fields, where the act needs some. */
  children?: ComponentChildren
}

/** A button that asks before it acts, in a dialog of the browser: it holds the focus and gives it back. */
export function Confirm({ action, question, text, isDangerous = false, run, children }: ConfirmProps) {
  const { frame } = useTexts()
  const dialog = useRef<HTMLDialogElement>(null)
  const doing = useDoing()
  const heading = useId()
  const act = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const form = new FormData(event.currentTarget)
    void doing.run(async () => {
      await run(form)
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
          {children}
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
