import { useEffect, useState } from 'preact/hooks'
import { toString as svgOf } from 'qrcode'

interface QrProps {
  text: string
  /** What a reader without eyes for it hears. */
  label: string
}

/** A QR code in black on white, also in the dark: cameras read no other. Nothing is drawn of what is too long for one. */
export function QrCode({ text, label }: QrProps) {
  const [image, setImage] = useState<string>()
  useEffect(() => {
    let isLast = true
    svgOf(text, { type: 'svg', errorCorrectionLevel: 'M', margin: 4 }).then(
      (svg) => isLast && setImage(`data:image/svg+xml,${encodeURIComponent(svg)}`),
      () => isLast && setImage(undefined),
    )
    return () => {
      isLast = false
    }
  }, [text])
  return image ? <img class="qr" src={image} alt={label} /> : null
}
