import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useTexts } from '../texts/index.ts'
import { useDoing } from './load.ts'
import { Failure } from './parts.tsx'

interface AskedProps {
  question: string
  action: string
  run: () => Promise<void>
  onClose: () => void
  isDangerous?: boolean
  children: ComponentChildren
}

/** A question that is open while this is on the page: one for many buttons. The browser gives the focus back. */
export function Asked({ question, action, run, onClose, isDangerous = false, children }: AskedProps) {
  const { frame } = useTexts()
  const dialog = useRef<HTMLDialogElement>(null)
  const doing = useDoing()
  const heading = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const act = (event: Event) => {
    event.preventDefault()
    void doing.run(async () => {
      await run()
      dialog.current?.close()
    })
  }
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose}>
      <form onSubmit={act}>
        <h2 id={heading}>{question}</h2>
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
  )
}
