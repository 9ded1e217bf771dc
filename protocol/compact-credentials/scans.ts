/** Kinds of files that are searched for QR codes, by their first bytes: senders guess a media type from a file's name. */
export type ScanKind = 'png' | 'jpeg' | 'pdf'

/** Bytes of a file that are read. */
export const MAX_SCAN_BYTES = 1024 * 1024
/** Pixels of an image: more than cameras of phones have by default, and little enough for a thread. */
export const MAX_SCAN_PIXELS = 16_000_000

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const JPEG = Uint8Array.of(0xff, 0xd8, 0xff)
/** Bytes before the header that readers of PDF skip. */
const PDF_WITHIN = 1_024

const startsWith = (bytes: Uint8Array, start: Uint8Array): boolean =>
  bytes.length >= start.length && start.every((byte, at) => bytes[at] === byte)

/** The kind of a file; undefined for all others. */
export function scanKindOf(bytes: Uint8Array): ScanKind | undefined {
  if (startsWith(bytes, PNG)) return 'png'
  if (startsWith(bytes, JPEG)) return 'jpeg'
  return Buffer.from(bytes.subarray(0, PDF_WITHIN)).includes('%PDF-') ? 'pdf' : undefined
}

/** Markers of JPEG without a length (ITU-T T.81, table B.1): TEM, RST0 to SOI. */
const isBare = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
/** Markers of frames, which have the size: SOF0 to SOF15, but not DHT, JPG and DAC. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function jpegPixels(view: DataView): number | undefined {
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) at += 1
    else if (isBare(marker)) at += 2
    else if (isFrame(marker)) return view.getUint16(at + 5) * view.getUint16(at + 7)
    else at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

const isHeader = (view: DataView): boolean => view.byteLength >= 33 && view.getUint32(12) === 0x49484452 // IHDR

/** Width times height as the header of an image says, before anything is decoded; undefined where it does not. */
export function pixelsOf(kind: 'png' | 'jpeg', bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (kind === 'jpeg') return jpegPixels(view)
  return isHeader(view) ? view.getUint32(16) * view.getUint32(20) : undefined
}
