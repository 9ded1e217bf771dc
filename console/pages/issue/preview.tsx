import { useLayoutEffect, useRef } from 'preact/hooks'
import { useSay, useTexts } from '../../texts/index.ts'
import type { Display } from '../templates/formats.ts'

/** Relative luminance (WCAG 2.2) of a colour as the browser computes it. */
function luminanceOf(colour: string): number | undefined {
  const parts = /^rgba?\((\d+), (\d+), (\d+)/.exec(colour)?.slice(1).map(Number)
  if (!parts) return undefined
  const [red = 0, green = 0, blue = 0] = parts.map((each) => {
    const part = each / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Below it white is easier to read, above it black. */
const MIDDLE = 0.179

const isInline = (address: string | undefined): address is string =>
  address !== undefined && /^data:image\/(png|jpeg|webp);base64,/.test(address)

interface PreviewProps {
  display: Display
  type: string
  values: readonly (readonly [name: string, value: string])[]
}

/** The credential as a wallet would draw it. Pictures of other hosts are named and not loaded. */
export function Preview({ display, type, values }: PreviewProps) {
  const { issue } = useTexts()
  const say = useSay()
  const card = useRef<HTMLDivElement>(null)
  const { title, issuer, description, colour, logo, watermark } = display
  useLayoutEffect(() => {
    const { current } = card
    if (!current) return
    const { style } = current
    style.backgroundColor = ''
    style.color = ''
    // the browser takes a colour and nothing else; what is none changes nothing
    const opaque = /^#[0-9a-f]{8}$/i.test(colour ?? '') ? colour?.slice(0, 7) : colour
    if (opaque) style.backgroundColor = opaque
    const luminance = style.backgroundColor ? luminanceOf(getComputedStyle(current).backgroundColor) : undefined
    if (luminance !== undefined) style.color = luminance < MIDDLE ? '#ffffff' : '#000000'
  }, [colour])
  const elsewhere = [logo, watermark].filter((each) => each !== undefined && !isInline(each))
  return (
    <section aria-label={issue.preview}>
      <h2>{issue.preview}</h2>
      <div class="wallet" ref={card}>
        {isInline(logo) && <img src={logo} alt={issue.logo} />}
        <h3>
          <bdi>{title || type}</bdi>
        </h3>
        {issuer && (
          <p>
            <bdi>{issuer}</bdi>
          </p>
        )}
        {description && (
          <p>
            <bdi>{description}</bdi>
          </p>
        )}
        {values.length > 0 && (
          <dl>
            {values.map(([name, value]) => (
              <div key={name}>
                <dt>
                  <bdi>{name}</bdi>
                </dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      {elsewhere.map((address) => (
        <p key={address} class="quiet wrap">
          {say(issue.picture, { address: address ?? '' })}
        </p>
      ))}
    </section>
  )
}
