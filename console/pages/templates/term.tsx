import { useSay, useTexts } from '../../texts/index.ts'
import type { Meaning } from './contexts.ts'

/** What a claim means, or what to add where nothing says so. */
export function Term({ meaning }: { meaning: Meaning | undefined }) {
  const { templates } = useTexts()
  const say = useSay()
  if (!meaning) return null
  const { term, url = '', by } = meaning
  if (by === 'none')
    return (
      <p class="fault wrap" role="alert">
        {say(templates.undefinedTerm, { term })} <code>{say(templates.termExample, { term })}</code>
      </p>
    )
  return (
    <p class={by === 'vocabulary' ? 'other wrap' : 'quiet wrap'}>
      {say(templates.definedBy[by], { term })} <bdi>{url}</bdi>
    </p>
  )
}
