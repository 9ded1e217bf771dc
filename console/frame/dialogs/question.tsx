import { type ComponentChildren, Fragment, type RefObject } from 'preact'
import { useId, useState } from 'preact/hooks'
import { useTexts } from '../../texts/index.ts'
import { useDoing } from '../load.ts'
import { Failure } from '../parts.tsx'

interface QuestionProps {
  /** Whoever shows the dialog opens it by this. */
  dialog: RefObject<HTMLDialogElement | null>
  question: string
  action: string
  isDangerous?: boolean
  /** Gets what the fields hold. What it throws is shown, and the dialog stays open. */
  run: (form: FormData) => Promise<void>
  onClose?: () => void
  /** What the question is about, and fields where the act needs some. */
  children: ComponentChildren
}

/**
 * A dialog of the browser that asks before something is done: it holds the focus and gives it back. Each time it begins
 * anew: neither what was typed nor what was refused is there again.
 */
export function Question({ dialog, question, action, isDangerous = false, run, onClose, children }: QuestionProps) {
  const { frame } = useTexts()
  const doing = useDoing()
  const heading = useId()
  const [turn, setTurn] = useState(0)
  const act = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const form = new FormData(event.currentTarget)
    void doing.run(async () => {
      await run(form)
      dialog.current?.close()
    })
  }
  const close = () => {
    doing.clear() // whoever is asked again was refused nothing yet
    setTurn(turn + 1)
    onClose?.()
  }
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={close}>
      <form onSubmit={act}>
        <h2 id={heading}>{question}</h2>
        <Fragment key={turn}>{children}</Fragment>
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
