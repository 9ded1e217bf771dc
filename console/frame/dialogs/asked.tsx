import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Question } from './question.tsx'

interface AskedProps {
  question: string
  action: string
  run: () => Promise<void>
  onClose: () => void
  isDangerous?: boolean
  children: ComponentChildren
}

/** A question that is open while this is on the page: one for many buttons. */
export function Asked(props: AskedProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return <Question dialog={dialog} {...props} />
}
