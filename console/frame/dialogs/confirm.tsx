import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Question } from './question.tsx'

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

/** A button that asks before it acts. */
export function Confirm({ text, children, ...asked }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <>
      <button
        type="button"
        class={asked.isDangerous ? 'danger' : ''}
        aria-haspopup="dialog"
        onClick={() => dialog.current?.showModal()}
      >
        {asked.action}
      </button>
      <Question dialog={dialog} {...asked}>
        <p>{text}</p>
        {children}
      </Question>
    </>
  )
}
